#include "amontons/models/formulation/drag_continuation.h"

#include "amontons/math/effort.h"
#include "amontons/models/formulation/limited_effort.h"

#include <algorithm>
#include <cmath>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

// Smallest eps that the path is followed to, and the factor between those at which overlaps are
// removed [-].
constexpr double kSmallestEps = 0.9e-9, kNextGoal = 0.1;
// Eps while the overlaps are removed [-].
constexpr double kProximalEps = 1e-7;
// z_0 of contacts that do not touch is the negative of this: those that touch without load or
// approach, as bodies that move together do, stay open whatever the rounding of their speed [-].
constexpr double kDeadBand = 1e-3;
// Largest factor between two eps, and the one below which the path is given up.
constexpr double kLargestFactor = 10.0, kSmallestFactor = 1.3;
// Steps of Newton's method up to which the next factor grows.
constexpr int kQuickSteps = 6;
// Effort of the first search, and the part of what is left that paths may take.
constexpr double kSearchEffort = 150.0, kPathShare = 0.5;
// Steps that remove overlaps.
constexpr int kMaxProximal = 8;
// Overlap, and violation of the bounds of a piece, that may be left [-].
constexpr double kLeft = 1e-9;
// Violation of the bounds beyond which the pieces are not those of the solution [-].
constexpr double kWrongPiece = 1e-3;

}  // namespace

DragSolution DragContinuation::solve(std::vector<char>& whole) {
  const bool found = run(whole);
  const SolveStatus failure = has_effort() ? SolveStatus::Stalled : SolveStatus::IterationLimit;
  return {found ? SolveStatus::Converged : failure, system_.at.r,
          search_.num_steps() + release_.num_steps() + system_.num_steps()};
}

/// Tries the search with little effort, which most islands take, then paths, then the search again.
bool DragContinuation::run(std::vector<char>& whole) {
  bool found = false;
  const auto attempt = [&](double most, const auto& start) {
    if (found || !has_effort()) return;
    system_.whole = whole;
    with_effort(most, [&] { found = start() && finish(); });
  };
  const auto search = [this] { return start_by_search(); };
  // A list that follows from paths mostly needs them again.
  if (!needs_paths_) attempt(kSearchEffort, search);
  needs_paths_ = needs_paths_ || !found;
  attempt(kPathShare * effort_left(), [this] { return release_.find(system_, kDeadBand); });
  attempt(effort_left(), search);
  if (found) whole = system_.whole;
  return found;
}

/// Starts from the shares and loads of the search.
bool DragContinuation::start_by_search() {
  if (!search_.find(system_.problem(), system_.whole)) return false;
  system_.base = search_.bases(system_.whole, kDeadBand);
  system_.eps = RegularizedDrag::kEps;
  system_.move_to(search_.reactions());
  return system_.find_zero();
}

/// Removes the overlaps. A smaller eps finds the pieces that a larger one misses.
bool DragContinuation::finish() {
  factor_ = kLargestFactor;
  for (double goal = system_.eps; goal >= kSmallestEps; goal *= kNextGoal) {
    if (!follow_path(goal)) return false;
    if (remove_overlaps()) return true;
  }
  return false;
}

/// Follows the path of solutions until eps is small.
bool DragContinuation::follow_path(double goal) {
  while (system_.eps > goal) {
    if (!has_effort()) return false;
    const DragSystem::Point before = system_.at;
    const double eps = system_.eps;
    const int steps = system_.num_steps();
    system_.eps = std::max(eps / factor_, goal);
    // The solution at the new eps of the law whose pieces are those at the old one.
    const VectorXd pieces = before.z;
    system_.move_to(before.r, &pieces);
    count_factorization();
    if (system_.find_step(pieces)) {
      system_.move_to(VectorXd(system_.at.r + system_.dr));
      if (system_.find_zero()) {
        const bool is_quick = system_.num_steps() - steps <= kQuickSteps;
        if (is_quick) factor_ = std::min(kLargestFactor, factor_ * factor_);
        continue;
      }
    }
    system_.at = before;
    system_.eps = eps;
    if (!(factor_ > kSmallestFactor)) return false;
    factor_ = std::sqrt(factor_);
  }
  return true;
}

/// Removes the overlaps by proximal steps that keep the piece of each contact.
/// @returns false where the pieces are not those of the solution; the point then is the old one.
bool DragContinuation::remove_overlaps() {
  const DragSystem::Point before = system_.at;
  const VectorXd base = system_.base;
  const double eps = system_.eps;
  const VectorXd pieces = before.z;
  system_.eps = kProximalEps;
  for (int k = 0; k < kMaxProximal; ++k) {
    system_.base = (pieces.array() > 0.0).select(system_.at.z.array(), -kDeadBand);
    system_.move_to(VectorXd(system_.at.r), &pieces);
    count_factorization();
    if (!system_.find_step(pieces)) break;
    system_.move_to(VectorXd(system_.at.r + system_.dr), &pieces);
    double overlap = 0.0;
    for (Index i = 0; i < system_.num_contacts(); ++i) {
      const double y = system_.overlap(i);
      overlap = std::max(overlap, pieces(i) > 0.0 ? std::abs(y) : y);
    }
    const double violation = largest_violation(pieces);
    if (overlap <= kLeft && violation <= kLeft) return true;
    if (k > 0 && violation > kWrongPiece) break;
  }
  system_.at = before;
  system_.base = base;
  system_.eps = eps;
  return false;
}

/// Returns by how much z of a contact that touches is outside of its piece, at most [-].
double DragContinuation::largest_violation(const VectorXd& pieces) const {
  double result = 0.0;
  for (Index i = 0; i < system_.num_contacts(); ++i) {
    if (!(pieces(i) > 0.0)) continue;
    const double z = system_.at.z(i), load = system_.first_load(i);
    result = std::max(result, pieces(i) > load ? load - z : std::max(-z, z - load));
  }
  return result;
}

}  // namespace amontons

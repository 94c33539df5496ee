#include "amontons/models/formulation/drag_path_trace.h"

#include "amontons/math/effort.h"
#include "amontons/math/elementary.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

// Longest step in ln(1/eps), and the one below which only the piece changes [-].
constexpr double kLongestStep = 0.25, kShortestStep = 1e-9;
// Residual that ends corrections, that a step may leave, and beyond which it is too long, in units
// of the size of the motion.
constexpr double kCorrected = 1e-8, kLeft = 1e-7, kTooFar = 1.0;
// Corrections of a step, and the part of the residual that one may leave.
constexpr int kMaxCorrections = 6;
constexpr double kContraction = 0.5;
// Size of a change of ln(1/eps) beside one of r, in units of the size of the motion.
constexpr double kSizeOfEps = 1e-3;
// Eps beyond which a path has lost its way, and what the goal shrinks by where Newton's method
// finds no zero there.
constexpr double kLargestEps = 1e3, kShrink = 0.9;

enum Piece : char { Open = 0, Touching = 1, Loaded = 2 };

/// Runs one trace.
class PathTrace {
 public:
  explicit PathTrace(DragSystem& system)
      : system_(system), pieces_(static_cast<std::size_t>(system.num_contacts())) {
    for (Index i = 0; i < system.num_contacts(); ++i) {
      const double z = system.at.z(i);
      const bool is_loaded = z > system.first_load(i);
      piece(i) = is_loaded ? Loaded : z > 0.0 ? Touching : Open;
    }
  }

  bool run(double goal, int most) {
    int first_sign = 0;
    for (int k = 0; k < most && has_effort(); ++k) {
      find_values();
      system_.move_to(VectorXd(system_.at.r), &values_);
      count_factorization();
      if (!system_.find_step(values_)) return false;
      const int sign = system_.problem().W->determinant_sign();
      if (first_sign == 0) first_sign = sign;
      system_.move_to(VectorXd(system_.at.r + system_.dr), &values_);
      system_.find_tangent(values_);
      const double direction = sign * first_sign;
      take_step(direction);
      if (is_stuck_ || system_.eps > kLargestEps) return false;
      if (direction > 0.0 && system_.eps <= goal) {
        const DragSystem::Point here = system_.at;
        if (system_.find_zero()) return true;
        system_.at = here;
        goal *= kShrink;
      }
    }
    return false;
  }

 private:
  char& piece(Index i) { return pieces_[static_cast<std::size_t>(i)]; }

  /// Writes z of the present pieces, within each of them.
  void find_values() {
    values_.resize(system_.num_contacts());
    for (Index i = 0; i < values_.size(); ++i) {
      const double inside = std::clamp(system_.at.z(i), std::numeric_limits<double>::min(), 1.0);
      values_(i) = piece(i) == Open ? -1.0 : piece(i) == Loaded ? 2.0 : inside;
    }
  }

  /// Goes to where the first contact leaves its piece, at most the longest step.
  void take_step(double direction) {
    double length = kLongestStep, rate_of_first = 0.0;
    Index first = -1;
    for (Index i = 0; i < system_.num_contacts(); ++i) {
      const double speed = system_.problem().speeds(i);
      const double rate =
          direction * (system_.overlap(i) - system_.du(3 * i + 2) / speed) / system_.eps;
      if (rate == 0.0 || piece(i) == (rate > 0.0 ? Loaded : Open)) continue;
      const bool at_load = piece(i) == (rate > 0.0 ? Touching : Loaded);
      const double bound = at_load ? system_.first_load(i) : 0.0;
      const double own = std::max(0.0, (bound - system_.at.z(i)) / rate);
      if (own >= length) continue;
      length = own;
      first = i;
      rate_of_first = rate;
    }
    const bool arrives = move(direction, length);
    if (arrives && first >= 0) {
      // A contact with its whole drag has no piece between.
      const int pieces = system_.first_load(first) > 0.0 ? 1 : 2;
      piece(first) = static_cast<char>(piece(first) + (rate_of_first > 0.0 ? pieces : -pieces));
    }
    system_.move_to(VectorXd(system_.at.r));
  }

  /// Moves along the tangent by at most `length` in ln(1/eps), and corrects.
  /// @returns true after the whole length.
  bool move(double direction, double length) {
    const VectorXd r = system_.at.r;
    const double eps = system_.eps;
    // Bound: halvings down to the shortest step.
    for (bool whole = true;; whole = false, length *= 0.5) {
      if (length < kShortestStep) {
        system_.eps = eps;
        system_.move_to(r, &values_);
        is_stuck_ = !whole;
        return whole;
      }
      system_.eps = eps / elementary::exp(direction * length);
      system_.move_to(VectorXd(r + direction * length * system_.dr), &values_);
      correct();
      if (system_.at.residual < kLeft * system_.problem().size) return whole;
    }
  }

  /// Corrects a point by chord steps at right angles to the tangent.
  void correct() {
    const double size = system_.problem().size;
    const double squared = system_.dr.dot(system_.du) + kSizeOfEps * size * kSizeOfEps * size;
    for (int k = 0; k < kMaxCorrections; ++k) {
      const double before = system_.at.residual;
      if (before <= kCorrected * size || before >= kTooFar * size) return;
      system_.problem().W->solve(system_.at.x, chord_, chord_velocity_);
      const double back = -chord_.dot(system_.du) / squared;
      system_.eps /= elementary::exp(back);
      system_.move_to(VectorXd(system_.at.r + chord_ + back * system_.dr), &values_);
      if (system_.at.residual > kContraction * before) return;
    }
  }

  DragSystem& system_;
  std::vector<char> pieces_;
  VectorXd values_;  // z in each piece [n]
  VectorXd chord_, chord_velocity_;
  bool is_stuck_ = false;  // no step can be corrected
};

}  // namespace

bool trace_path(DragSystem& system, double goal, int most) {
  return PathTrace(system).run(goal, most);
}

}  // namespace amontons

#include "amontons/contact/certificate/held_overlaps.h"

#include "amontons/contact/islands/islands.h"
#include "amontons/contact/operators/normal_rows.h"
#include "amontons/optimization/lcp/dual_active_set.h"

#include <algorithm>
#include <cmath>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

// Multiple of the motions that open each overlap alone [-].
constexpr double kMostOpening = 10.0;

// Deepest overlap that may be held, as a share of what the speed V closes in the step [-].
constexpr double kDeepest = 0.1;

/// Judges one island.
class IslandOverlaps {
 public:
  IslandOverlaps(const ContactProblem& problem, const ProblemScaling& scaling, const Island& island,
                 const VectorXd& gap_speeds, double tolerance)
      : problem_(problem), island_(island), gap_speeds_(gap_speeds) {
    rows_.begin(problem, scaling, contacts_of_island(), tolerance);
  }

  /// Returns true if no velocity within the bound opens the overlaps because of the contacts that
  /// stick: some velocity would if they did not.
  bool are_held(const VectorXd& velocity, const std::vector<char>& sticks) {
    const double most = change(velocity) + kMostOpening * single_openings();
    std::vector<char> own = contacts_of_island();
    for (std::size_t c = 0; c < own.size(); ++c) own[c] = own[c] && sticks[c];
    return is_beyond(most, own) && !is_beyond(most, std::vector<char>(own.size(), 0));
  }

 private:
  std::vector<char> contacts_of_island() const {
    std::vector<char> result(problem_.num_contacts(), 0);
    for (const int c : island_.contacts) result[static_cast<std::size_t>(c)] = 1;
    return result;
  }

  /// Returns true if each velocity that keeps some contacts from slipping and opens the overlaps
  /// differs from v_free by more than `most` in the norm of M.
  bool is_beyond(double most, const std::vector<char>& sticks) {
    rows_.hold(sticks);
    rows_.pose(gap_speeds_, VectorXd::Zero(3 * gap_speeds_.size()));
    // |a - a_free|^2 = |a - a_0|^2 + |a_0 - a_free|^2, since a_0 is the nearest point that the held
    // rows allow. Other islands move by neither.
    const double start = rows_.start_distance();
    const double left = std::sqrt(std::max(0.0, most * most - start * start));
    DualActiveSetSolution solution;
    method_.solve(rows_.problem(), {.most_distance = left}, solution);
    return solution.status == SolveStatus::Infeasible || solution.status == SolveStatus::Stalled ||
           distance_bound(rows_.problem(), solution.z) > left;
  }

  /// Returns |v - v_free| of the island in the norm of M.
  double change(const VectorXd& velocity) const {
    double square = 0.0;
    for (const int b : island_.blocks) {
      const auto block = problem_.mass_matrix.block(static_cast<std::size_t>(b));
      const Index size = block.matrix.rows();
      const VectorXd own =
          velocity.segment(block.offset, size) - problem_.free_velocity.segment(block.offset, size);
      square += own.dot(block.matrix * own);
    }
    return std::sqrt(square);
  }

  /// Returns the root of the summed squares of the motions that open each overlap alone.
  double single_openings() const {
    double square = 0.0;
    for (Index i = 0; i < rows_.num_rows(); ++i) {
      const double opening = std::min(0.0, gap_speeds_(rows_.contact_of(i))) / rows_.length(i);
      square += opening * opening;
    }
    return std::sqrt(square);
  }

  const ContactProblem& problem_;
  const Island& island_;
  const VectorXd& gap_speeds_;
  NormalRows rows_;
  DualActiveSet method_;
};

}  // namespace

HeldOverlaps find_held_overlaps(const ContactProblem& problem, const ProblemScaling& scaling,
                                const std::vector<char>& sticks, const VectorXd& velocity,
                                const VectorXd& gap_speeds, double tolerance) {
  HeldOverlaps result{gap_speeds, std::vector<char>(problem.num_contacts(), 0)};
  const VectorXd u = problem.contact_velocities(velocity);
  const auto is_left = [&](int c) {
    return gap_speeds(c) < 0.0 &&
           u(3 * c + 2) + gap_speeds(c) < -tolerance * scaling.scales.speed(c);
  };
  bool is_any_left = false;
  for (int c = 0; c < gap_speeds.size() && !is_any_left; ++c) is_any_left = is_left(c);
  if (!is_any_left) return result;
  for (const Island& island : find_islands(problem)) {
    if (std::none_of(island.contacts.begin(), island.contacts.end(), is_left)) continue;
    const auto is_deep = [&](int c) { return gap_speeds(c) < -kDeepest * scaling.scales.speed(c); };
    if (std::any_of(island.contacts.begin(), island.contacts.end(), is_deep)) continue;
    IslandOverlaps overlaps(problem, scaling, island, gap_speeds, tolerance);
    if (!overlaps.are_held(velocity, sticks)) continue;
    for (const int c : island.contacts) {
      result.held[static_cast<std::size_t>(c)] = is_left(c);
      result.gap_speeds(c) = std::max(0.0, gap_speeds(c));
    }
  }
  return result;
}

}  // namespace amontons

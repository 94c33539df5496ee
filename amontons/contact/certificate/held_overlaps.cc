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

// Steps of the dual active set method for each contact.
constexpr int kMostSteps = 10;

/// Judges one island.
class IslandOverlaps {
 public:
  IslandOverlaps(const ContactProblem& problem, const ProblemScaling& scaling, const Island& island,
                 const std::vector<char>& sticks)
      : problem_(problem),
        scaling_(scaling),
        island_(island),
        active_(problem.num_contacts(), 0),
        sticks_(problem.num_contacts(), 0) {
    for (const int c : island.contacts) {
      active_[static_cast<std::size_t>(c)] = 1;
      sticks_[static_cast<std::size_t>(c)] = sticks[static_cast<std::size_t>(c)];
    }
  }

  /// Returns true if no velocity within the bound opens the overlaps because of the contacts that
  /// stick: some velocity would if they did not.
  bool are_held(const VectorXd& velocity, const VectorXd& gap_speeds, double tolerance) const {
    const double most = change(velocity) + kMostOpening * single_openings(gap_speeds);
    return is_beyond(most, sticks_, gap_speeds, tolerance) &&
           !is_beyond(most, std::vector<char>(sticks_.size(), 0), gap_speeds, tolerance);
  }

 private:
  /// Returns true if each velocity that keeps some contacts from slipping and opens the overlaps
  /// differs from v_free by more than `most` in the norm of M.
  bool is_beyond(double most, const std::vector<char>& sticks, const VectorXd& gap_speeds,
                 double tolerance) const {
    NormalRows rows;
    rows.begin(problem_, scaling_, active_, tolerance);
    rows.hold(sticks);
    rows.pose(gap_speeds, VectorXd::Zero(3 * static_cast<Index>(problem_.num_contacts())));
    // |a - a_free|^2 = |a - a_0|^2 + |a_0 - a_free|^2, since a_0 is the nearest point that the held
    // rows allow. Other islands move by neither.
    const double start = rows.start_distance();
    const double left = std::sqrt(std::max(0.0, most * most - start * start));
    DualActiveSetSolution solution;
    DualActiveSet().solve(
        rows.problem(),
        {.max_steps = kMostSteps * static_cast<int>(rows.num_rows()) + 100, .most_distance = left},
        solution);
    return solution.status == SolveStatus::Infeasible || solution.status == SolveStatus::Stalled ||
           distance_bound(rows.problem(), solution.z) > left;
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
  double single_openings(const VectorXd& gap_speeds) const {
    double square = 0.0;
    for (const int c : island_.contacts) {
      const double s = gap_speeds(c);
      if (!(s < 0.0)) continue;
      double inverse_mass = 0.0;  // n' M^-1 n
      for (const BlockSparseMatrix::Block& block :
           scaling_.contact_rows.block_row(static_cast<std::size_t>(c))) {
        inverse_mass += scaling_.contact_rows.values(block).row(2).squaredNorm();
      }
      if (inverse_mass > 0.0) square += s * s / inverse_mass;
    }
    return std::sqrt(square);
  }

  const ContactProblem& problem_;
  const ProblemScaling& scaling_;
  const Island& island_;
  std::vector<char> active_, sticks_;
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
    const IslandOverlaps overlaps(problem, scaling, island, sticks);
    if (!overlaps.are_held(velocity, gap_speeds, tolerance)) continue;
    for (const int c : island.contacts) {
      result.held[static_cast<std::size_t>(c)] = is_left(c);
      result.gap_speeds(c) = std::max(0.0, gap_speeds(c));
    }
  }
  return result;
}

}  // namespace amontons

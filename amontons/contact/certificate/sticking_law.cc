#include "amontons/contact/certificate/sticking_law.h"

#include "amontons/contact/activation.h"
#include "amontons/contact/certificate/contact_loads.h"
#include "amontons/contact/islands/islands.h"

#include <algorithm>
#include <cmath>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

/// Returns the largest speed [nc] [m/s] at which each contact may approach in the step: V, and
/// besides it the speed sqrt(n'M^-1 n) |v_free| of a motion with the kinetic energy of its island's
/// free motion, in the norm of M. No list lets a contact close a wider gap
/// (docs/theory/no-slip.md).
VectorXd largest_approaches(const ContactProblem& problem, const ProblemScaling& scaling) {
  VectorXd result = scaling.scales.speed;
  for (const Island& island : find_islands(problem)) {
    double square = 0.0;
    for (const int b : island.blocks) {
      const auto block = problem.mass_matrix.block(static_cast<std::size_t>(b));
      const Index size = block.matrix.rows();
      square += problem.free_velocity.segment(block.offset, size)
                    .dot(scaling.free_momentum.segment(block.offset, size));
    }
    for (const int c : island.contacts) {
      double row = 0.0;  // n'M^-1 n [1/kg]
      const BlockSparseMatrix& G = scaling.contact_rows;
      for (const BlockSparseMatrix::Block& block : G.block_row(static_cast<std::size_t>(c))) {
        row += G.values(block).row(2).squaredNorm();
      }
      result(c) += std::sqrt(row * square);
    }
  }
  return result;
}

}  // namespace

std::vector<char> contacts_that_stick(const ContactProblem& problem, const ProblemScaling& scaling,
                                      const StickingState& state, bool with_other_solutions,
                                      double tolerance) {
  const std::size_t nc = problem.num_contacts();
  std::vector<char> sticks(nc, 0), candidates(nc, 0);
  VectorXd approaches;  // computed where a gap is wider than V closes
  NormalFace face{state.impulses, state.gap_speeds, std::vector<char>(nc, 0)};
  for (std::size_t c = 0; c < nc; ++c) {
    const Index i = static_cast<Index>(c);
    face.slack(i) += state.contact_velocity(3 * i + 2);
    const double w = scaling.scales.inverse_mass(i), V = scaling.scales.speed(i);
    if (!may_stick(problem.contacts[c]) || !(w > 0.0)) continue;
    // Loads, slip and friction, all as velocities.
    const double load = w * (state.impulses(3 * i + 2) + state.given_load(i));
    const double slip = state.contact_velocity.segment<2>(3 * i).norm();
    const double friction = w * state.impulses.segment<2>(3 * i).norm();
    const bool bears = load > tolerance * V;
    sticks[c] = bears || slip <= friction;
    if (!bears && sticks[c] && state.gap_speeds(i) > V) {
      if (approaches.size() == 0) approaches = largest_approaches(problem, scaling);
      sticks[c] = state.gap_speeds(i) <= approaches(i);
    }
    face.held[c] = slip <= tolerance * V && (bears || friction > tolerance * V);
    candidates[c] = !sticks[c] && slip > tolerance * V;
  }
  if (!with_other_solutions) return sticks;
  const std::vector<char> loaded =
      loaded_contacts(problem, scaling, face, candidates, SelfStress::IsNoLoad, tolerance);
  std::transform(sticks.begin(), sticks.end(), loaded.begin(), sticks.begin(),
                 [](char own, char other) { return static_cast<char>(own || other); });
  return sticks;
}

}  // namespace amontons

#include "amontons/contact/certificate/sticking_law.h"

#include "amontons/contact/activation.h"
#include "amontons/contact/certificate/contact_loads.h"

#include <algorithm>

namespace amontons {

std::vector<char> contacts_that_stick(const ContactProblem& problem, const ProblemScaling& scaling,
                                      const StickingState& state, bool with_other_solutions,
                                      double tolerance) {
  using Eigen::Index;
  const std::size_t nc = problem.num_contacts();
  std::vector<char> sticks(nc, 0), candidates(nc, 0);
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
    const bool is_near = state.gap_speeds(i) <= V;
    sticks[c] = bears || (is_near && slip <= friction);
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

#include "amontons/contact/certificate/hanging_contacts.h"

#include "amontons/contact/islands/islands.h"
#include "amontons/contact/operators/impulse_response.h"
#include "amontons/contact/operators/problem_scaling.h"
#include "amontons/contact/rows_as_contacts.h"

namespace amontons {

std::vector<char> hanging_contacts(const ContactProblem& problem, const ContactSolution& solution,
                                   double tolerance) {
  using Eigen::Index;
  const std::size_t nc = problem.num_contacts();
  // Limits of joints press, too: they take part in the form of contacts.
  if (!problem.bounded_rows.empty()) {
    std::vector<char> result =
        hanging_contacts(rows_as_contacts(problem), rows_as_contacts(problem, solution), tolerance);
    result.resize(nc);
    return result;
  }
  // The motion without contact impulses; friction and servos of joints act as they do.
  const ProblemScaling scaling(problem);
  Eigen::VectorXd given = Eigen::VectorXd::Zero(solution.impulses.size());
  for (std::size_t c = 0; c < nc; ++c) {
    const Index row = ContactProblem::row(c);
    if (problem.contacts[c].is_joint_row) {
      given.segment<2>(row) = solution.impulses.segment<2>(row);
    }
  }
  const Eigen::VectorXd u = ImpulseResponse(problem, scaling).contact_velocities(given);
  const std::vector<int> island = islands_of_contacts(problem);
  std::vector<char> is_pressed(problem.mass_matrix.num_blocks(), 0);  // [islands by first block]
  std::vector<char> result(nc, 0);
  const auto scale = [&](std::size_t c) { return scaling.scales.speed(static_cast<Index>(c)); };
  for (std::size_t c = 0; c < nc; ++c) {
    if (island[c] < 0) continue;
    const Index i = static_cast<Index>(c);
    const bool approaches = u(3 * i + 2) + scaling.gap_speeds(i) < -tolerance * scale(c);
    if (approaches) is_pressed[static_cast<std::size_t>(island[c])] = 1;
  }
  for (std::size_t c = 0; c < nc; ++c) {
    const Index i = static_cast<Index>(c);
    if (island[c] < 0 || is_pressed[static_cast<std::size_t>(island[c])]) continue;
    if (problem.contacts[c].is_joint_row) continue;
    const double friction = solution.impulses.segment<2>(3 * i).norm();
    result[c] = scaling.scales.inverse_mass(i) * friction > tolerance * scale(c);
  }
  return result;
}

}  // namespace amontons

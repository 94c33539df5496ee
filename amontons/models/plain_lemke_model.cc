#include "amontons/models/plain_lemke_model.h"

#include "amontons/contact/operators/contact_space.h"
#include "amontons/math/regular_polygon.h"
#include "amontons/math/stopwatch.h"
#include "amontons/models/common/solution_assembly.h"
#include "amontons/models/formulation/lcp_assembly.h"
#include "amontons/optimization/lcp/plain_lemke.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace amontons {
namespace {

using Eigen::Index;

/// Returns the contacts that can move a body.
/// @throws std::invalid_argument if a contact has a restitution above zero.
std::vector<int> moving_contacts(const ContactProblem& problem, const ProblemScaling& scaling) {
  std::vector<int> result;
  for (std::size_t i = 0; i < problem.num_contacts(); ++i) {
    if (problem.contacts[i].restitution > 0.0) {
      throw std::invalid_argument("lemke-plain: contact " + std::to_string(i) +
                                  " has a restitution above zero, which this baseline lacks");
    }
    if (scaling.scales.inverse_mass(static_cast<Index>(i)) > 0.0) {
      result.push_back(static_cast<int>(i));
    }
  }
  return result;
}

/// Returns these contacts in contact space.
ContactSubset subset_of(const ContactProblem& problem, const ProblemScaling& scaling,
                        const ContactSpace& space, const std::vector<int>& contacts) {
  const Index k = static_cast<Index>(contacts.size());
  ContactSubset subset{space.delassus(contacts), Eigen::VectorXd(3 * k),   Eigen::VectorXd(k),
                       Eigen::VectorXd(k),       Eigen::VectorXd::Zero(k), Eigen::VectorXd(k)};
  for (Index c = 0; c < k; ++c) {
    const int contact = contacts[static_cast<std::size_t>(c)];
    subset.b.segment<3>(3 * c) = space.free_contact_velocity().segment<3>(3 * contact);
    subset.gap_speeds(c) = scaling.gap_speeds(contact);
    subset.friction(c) = problem.contacts[static_cast<std::size_t>(contact)].friction;
    subset.friction_offset(c) = problem.contacts[static_cast<std::size_t>(contact)].friction_offset;
  }
  return subset;
}

}  // namespace

PlainLemkeModel::PlainLemkeModel(const ModelSettings& settings) : settings_(settings) {
  check_settings(settings);
}

ContactSolution PlainLemkeModel::solve(const ContactProblem& problem, const ProblemScaling& scaling,
                                       const Eigen::Ref<const Eigen::VectorXd>&) const {
  ContactSolution solution;
  solution.law = law();
  // All contacts at once, in contact space, on the polygon of the settings.
  const std::vector<int> contacts = moving_contacts(problem, scaling);
  const ContactSpace space(problem, scaling);
  const Eigen::Matrix2Xd directions = polygon_directions(solution.law.directions);

  // One dense LCP, to the routine's own tolerance; the certificate has the user's. A ridge that was
  // needed is named in the remark.
  const Stopwatch stopwatch;
  const FrictionLcp lcp =
      assemble_lcp(subset_of(problem, scaling, space, contacts), directions, false);
  const PlainLemkeSolution found = solve_plain_lemke(lcp.lcp);
  SolveAttempt attempt{"plain Lemke", found.status, found.pivots, stopwatch.seconds(), {}};
  if (found.ridge > 0.0) {
    attempt.remark = "on M + 1e" + std::to_string(std::lround(std::log10(found.ridge))) + " I";
  }
  solution.attempts.push_back(attempt);
  solution.iterations = found.pivots;

  // Impulses back to their contacts. What the routine found is kept, however far from a solution.
  RestitutionSolution restitution;
  restitution.total.impulses = Eigen::VectorXd::Zero(problem.contact_jacobian.rows());
  const Eigen::VectorXd impulses = impulses_from(lcp, directions, found.z);
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    restitution.total.impulses.segment<3>(3 * contacts[c]) =
        impulses.segment<3>(3 * static_cast<Index>(c));
  }
  restitution.bounces.assign(problem.num_contacts(), 0);
  write_solution(problem, scaling, &space, restitution, solution);
  // The routine's tolerance is wider than that of the settings.
  if (found.status != SolveStatus::Converged) {
    solution.status = SolveStatus::NumericalFailure;
  } else if (found.residual > settings_.tolerance) {
    solution.status = SolveStatus::Stalled;
  } else {
    solution.status = SolveStatus::Converged;
  }
  return solution;
}

}  // namespace amontons

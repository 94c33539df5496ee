#include "amontons/models/formulation/step_lcp.h"

#include "amontons/contact/activation.h"
#include "amontons/math/regular_polygon.h"

#include <stdexcept>

namespace amontons {
namespace {

using Eigen::Index;

/// Returns the contacts that can move a body, of those that the law lets take part.
std::vector<int> active_contacts(const ContactProblem& problem, const ProblemScaling& scaling,
                                 const ContactLaw& law) {
  std::vector<int> result;
  for (std::size_t i = 0; i < problem.num_contacts(); ++i) {
    const bool moves = scaling.scales.inverse_mass(static_cast<Index>(i)) > 0.0;
    if (moves && is_active(law, problem.contacts[i])) result.push_back(static_cast<int>(i));
  }
  return result;
}

/// Returns these contacts in contact space, in one phase of the step.
ContactSubset subset_of(const ContactProblem& problem, const ContactSpace& space,
                        const std::vector<int>& contacts, bool has_friction,
                        const ContactPhase& phase) {
  const Index k = static_cast<Index>(contacts.size());
  ContactSubset subset{space.delassus(contacts), Eigen::VectorXd(3 * k), Eigen::VectorXd(k),
                       Eigen::VectorXd(k),       Eigen::VectorXd(k),     Eigen::VectorXd(k)};
  const Eigen::VectorXd velocities = space.contact_velocities(phase.given_impulses);
  for (Index c = 0; c < k; ++c) {
    const int i = contacts[static_cast<std::size_t>(c)];
    const double friction = problem.contacts[static_cast<std::size_t>(i)].friction;
    subset.b.segment<3>(3 * c) = velocities.segment<3>(3 * i);
    subset.gap_speeds(c) = phase.gap_speeds(i);
    subset.friction(c) = has_friction ? friction : 0.0;
    subset.given_load(c) = phase.given_load(i);
    subset.friction_offset(c) = phase.friction_offset(i);
  }
  return subset;
}

}  // namespace

StepLcp step_lcp(const ContactProblem& problem, const ProblemScaling& scaling,
                 const ContactSpace& space, const ContactLaw& law, const ContactPhase& phase) {
  if (!has_polygon(law.kind) && law.kind != LawKind::Frictionless) {
    throw std::invalid_argument(std::string("the law ") + to_string(law.kind) +
                                " is no linear complementarity problem; the laws pyramid, "
                                "convex-pyramid and frictionless are");
  }
  StepLcp result;
  result.contacts = active_contacts(problem, scaling, law);
  result.directions = polygon_directions(law.directions);
  result.friction =
      assemble_lcp(subset_of(problem, space, result.contacts, has_polygon(law.kind), phase),
                   result.directions, lifts(law.kind));
  return result;
}

StepLcp step_lcp(const ContactProblem& problem, const ContactLaw& law) {
  if (!problem.bounded_rows.empty()) {
    throw std::invalid_argument("the problem has " + std::to_string(problem.bounded_rows.size()) +
                                " rows of joint limits, friction or drives, which the "
                                "complementarity problem of its contacts does not contain");
  }
  for (std::size_t i = 0; i < problem.num_contacts(); ++i) {
    if (problem.contacts[i].restitution > 0.0) {
      throw std::invalid_argument(
          "contact " + std::to_string(i) +
          " has a restitution above zero: its step is no single complementarity problem");
    }
  }
  const ProblemScaling scaling(problem);
  return step_lcp(problem, scaling, ContactSpace(problem, scaling), law,
                  plain_phase(problem, scaling));
}

Eigen::VectorXd step_impulses(const ContactProblem& problem, const StepLcp& lcp,
                              const Eigen::Ref<const Eigen::VectorXd>& z) {
  Eigen::VectorXd result = Eigen::VectorXd::Zero(problem.contact_jacobian.rows());
  const Eigen::VectorXd impulses = impulses_from(lcp.friction, lcp.directions, z);
  for (std::size_t c = 0; c < lcp.contacts.size(); ++c) {
    result.segment<3>(3 * lcp.contacts[c]) = impulses.segment<3>(3 * static_cast<Index>(c));
  }
  return result;
}

Eigen::MatrixXd impulse_matrix(const ContactProblem& problem, const StepLcp& lcp) {
  const Index n = lcp.friction.first.back();
  Eigen::MatrixXd result(problem.contact_jacobian.rows(), n);
  for (Index k = 0; k < n; ++k) {
    result.col(k) = step_impulses(problem, lcp, Eigen::VectorXd::Unit(n, k));
  }
  return result;
}

std::vector<std::string> row_names(const StepLcp& lcp) {
  std::vector<std::string> names;
  for (std::size_t c = 0; c < lcp.contacts.size(); ++c) {
    const std::string contact = "contact " + std::to_string(lcp.contacts[c]) + ": ";
    names.push_back(contact + "p_n");
    if (lcp.friction.first[c + 1] == lcp.friction.first[c] + 1) continue;
    for (Index k = 0; k < lcp.directions.cols(); ++k) {
      names.push_back(contact + "beta_" + std::to_string(k));
    }
    names.push_back(contact + "lambda");
  }
  return names;
}

}  // namespace amontons

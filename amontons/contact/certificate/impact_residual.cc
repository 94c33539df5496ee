#include "amontons/contact/certificate/impact_residual.h"

#include "amontons/contact/certificate/collision_law.h"
#include "amontons/contact/certificate/energy_bound.h"
#include "amontons/contact/certificate/law_residual.h"
#include "amontons/contact/islands/islands.h"
#include "amontons/contact/operators/contact_space.h"
#include "amontons/contact/rows_as_contacts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::Vector3d;
using Eigen::VectorXd;

// Share of the speed V within which a contact just closes its gap [-].
constexpr double kJustReaches = 1e-11;

/// Returns true if a contact is dry friction or a servo of a joint, which act for the whole step
/// and are no collisions. Limits of joints collide.
bool acts_all_step(const ContactProblem& problem, std::size_t contact) {
  return problem.contacts[contact].is_joint_row && component_of_joint_row(problem, contact) != 2;
}

/// Returns the contacts that are the only ones of their island to move a body.
std::vector<int> contacts_alone(const ContactProblem& problem, const ProblemScaling& scaling) {
  const std::vector<int> island = islands_of_contacts(problem);
  std::vector<int> count(problem.mass_matrix.num_blocks(), 0), alone;
  const auto moves = [&](std::size_t contact) {
    return island[contact] >= 0 && scaling.scales.inverse_mass(static_cast<Index>(contact)) > 0.0;
  };
  for (std::size_t c = 0; c < island.size(); ++c) {
    if (moves(c)) ++count[static_cast<std::size_t>(island[c])];
  }
  for (std::size_t c = 0; c < island.size(); ++c) {
    if (moves(c) && !acts_all_step(problem, c) && count[static_cast<std::size_t>(island[c])] == 1) {
      alone.push_back(static_cast<int>(c));
    }
  }
  return alone;
}

}  // namespace

ImpactResidual impact_residual(const ContactProblem& problem, const ProblemScaling& scaling,
                               const ContactSolution& solution) {
  const Index nc = static_cast<Index>(problem.num_contacts());
  const VectorXd u = problem.contact_velocities(solution.velocity);
  ImpactResidual result{VectorXd::Zero(nc), VectorXd::Zero(nc)};
  for (Index i = 0; i < nc; ++i) {
    const Contact& contact = problem.contacts[static_cast<std::size_t>(i)];
    // Dry friction and servos keep their law in the step as a whole, as under every other law.
    if (acts_all_step(problem, static_cast<std::size_t>(i))) {
      const ContactState row{.impulse = solution.impulses.segment<3>(3 * i),
                             .velocity = u.segment<3>(3 * i),
                             .inverse_mass = scaling.scales.inverse_mass(i),
                             .friction_offset = contact.friction_offset};
      const LawResidual missed = law_residual(LawKind::Frictionless, {}, row);
      result.normal(i) = missed.normal;
      result.friction(i) = missed.friction;
      continue;
    }
    // No contact pulls, approaches or leaves its cone, in any order of collisions.
    const Vector3d p = scaling.scales.inverse_mass(i) * solution.impulses.segment<3>(3 * i);
    const double reach = std::max(0.0, scaling.gap_speeds(i));
    result.normal(i) = std::max({0.0, -p.z(), -u(3 * i + 2) - reach});
    result.friction(i) = std::max(0.0, p.head<2>().norm() - contact.friction * p.z());
  }
  // A contact alone in its island has one collision, whose impulse is integrated here.
  const std::vector<int> alone = contacts_alone(problem, scaling);
  if (!alone.empty()) {
    const ContactSpace space(problem, scaling);
    for (const int c : alone) {
      const Vector3d before = space.free_contact_velocity().segment<3>(3 * c);
      const Collision collision =
          collision_of(problem, static_cast<std::size_t>(c), space.delassus(std::array{c}), before,
                       solution.law.restitution);
      // Where a contact just reaches, rounding decides if it collides.
      const double reach = std::max(0.0, scaling.gap_speeds(c));
      if (reach > 0.0 && std::abs(before.z() + reach) <= kJustReaches * scaling.scales.speed(c)) {
        continue;
      }
      const bool meets = before.z() + reach < 0.0;
      const std::optional<Vector3d> expected =
          meets ? collision_impulse(collision) : std::optional<Vector3d>(Vector3d::Zero());
      if (!expected) continue;  // held together by joints: it still approaches
      if (!expected->allFinite()) {
        // A collision whose integration fails cannot be certified.
        result.normal(c) = std::numeric_limits<double>::infinity();
        continue;
      }
      const double w = scaling.scales.inverse_mass(c);
      const Vector3d missed = w * (solution.impulses.segment<3>(3 * c) - *expected);
      result.normal(c) = std::max(result.normal(c), std::abs(missed.z()));
      result.friction(c) = std::max(result.friction(c), missed.head<2>().norm());
    }
  }
  // KE(v+) - KE(v_free) = v+'M dv - dv'M dv / 2, less the works of prescribed motions and
  // stabilization [J].
  const VectorXd change = solution.velocity - problem.free_velocity;
  const VectorXd momentum = problem.mass_matrix * change;
  result.energy = solution.velocity.dot(momentum) - 0.5 * change.dot(momentum) +
                  solution.impulses.dot(problem.contact_bias);
  if (problem.joint_jacobian.rows() > 0) {
    result.stabilization_work = joint_stabilization_work(problem, solution.joint_impulses);
    result.energy += solution.joint_impulses.dot(problem.joint_bias) - result.stabilization_work;
  }
  return result;
}

}  // namespace amontons

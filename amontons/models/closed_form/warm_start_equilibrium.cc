#include "amontons/models/closed_form/warm_start_equilibrium.h"

#include "amontons/models/common/solution_assembly.h"

#include <algorithm>

namespace amontons {
namespace {

using Eigen::Index;

/// Returns true if some contact closes in the free motion, so that an impulse is needed.
bool closes_freely(const ProblemScaling& scaling) {
  for (Index i = 0; i < scaling.gap_speeds.size(); ++i) {
    const double speed = scaling.free_contact_velocity(3 * i + 2) + scaling.gap_speeds(i);
    if (scaling.scales.inverse_mass(i) > 0.0 && speed < -kAtRest * scaling.scales.speed(i)) {
      return true;
    }
  }
  return false;
}

/// Returns the impulses moved into their cones, which rounding may have left.
Eigen::VectorXd in_cones(const ContactProblem& problem, Eigen::VectorXd impulses) {
  for (std::size_t i = 0; i < problem.num_contacts(); ++i) {
    auto p = impulses.segment<3>(ContactProblem::row(i));
    const Contact& contact = problem.contacts[i];
    p = in_friction_cone(p, contact.friction, contact.friction_offset);
  }
  return impulses;
}

/// Returns true if a contact that carries an impulse has a gap to keep: w p_n < s at zero velocity.
bool pushes_what_opens(const ContactProblem& problem, const ProblemScaling& scaling,
                       const Eigen::VectorXd& impulses) {
  for (Index i = 0; i < scaling.gap_speeds.size(); ++i) {
    if (problem.contacts[static_cast<std::size_t>(i)].friction_offset > 0.0) continue;
    const auto p = impulses.segment<3>(3 * i);
    const double pressed = scaling.scales.inverse_mass(i) * p.z();
    if (pressed < scaling.gap_speeds(i) && !p.isZero(0.0)) return true;
  }
  return false;
}

}  // namespace

Eigen::Vector3d in_friction_cone(const Eigen::Vector3d& impulse, double friction,
                                 double friction_offset) {
  Eigen::Vector3d p = impulse;
  const double radius = friction * std::max(p.z(), 0.0) + friction_offset;
  const double length = p.head<2>().norm();
  if (length > radius) p.head<2>() *= radius / length;
  p.z() = std::max(p.z(), 0.0);
  return p;
}

bool try_warm_start_at_rest(const ContactProblem& problem, const ProblemScaling& scaling,
                            const Eigen::VectorXd& warm_start, ContactSolution& solution) {
  // Equilibrium needs impulses to try, and contacts that press without bouncing.
  if (warm_start.size() == 0 || problem.joint_jacobian.rows() > 0) return false;
  const bool bounces = std::find(scaling.may_bounce.begin(), scaling.may_bounce.end(), 1) !=
                       scaling.may_bounce.end();
  if (bounces || !closes_freely(scaling)) return false;
  RestitutionSolution equilibrium;
  equilibrium.total.impulses = in_cones(problem, warm_start);
  if (pushes_what_opens(problem, scaling, equilibrium.total.impulses)) return false;
  equilibrium.bounces.assign(problem.num_contacts(), 0);
  write_solution(problem, scaling, nullptr, equilibrium, solution);
  // write_solution() sets velocities of bodies at rest to zero: all must be.
  return solution.velocity.isZero(0.0);
}

}  // namespace amontons

#include "amontons/models/closed_form/warm_start_equilibrium.h"

#include "amontons/contact/activation.h"
#include "amontons/contact/certificate/law_residual.h"
#include "amontons/contact/marks.h"
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

/// Moves impulses into their cones, which rounding may have left.
void move_into_cones(const ContactProblem& problem, Eigen::VectorXd& impulses) {
  for (std::size_t i = 0; i < problem.num_contacts(); ++i) {
    auto p = impulses.segment<3>(ContactProblem::row(i));
    const Contact& contact = problem.contacts[i];
    p = in_friction_cone(p, contact.friction, contact.friction_offset);
  }
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

/// Returns true if every contact obeys the law to a tolerance, and contacts that open carry
/// nothing. Viscous friction is left to the model.
/// @param u  contact velocities of the solution [3 nc] [m/s].
bool obeys_law(const ContactProblem& problem, const ProblemScaling& scaling,
               const ContactSolution& solution, const Eigen::VectorXd& u, double tolerance) {
  if (law_traits(solution.law.kind).residual != LawResidualKind::NaturalMaps) return false;
  const Eigen::Matrix2Xd directions = directions_of(solution.law);
  for (std::size_t c = 0; c < problem.num_contacts(); ++c) {
    const Index i = static_cast<Index>(c);
    const Contact& contact = problem.contacts[c];
    const Eigen::Vector3d p = solution.impulses.segment<3>(3 * i);
    if (contact.viscous_friction > 0.0) return false;
    const double w = scaling.scales.inverse_mass(i), s = scaling.gap_speeds(i);
    if (!(w > 0.0) || !is_active(solution.law, contact)) {
      if (!p.isZero(0.0)) return false;
      continue;
    }
    const bool opens = u(3 * i + 2) + s > w * p.z();
    if (opens && p.z() > 0.0) return false;
    const ContactState point{p,   u.segment<3>(3 * i),     s,    contact.friction, w,
                             0.0, contact.friction_offset, false};
    const LawResidual residual = law_residual(solution.law.kind, directions, point);
    if (!(std::max(residual.normal, residual.friction) <= tolerance * scaling.scales.speed(i))) {
      return false;
    }
  }
  return true;
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

WarmStartAnswer try_warm_start(const ContactProblem& problem, const ProblemScaling& scaling,
                               const Eigen::VectorXd& warm_start, double tolerance,
                               WarmStartWorkspace& work, ContactSolution& solution) {
  // It needs impulses to try, and contacts that press without bouncing.
  if (warm_start.size() == 0 || problem.joint_jacobian.rows() > 0) return WarmStartAnswer::None;
  const bool bounces = any_marked(scaling.may_bounce);
  if (bounces || !closes_freely(scaling)) return WarmStartAnswer::None;
  RestitutionSolution& last = work.last;
  last.total.impulses = warm_start;
  move_into_cones(problem, last.total.impulses);
  last.bounces.assign(problem.num_contacts(), 0);
  const bool may_rest = !pushes_what_opens(problem, scaling, last.total.impulses);
  write_solution(problem, scaling, nullptr, last, solution, work.contact_velocity);
  // write_solution() sets velocities of bodies at rest to zero: all must be.
  if (solution.velocity.isZero(0.0)) {
    return may_rest ? WarmStartAnswer::Rests : WarmStartAnswer::None;
  }
  const bool holds = obeys_law(problem, scaling, solution, work.contact_velocity, tolerance);
  return holds ? WarmStartAnswer::Moves : WarmStartAnswer::None;
}

}  // namespace amontons

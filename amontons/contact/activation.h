#pragma once

#include "amontons/contact/contact_law.h"
#include "amontons/contact/contact_problem.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace amontons {

/// Returns true if a law applies to a contact: its gap is within the law's activation gap. Joints'
/// rows in the form of contacts are always active.
inline bool is_active(const ContactLaw& law, const Contact& contact) {
  return contact.is_joint_row || contact.gap <= law.activation_gap;
}

/// Returns true if the law `NoSlip` may hold a contact's tangents: it has any friction.
inline bool may_stick(const Contact& contact) {
  return !contact.is_joint_row && contact.friction > 0.0;
}

/// Share of the motion of a step up to which a gap is none, where a law asks for touch at the start
/// of a step [-].
inline constexpr double kTouchingShare = 1e-3;

/// Returns the gap [m] up to which contacts touch at the start of a step: the published laws ask
/// that before any impulse is known. It is a thousandth of the way of one step at rest_speed; at
/// overlap_speed where that is zero, and at the largest free contact speed where neither is given.
/// An impact holds touching contacts alone: there it is infinite.
inline double touching_gap(const ContactProblem& problem) {
  if (!(problem.step > 0.0)) return std::numeric_limits<double>::infinity();
  double speed = problem.rest_speed;
  if (!(speed > 0.0)) speed = problem.overlap_speed;
  if (!std::isfinite(speed) && problem.num_contacts() > 0) {
    const Eigen::VectorXd u = problem.contact_velocities(problem.free_velocity);
    speed = u.lpNorm<Eigen::Infinity>();
  }
  return kTouchingShare * speed * problem.step;
}

}  // namespace amontons

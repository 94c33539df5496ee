#include "amontons/simulation/smooth/contact_force_law.h"

#include "amontons/math/effort.h"
#include "amontons/models/acceleration/acceleration_problem.h"

#include <algorithm>
#include <utility>

namespace amontons {
namespace {

// Effort of the forces of one instant [equivalent factorizations]. Usual: below 10.
constexpr double kMaxEffort = 200.0;

using Eigen::Index;
using Eigen::VectorXd;

constexpr double kAccelerationTolerance =
    1e-7;                                 // share of accelerations within which they are equal
constexpr double kForceRounding = 1e-12;  // rounding, as a share of forces and accelerations

}  // namespace

/// Holds the motion in given modes: forces [3 nc] without drag, vdot [nv] without forces and with
/// them, rates of the contacts [3 nc].
struct ContactForceLaw::Motion {
  explicit Motion(const AccelerationProblem& posed)
      : system(posed.instant), free_acceleration(posed.instant.free_velocity) {}

  ForcesInModes system;
  std::vector<ForceMode> modes;
  VectorXd free_acceleration, acceleration, forces, rate;
};

ContactForces ContactForceLaw::solve(const ContactInstant& instant, double slip_speed) const {
  // The forces of one instant have a limit of their own, and count in the effort of the motion.
  ContactForces result;
  WorkCounts spent;
  {
    const EffortBudget budget(std::min(kMaxEffort, effort_left()));
    result = solve_within_budget(instant, slip_speed);
    spent = budget.spent();
  }
  add_work(spent);
  return result;
}

ContactForces ContactForceLaw::solve_within_budget(const ContactInstant& instant,
                                                   double slip_speed) const {
  // Coulomb's law finds modes itself; viscous friction has only closed and open contacts.
  if (law_ == SustainedContact::CoulombAcceleration) {
    return coulomb_.solve(instant.problem, instant.forces, instant.contact_rate, slip_speed);
  }
  const ViscousAcceleration found = viscous_acceleration(
      instant.problem, instant.forces, instant.contact_rate, VectorXd(0), method_);
  ContactForces result;
  result.status = found.status;
  result.acceleration = found.acceleration;
  result.forces = found.contact_forces;
  result.modes.resize(instant.problem.num_contacts());
  // A contact without acceleration of separation remains closed.
  const double closed =
      kAccelerationTolerance * std::max(1.0, instant.contact_rate.lpNorm<Eigen::Infinity>());
  for (std::size_t c = 0; c < result.modes.size(); ++c) {
    if (found.separation(static_cast<Index>(c)) > closed) continue;
    const double share = found.drag_shares(static_cast<Index>(c));
    if (share > 0.0 && share < 1.0) {
      result.modes[c] = dragged_mode();
    } else {
      result.modes[c].mode = ContactMode::Slide;
      result.modes[c].is_loaded = true;
    }
  }
  return result;
}

/// Returns the modes with the directions of slip and drag of now, while the slip has not reversed.
std::vector<ForceMode> ContactForceLaw::modes_at(const ContactProblem& problem,
                                                 std::vector<ForceMode> modes) const {
  const VectorXd u = problem.contact_velocities(problem.velocity);
  for (std::size_t c = 0; c < modes.size(); ++c) {
    const Eigen::Vector2d slip = u.segment<2>(ContactProblem::row(c));
    if (modes[c].shares_drag) modes[c].drag = -slip.normalized();
    if (modes[c].slip.isZero(0.0) || !(slip.norm() > touching_speed_)) continue;
    if (slip.dot(modes[c].slip) > 0.0) modes[c].slip = slip.normalized();
  }
  return modes;
}

ContactForceLaw::Motion ContactForceLaw::motion_in(const ContactInstant& instant,
                                                   const std::vector<ForceMode>& modes) const {
  // Free rates: J_C M^-1 f + (d J_C/dt) v. Forces in modes keep closed contacts closed.
  // Viscous friction acts where a load does; a share of it is one of the unknown forces.
  VectorXd shares(static_cast<Index>(modes.size()));
  for (std::size_t c = 0; c < modes.size(); ++c) {
    const bool acts = modes[c].mode != ContactMode::Open && !modes[c].shares_drag;
    shares(static_cast<Index>(c)) = acts ? 1.0 : 0.0;
  }
  const AccelerationProblem posed = acceleration_problem(instant.problem, instant.forces,
                                                         instant.contact_rate, VectorXd(0), shares);
  Motion motion(posed);
  motion.modes = modes_at(instant.problem, modes);
  motion.forces =
      motion.system.solve(motion.modes, posed.instant.contact_velocities(motion.free_acceleration));
  motion.acceleration = motion.free_acceleration + motion.system.response(motion.forces);
  motion.rate = posed.instant.contact_velocities(motion.acceleration);
  return motion;
}

VectorXd ContactForceLaw::acceleration(const ContactInstant& instant,
                                       const std::vector<ForceMode>& modes) const {
  return motion_in(instant, modes).acceleration;
}

bool ContactForceLaw::agrees(const ContactInstant& instant,
                             const std::vector<ForceMode>& modes) const {
  const Motion motion = motion_in(instant, modes);
  const double force_scale = kForceRounding * motion.forces.lpNorm<Eigen::Infinity>();
  const double rate_scale =
      kForceRounding * std::max(motion.system.largest_term(motion.free_acceleration),
                                motion.system.largest_term(motion.acceleration));
  // Signs of the law: loads push, open contacts separate, sticking friction is within its bound,
  // and a share of viscous friction between none and all of it.
  const VectorXd u = instant.problem.contact_velocities(instant.problem.velocity);
  bool obeys = true, slides = false;
  for (std::size_t c = 0; c < motion.modes.size(); ++c) {
    const Index row = ContactProblem::row(c);
    const ForceMode& own = motion.modes[c];
    const double mu = instant.problem.contacts[c].friction, load = motion.forces(row + 2);
    const double excess = motion.forces.segment<2>(row).norm() - mu * std::max(load, 0.0);
    obeys = obeys && load >= -force_scale;
    if (own.shares_drag) {
      const double share = motion.forces.segment<2>(row).dot(own.drag);
      const double whole = instant.problem.contacts[c].viscous_friction * u.segment<2>(row).norm();
      obeys = obeys && share >= -force_scale && share <= whole + force_scale;
    }
    if (own.mode == ContactMode::Open) obeys = obeys && motion.rate(row + 2) >= -rate_scale;
    if (own.mode == ContactMode::Stick) obeys = obeys && excess <= force_scale;
    slides = slides || !own.slip.isZero(0.0);
  }
  // Sliding contacts may have another solution, so the law itself must confirm this one.
  if (obeys && !slides) return true;
  const ContactForces found = solve(instant);
  return found.status == SolveStatus::Converged && found.law == SlidingLaw::Determined &&
         (obeys || (found.acceleration - motion.acceleration).lpNorm<Eigen::Infinity>() <=
                       kAccelerationTolerance *
                           std::max(1.0, motion.acceleration.lpNorm<Eigen::Infinity>()));
}

}  // namespace amontons

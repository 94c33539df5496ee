#include "amontons/simulation/energy.h"

#include <algorithm>
#include <cmath>

namespace amontons {

namespace {

void account_bounded_rows(const ContactProblem& problem, const ContactSolution& solution,
                          const Eigen::VectorXd& mean_velocity, EnergyLedger& energy) {
  if (problem.bounded_rows.empty()) return;
  const Eigen::VectorXd u = problem.bounded_jacobian * mean_velocity;
  for (std::size_t i = 0; i < problem.bounded_rows.size(); ++i) {
    const Eigen::Index row = static_cast<Eigen::Index>(i);
    const double p = solution.bounded_impulses(row), work = p * u(row);
    switch (problem.bounded_rows[i].kind) {
      case BoundedRowKind::Friction:
      case BoundedRowKind::Damper:
        energy.joint_friction += work;
        break;
      case BoundedRowKind::Servo:
        energy.actuators += work;
        break;
      case BoundedRowKind::Spring:
        energy.springs += work;
        break;
      case BoundedRowKind::Limit:
        if (solution.bounded_modes[i] == ContactMode::Impact) {
          energy.impacts += work;
        } else {
          const double stabilization = p * std::max(0.0, -problem.bounded_offset(i));
          energy.contact_normal += work - stabilization;
          energy.stabilization += stabilization;
        }
    }
  }
}

}  // namespace

EnergyLedger account_energy(const ContactProblem& problem, const ContactSolution& solution,
                            const FreeMotion& free_motion, double kinetic_before,
                            double kinetic_after, double potential_after) {
  EnergyLedger energy;
  energy.kinetic = kinetic_after;
  energy.potential = potential_after;
  const Eigen::VectorXd mean_velocity = 0.5 * (problem.velocity + solution.velocity);
  energy.gravity = mean_velocity.dot(free_motion.gravity_impulse);
  const Eigen::VectorXd actuation = free_motion.actuation_impulse + free_motion.servo_impulse -
                                    free_motion.servo_gain.cwiseProduct(solution.velocity);
  energy.actuators = mean_velocity.dot(actuation);
  energy.springs = mean_velocity.dot(free_motion.spring_impulse -
                                     free_motion.spring_gain.cwiseProduct(solution.velocity));
  energy.joint_friction = mean_velocity.dot(
      free_motion.friction_impulse - free_motion.damper_gain.cwiseProduct(solution.velocity));

  const Eigen::VectorXd contact_velocity = problem.contact_jacobian * mean_velocity;
  for (std::size_t i = 0; i < problem.num_contacts(); ++i) {
    const Eigen::Index row = ContactProblem::row(i);
    const Eigen::Vector3d p = solution.impulses.segment<3>(row);
    const Eigen::Vector3d u = contact_velocity.segment<3>(row);
    const double stabilization = p.z() * std::max(0.0, -problem.stabilized_gap(i));
    energy.contact_friction += p.head<2>().dot(u.head<2>());
    if (solution.modes[i] == ContactMode::Impact) {
      energy.impacts += p.z() * u.z();
    } else {
      energy.contact_normal += p.z() * u.z() - stabilization;
      energy.stabilization += stabilization;
    }
  }
  account_bounded_rows(problem, solution, mean_velocity, energy);
  // Loop joints do no work of their own: what they do is the stabilization's.
  if (solution.joint_impulses.size() > 0) {
    energy.stabilization += solution.joint_impulses.dot(problem.joint_jacobian * mean_velocity);
  }
  energy.unexplained = kinetic_after - kinetic_before - energy.gravity - energy.actuators -
                       energy.contact_normal - energy.contact_friction - energy.impacts -
                       energy.stabilization - energy.springs - energy.joint_friction;
  return energy;
}

}  // namespace amontons

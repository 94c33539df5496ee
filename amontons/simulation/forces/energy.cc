#include "amontons/simulation/forces/energy.h"

#include "amontons/math/step_times.h"

#include <algorithm>
#include <cmath>

namespace amontons {

namespace {

/// Adds the work of bounded rows to the ledger. Returns the work of springs, because the ledger
/// counts the loss of their potential energy.
double account_bounded_rows(const ContactProblem& problem, const ContactSolution& solution,
                            const Eigen::VectorXd& mean_velocity, EnergyLedger& energy) {
  if (problem.bounded_rows.empty()) return 0.0;
  double of_springs = 0.0;
  const Eigen::VectorXd u = problem.bounded_jacobian * mean_velocity;
  for (std::size_t i = 0; i < problem.bounded_rows.size(); ++i) {
    const Eigen::Index row = static_cast<Eigen::Index>(i);
    // Work p u of each row, with the mean velocity u.
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
        of_springs += work;
        break;
      case BoundedRowKind::Limit:
        if (solution.bounded_modes[i] == ContactMode::Impact) {
          energy.impacts += work;
        } else {
          // A limit acts like a contact: the speed that removes an overlap is stabilization.
          const double stabilization = p * std::max(0.0, -problem.bounded_offset(i));
          energy.contact_normal += work - stabilization;
          energy.stabilization += stabilization;
        }
    }
  }
  return of_springs;
}

/// Returns the work of the damping of coupled trees at a velocity v along u [J].
double damping_work(const FreeMotion& free_motion, const Eigen::VectorXd& u,
                    const Eigen::VectorXd& v) {
  if (free_motion.inertial_damping.empty()) return 0.0;
  return u.dot(free_motion.inertial_damping_impulse(v));
}

/// Returns the work of the finite step length, by the formula of the header. Forces act at the mean
/// velocity instead of along the path, and M is constant while the configuration changes.
/// spring_rows: work of the springs that are bounded rows [J].
double integration_work(const ContactProblem& problem, const ContactSolution& solution,
                        const FreeMotion& free_motion, const StoredEnergy& before,
                        const StoredEnergy& after, double spring_rows, EnergyWorkspace& work) {
  const Eigen::VectorXd& mean_velocity = work.mean_velocity;
  const Eigen::VectorXd& v_end = solution.velocity;
  // u'h f - (V - V+), for gravity and springs.
  const double of_forces =
      mean_velocity.dot(free_motion.gravity_impulse + free_motion.spring_impulse -
                        free_motion.spring_gain.cwiseProduct(v_end)) +
      spring_rows + after.potential() - before.potential();
  // u'M (v+ - v); M of the problem contains servos, springs, dampers and the damping of coupled
  // trees, which are no inertia.
  Eigen::VectorXd& change = work.change;
  change = v_end - problem.velocity;
  problem.mass_matrix.times(change, work.momentum);
  const double of_velocity =
      mean_velocity.dot(work.momentum -
                        (free_motion.servo_gain + free_motion.spring_gain + free_motion.damper_gain)
                            .cwiseProduct(change)) +
      damping_work(free_motion, mean_velocity, change);
  // T(q+, v+) - T(q, v) - u'M (v+ - v) - u'h C v.
  const double of_inertia = mean_velocity.dot(free_motion.inertial_impulse) +
                            damping_work(free_motion, mean_velocity, v_end) + after.kinetic -
                            before.kinetic - of_velocity;
  return of_forces + of_inertia;
}

/// Adds the work of rows of J. Loop joints and couplings do no work of their own, so that all of
/// theirs is stabilization. A prescribed motion does work; only the correction of its position is
/// stabilization.
void account_joint_rows(const System& system, const ContactProblem& problem,
                        const ContactSolution& solution, const Eigen::VectorXd& mean_velocity,
                        EnergyLedger& energy) {
  if (solution.joint_impulses.size() == 0) return;
  const Eigen::VectorXd work =
      solution.joint_impulses.cwiseProduct(problem.joint_jacobian * mean_velocity);
  const auto num_prescribed = static_cast<Eigen::Index>(system.prescribed().size());
  const Eigen::VectorXd correction = problem.joint_target() + problem.joint_bias;
  const double corrected =
      solution.joint_impulses.tail(num_prescribed).dot(correction.tail(num_prescribed));
  energy.stabilization += work.head(work.size() - num_prescribed).sum() + corrected;
  energy.actuators += work.tail(num_prescribed).sum() - corrected;
}

}  // namespace

/// Sums over all trees and joints.
StoredEnergy stored_energy(const System& system, const SystemKinematics& kinematics) {
  return {kinetic_energy(system, kinematics), gravity_energy(system, kinematics),
          spring_energy(system, kinematics)};
}

EnergyLedger account_energy(const System& system, const ContactProblem& problem,
                            const ContactSolution& solution, const FreeMotion& free_motion,
                            const StepEnergies& energies) {
  EnergyWorkspace work;
  return account_energy(system, problem, solution, free_motion, energies, work);
}

EnergyLedger account_energy(const System& system, const ContactProblem& problem,
                            const ContactSolution& solution, const FreeMotion& free_motion,
                            const StepEnergies& energies, EnergyWorkspace& work) {
  const TimedPart part(StepPart::Certificate);
  const auto& [before, moved, after] = energies;
  EnergyLedger energy;
  energy.kinetic = after.kinetic;
  energy.potential = after.potential();
  // u = (v + v+)/2 makes u'M (v+ - v) the exact change of v'M v/2.
  Eigen::VectorXd& mean_velocity = work.mean_velocity;
  mean_velocity = 0.5 * (problem.velocity + solution.velocity);
  energy.gravity = before.gravity - after.gravity;
  energy.springs = before.springs - after.springs;
  // Drives: explicit impulses plus the implicit ones at v+.
  energy.actuators = mean_velocity.dot(free_motion.actuation_impulse + free_motion.servo_impulse -
                                       free_motion.servo_gain.cwiseProduct(solution.velocity));
  energy.joint_friction = mean_velocity.dot(
      free_motion.friction_impulse - free_motion.damper_gain.cwiseProduct(solution.velocity));

  // Contacts: tangential work is friction. Normal work is an impact's, or the load's less
  // stabilization.
  Eigen::VectorXd& contact_velocity = work.contact_velocity;
  problem.contact_jacobian.times(mean_velocity, contact_velocity);
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
  // Rows of joints.
  const double spring_rows = account_bounded_rows(problem, solution, mean_velocity, energy);
  account_joint_rows(system, problem, solution, mean_velocity, energy);
  energy.integration =
      integration_work(problem, solution, free_motion, before, moved, spring_rows, work);
  energy.stabilization += after.total() - moved.total();
  // A balance: rounding remains if impulses and velocities belong together.
  energy.unexplained = after.kinetic - before.kinetic - energy.gravity - energy.springs -
                       energy.actuators - energy.contact_normal - energy.contact_friction -
                       energy.joint_friction - energy.impacts - energy.stabilization -
                       energy.integration;
  return energy;
}

}  // namespace amontons

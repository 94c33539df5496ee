#include "amontons/simulation/forces/smooth_forces.h"

#include "amontons/simulation/forces/mean_wrench.h"
#include "amontons/simulation/system/tendon_length.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <limits>

namespace amontons {
namespace {

using Eigen::Matrix3d;

/// Returns true if an entry of v belongs to the tree.
bool is_rate_of(const System& system, int v_index, int articulation) {
  return v_index >= 0 && system.articulation_of(v_index) == articulation;
}

/// Returns true if a body belongs to the tree.
bool is_body_of(const System& system, int body, int articulation) {
  return body >= 0 && system.bodies()[static_cast<std::size_t>(body)].articulation == articulation;
}

/// Holds the gains of servos, springs and dampers per unit of position and of rate, along each
/// coordinate.
struct Gains {
  Eigen::VectorXd position, rate;
};

/// Returns the gains along a tree's coordinates.
Gains gains_of(const System& system, int articulation) {
  const int v0 = system.v_offset(articulation);
  const Eigen::Index n =
      system.articulations()[static_cast<std::size_t>(articulation)].num_velocities();
  Gains gains{Eigen::VectorXd::Zero(n), Eigen::VectorXd::Zero(n)};
  for (const ServoDrive& servo : system.servos()) {
    if (!is_rate_of(system, servo.v_index, articulation)) continue;
    gains.position[servo.v_index - v0] += servo.kp;
    gains.rate[servo.v_index - v0] += servo.kd;
  }
  for (const CoordinateDynamics& own : system.coordinate_dynamics()) {
    if (!is_rate_of(system, own.v_index, articulation)) continue;
    gains.position[own.v_index - v0] += own.dynamics.stiffness;
    gains.rate[own.v_index - v0] += own.dynamics.viscous_friction;
  }
  return gains;
}

/// Returns the largest eigenvalue of M^-1 diag(gain), gain >= 0.
double largest_eigenvalue(const Eigen::MatrixXd& inverse, const Eigen::VectorXd& gain) {
  if (gain.isZero(0.0)) return 0.0;
  // M^-1 G is similar to the symmetric G^1/2 M^-1 G^1/2.
  const Eigen::VectorXd root = gain.cwiseSqrt();
  const Eigen::MatrixXd similar = root.asDiagonal() * inverse * root.asDiagonal();
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(similar, Eigen::EigenvaluesOnly)
      .eigenvalues()
      .maxCoeff();
}

/// Returns true if a wrench acts on a body of the tree.
bool any_pushes(const System& system, const std::vector<WrenchDrive>& wrenches, int articulation) {
  return std::any_of(wrenches.begin(), wrenches.end(), [&](const WrenchDrive& wrench) {
    return is_body_of(system, wrench.body, articulation);
  });
}

}  // namespace

bool is_smooth(const System& system, int articulation, JointFriction friction) {
  // Rows of J need multipliers at every instant.
  for (const LoopJoint& joint : system.loop_joints()) {
    if (!joint.is_attached) continue;
    if (is_body_of(system, joint.body_a, articulation) ||
        is_body_of(system, joint.body_b, articulation)) {
      return false;
    }
  }
  for (const LoopCoordinateSite& site : system.loop_coordinates()) {
    for (const WeighedCoordinate& term : site.terms) {
      if (is_rate_of(system, term.place.v_index, articulation)) return false;
    }
    for (const int body : bodies_of_path(site)) {
      if (is_body_of(system, body, articulation)) return false;
    }
  }
  for (const MuscleDrive& muscle : system.muscles()) {
    if (is_rate_of(system, muscle.v_index, articulation)) return false;
  }
  for (const CoordinateCoupling& coupling : system.couplings()) {
    if (is_rate_of(system, coupling.a.v_index, articulation) ||
        (coupling.b && is_rate_of(system, coupling.b->v_index, articulation))) {
      return false;
    }
  }
  for (const PrescribedCoordinate& own : system.prescribed()) {
    if (is_rate_of(system, own.place.v_index, articulation)) return false;
  }
  // A wrench that turns with what is not part of the tree.
  for (const WrenchDrive& wrench : system.wrenches()) {
    if (!is_body_of(system, wrench.body, articulation) || wrench.axes < 0) continue;
    const Body& axes = system.bodies()[static_cast<std::size_t>(wrench.axes)];
    const bool is_at_rest = axes.articulation < 0 && axes.motion < 0;
    if (!is_at_rest && axes.articulation != articulation) return false;
  }
  for (const CoordinateDynamics& own : system.coordinate_dynamics()) {
    if (!is_rate_of(system, own.v_index, articulation)) continue;
    const JointDynamics& d = own.dynamics;
    // Dry friction makes the force discontinuous in the rate.
    const bool has_dry_friction = d.coulomb_friction > 0.0 ||
                                  (d.viscous_friction > 0.0 && friction != JointFriction::Coupled);
    if (has_dry_friction) return false;
  }
  return true;
}

void compute_smooth_forces(const System& system, int articulation,
                           const ArticulationKinematics& kinematics,
                           const Eigen::Ref<const Eigen::VectorXd>& q,
                           const Eigen::Ref<const Eigen::VectorXd>& v, double time,
                           Eigen::VectorXd& forces) {
  const Articulation& tree = system.articulations()[static_cast<std::size_t>(articulation)];
  const int v0 = system.v_offset(articulation), q0 = system.q_offset(articulation);
  // Efforts, then springs and dampers, then wrenches, each at the instant `time`.
  forces = system.commands().effort.segment(v0, tree.num_velocities());
  for (const EffortDrive& drive : system.efforts()) {
    if (!is_rate_of(system, drive.v_index, articulation)) continue;
    forces[drive.v_index - v0] += drive.table ? drive.table->value(time) : drive.effort;
  }
  for (const CoordinateDynamics& own : system.coordinate_dynamics()) {
    if (!is_rate_of(system, own.v_index, articulation)) continue;
    const JointDynamics& d = own.dynamics;
    forces[own.v_index - v0] -= d.viscous_friction * v[own.v_index - v0];
    if (d.stiffness == 0.0) continue;
    forces[own.v_index - v0] -= d.stiffness * (q[own.q_index - q0] - d.rest_position);
  }
  const auto pose_of = [&](int index) {
    const Body& body = system.bodies()[static_cast<std::size_t>(index)];
    if (body.articulation < 0) return body.X_LB;
    return kinematics.X_WB[static_cast<std::size_t>(body.link)] * body.X_LB;
  };
  const auto add = [&](const WrenchDrive& wrench) {
    if (!is_body_of(system, wrench.body, articulation)) return;
    // J' (torque, force). The axes are those of this tree or of what is fixed (is_smooth()).
    Matrix3d R_WA = Matrix3d::Identity();
    if (wrench.axes >= 0) R_WA = pose_of(wrench.axes).rotation;
    const Eigen::Vector3d at_W = pose_of(wrench.body) * wrench.at_B;
    const int link = system.bodies()[static_cast<std::size_t>(wrench.body)].link;
    forces +=
        tree.frame_jacobian(kinematics, link, at_W).transpose() * wrench_at_W(wrench, R_WA, time);
  };
  for (const WrenchDrive& wrench : system.wrenches()) add(wrench);
  for (const WrenchDrive& wrench : system.commands().wrenches) add(wrench);
}

bool has_drives(const System& system, int articulation) {
  const auto any_acts = [&](const auto& drives) {
    return std::any_of(drives.begin(), drives.end(), [&](const auto& drive) {
      return is_rate_of(system, drive.v_index, articulation);
    });
  };
  return any_acts(system.efforts()) || any_acts(system.servos()) ||
         any_acts(system.coordinate_dynamics()) ||
         any_pushes(system, system.wrenches(), articulation);
}

bool has_commands(const System& system, int articulation) {
  const Eigen::Index n =
      system.articulations()[static_cast<std::size_t>(articulation)].num_velocities();
  return !system.commands().effort.segment(system.v_offset(articulation), n).isZero(0.0) ||
         any_pushes(system, system.commands().wrenches, articulation);
}

double next_instant_of_tables(const System& system, int articulation, double time) {
  double next = std::numeric_limits<double>::infinity();
  for (const ServoDrive& servo : system.servos()) {
    if (!servo.trajectory || !is_rate_of(system, servo.v_index, articulation)) continue;
    next = std::min(next, servo.trajectory->next_instant(time));
  }
  for (const EffortDrive& drive : system.efforts()) {
    if (!drive.table || !is_rate_of(system, drive.v_index, articulation)) continue;
    next = std::min(next, drive.table->next_instant(time));
  }
  for (const WrenchDrive& wrench : system.wrenches()) {
    if (!is_body_of(system, wrench.body, articulation)) continue;
    for (const Trajectory& table : wrench.table) next = std::min(next, table.next_instant(time));
  }
  return next;
}

bool has_gains(const System& system, int articulation) {
  const Gains gains = gains_of(system, articulation);
  return !gains.position.isZero(0.0) || !gains.rate.isZero(0.0);
}

double longest_stable_step(const System& system, int articulation,
                           const Eigen::Ref<const Eigen::MatrixXd>& M) {
  constexpr double kStable = 2.5;  // radius of stability, a little below 2.6
  const Gains gains = gains_of(system, articulation);
  const Eigen::MatrixXd inverse =
      M.selfadjointView<Eigen::Lower>().llt().solve(Eigen::MatrixXd::Identity(M.rows(), M.cols()));
  // Fastest rate of the scalar equation x'' + d x' + k x = 0.
  const double half = 0.5 * largest_eigenvalue(inverse, gains.rate);
  const double fastest =
      half + std::sqrt(half * half + largest_eigenvalue(inverse, gains.position));
  return fastest > 0.0 ? kStable / fastest : std::numeric_limits<double>::infinity();
}

}  // namespace amontons

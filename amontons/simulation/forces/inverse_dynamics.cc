#include "amontons/simulation/forces/inverse_dynamics.h"

#include "amontons/simulation/system/kinematics.h"
#include "amontons/simulation/system/orientations.h"

#include <stdexcept>
#include <vector>

namespace amontons {
namespace {

/// Marks the trees whose weight is carried, since a program has parked them [articulations].
std::vector<char> parked_trees(const System& system) {
  std::vector<char> result(system.articulations().size(), 0);
  for (std::size_t b = 0; b < system.bodies().size(); ++b) {
    if (system.is_parked(static_cast<int>(b)))
      result[static_cast<std::size_t>(system.bodies()[b].articulation)] = 1;
  }
  return result;
}

}  // namespace

Eigen::VectorXd inverse_dynamics(const System& system, const Eigen::Ref<const Eigen::VectorXd>& q,
                                 const Eigen::Ref<const Eigen::VectorXd>& v,
                                 const Eigen::Ref<const Eigen::VectorXd>& vdot) {
  const Eigen::Index nv = system.num_velocities();
  if (q.size() != system.num_positions() || v.size() != nv || vdot.size() != nv) {
    throw std::invalid_argument("inverse dynamics: q must have " +
                                std::to_string(system.num_positions()) + " entries, v and vdot " +
                                std::to_string(nv));
  }
  if (!q.allFinite() || !v.allFinite() || !vdot.allFinite()) {
    throw std::invalid_argument("inverse dynamics: q, v and vdot must be finite");
  }
  require_orientations(system, q);
  SystemKinematics kinematics;
  compute_kinematics(system, q, v, 0.0, kinematics);
  const std::vector<char> is_parked = parked_trees(system);
  Eigen::VectorXd forces(nv);
  for (std::size_t a = 0; a < system.articulations().size(); ++a) {
    const Articulation& tree = system.articulations()[a];
    const Eigen::Index v0 = system.v_offset(static_cast<int>(a)), n = tree.num_velocities();
    const Eigen::Vector3d gravity =
        is_parked[a] ? Eigen::Vector3d(0.0, 0.0, 0.0) : system.gravity();
    // M vdot + C v - gravity, by recursive Newton-Euler.
    forces.segment(v0, n) =
        tree.inverse_dynamics(kinematics.trees[a], v.segment(v0, n), vdot.segment(v0, n), gravity);
  }
  for (const CoordinateDynamics& coordinate : system.coordinate_dynamics()) {
    if (coordinate.loop >= 0) continue;  // forces along rows of J are no efforts along v
    // Springs and dampers oppose the motion, so that actuators must overcome them.
    const JointDynamics& d = coordinate.dynamics;
    forces[coordinate.v_index] += d.viscous_friction * v[coordinate.v_index];
    if (d.stiffness == 0.0) continue;
    forces[coordinate.v_index] += d.stiffness * (q[coordinate.q_index] - d.rest_position);
  }
  return forces;
}

Eigen::VectorXd gravity_compensation(const System& system,
                                     const Eigen::Ref<const Eigen::VectorXd>& q) {
  const Eigen::VectorXd still = Eigen::VectorXd::Zero(system.num_velocities());
  return inverse_dynamics(system, q, still, still);
}

}  // namespace amontons

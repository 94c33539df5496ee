#pragma once

#include "amontons/dynamics/articulation.h"
#include "tests/dynamics/random_tree.h"

#include <Eigen/Cholesky>

namespace amontons::test {

/// Returns vdot of an unloaded tree: M vdot = gravity - bias.
inline Eigen::VectorXd free_acceleration(const Articulation& tree, const Eigen::VectorXd& q,
                                         const Eigen::VectorXd& v, const Eigen::Vector3d& gravity) {
  const ArticulationKinematics kinematics = kinematics_at(tree, q, v);
  const Eigen::VectorXd forces =
      tree.gravity_forces(kinematics, gravity) - tree.bias_forces(kinematics, v);
  return tree.mass_matrix(kinematics).llt().solve(forces);
}

/// Returns the derivative at zero of a smooth function of time, by central differences of fourth
/// order.
template <typename Function>
Eigen::VectorXd derivative_at_zero(const Function& function, double step) {
  const Eigen::VectorXd near = function(step) - function(-step);
  const Eigen::VectorXd far = function(2.0 * step) - function(-2.0 * step);
  return (8.0 * near - far) / (12.0 * step);
}

/// Returns dV_WB/dt of a link under the given acceleration, by differences along the motion.
inline Eigen::VectorXd link_acceleration(const Articulation& tree, const Eigen::VectorXd& q,
                                         const Eigen::VectorXd& v,
                                         const Eigen::VectorXd& acceleration, std::size_t link) {
  return derivative_at_zero(
      [&](double t) -> Eigen::VectorXd {
        return kinematics_at(tree, tree.integrate(q, v, t), v + t * acceleration).V_WB[link];
      },
      1e-3);
}

}  // namespace amontons::test

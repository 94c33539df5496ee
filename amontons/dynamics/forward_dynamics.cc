#include "amontons/dynamics/forward_dynamics.h"

#include "amontons/math/tree_factor.h"

#include <stdexcept>
#include <string>

namespace amontons {

void forward_dynamics(const Articulation& tree, const ArticulationKinematics& kinematics,
                      const Eigen::Ref<const Eigen::VectorXd>& v,
                      const Eigen::Ref<const Eigen::VectorXd>& forces,
                      const Eigen::Vector3d& gravity, DynamicsWorkspace& work,
                      Eigen::Ref<Eigen::VectorXd> acceleration) {
  const Eigen::Index n = tree.num_velocities();
  work.factor.resize(n, n);
  work.bias.resize(n);
  // M = L' L along the branches of the tree, without fill-in.
  tree.lower_mass_matrix(kinematics, work.factor);
  const TreeParents parents{tree.dof_parents()};
  const int bad = factor_tree(work.factor, parents);
  if (bad >= 0) {
    throw std::domain_error("forward dynamics: the mass matrix is not positive definite at rate " +
                            std::to_string(bad) + " of '" + tree.links()[0].name + "'");
  }
  // vdot = L^-1 L^-T (forces - bias).
  tree.bias_forces(kinematics, v, gravity, work.newton, work.bias);
  acceleration = forces - work.bias;
  solve_transposed_tree(work.factor, parents, acceleration);
  solve_tree(work.factor, parents, acceleration);
}

}  // namespace amontons

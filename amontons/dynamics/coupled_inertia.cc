#include "amontons/dynamics/coupled_inertia.h"

#include "amontons/dynamics/linear_momentum.h"

namespace amontons {

Eigen::VectorXd coupled_inertial_impulse(const Articulation& tree,
                                         const ArticulationKinematics& kinematics,
                                         const Eigen::Ref<const Eigen::VectorXd>& q,
                                         const Eigen::Ref<const Eigen::VectorXd>& v,
                                         const Eigen::Ref<const Eigen::VectorXd>& w,
                                         const Eigen::Ref<const Eigen::MatrixXd>& M, double h) {
  // A single coordinate has a constant mass.
  const Eigen::Index n = tree.num_velocities();
  if (n == 1) return Eigen::VectorXd::Zero(1);
  // What the motion h w changes of energy and momentum.
  ArticulationKinematics at_end;
  tree.compute_motion(tree.integrate(q, w, h), w, at_end);
  const Eigen::VectorXd momentum = M * w;
  const LinearCoordinates linear = linear_coordinates(tree);
  const InertiaChange change{
      tree.kinetic_energy(at_end) - 0.5 * w.dot(momentum),
      linear_momentum(tree, at_end, linear) - momentum.segment(linear.first, linear.count)};
  const Eigen::VectorXd mean = 0.5 * (v + w);
  Eigen::VectorXd impulse = -h * tree.bias_forces(kinematics, mean);
  balance_inertia(M, Eigen::MatrixXd::Identity(n, n).middleCols(linear.first, linear.count), mean,
                  change, impulse);
  return impulse;
}

}  // namespace amontons

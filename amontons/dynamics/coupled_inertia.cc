#include "amontons/dynamics/coupled_inertia.h"

namespace amontons {

const Eigen::VectorXd& coupled_inertial_impulse(const Articulation& tree,
                                                const ArticulationKinematics& kinematics,
                                                const Eigen::Ref<const Eigen::VectorXd>& q,
                                                const Eigen::Ref<const Eigen::VectorXd>& v,
                                                const Eigen::Ref<const Eigen::VectorXd>& w,
                                                const Eigen::Ref<const Eigen::MatrixXd>& M,
                                                double h, InertialWorkspace& work) {
  // A single coordinate has a constant mass.
  const Eigen::Index n = tree.num_velocities();
  work.impulse.setZero(n);
  work.bias.setZero(n);
  if (n == 1) return work.impulse;
  // What the motion h w changes of energy and momentum.
  work.q_end.resize(q.size());
  tree.integrate(q, w, h, work.q_end);
  tree.compute_motion(work.q_end, w, work.at_end);
  work.other.noalias() = M * w;
  const LinearCoordinates linear = linear_coordinates(tree);
  const InertiaChange change{
      tree.kinetic_energy(work.at_end) - 0.5 * w.dot(work.other),
      linear_momentum(tree, work.at_end, linear) - work.other.segment(linear.first, linear.count)};
  work.middle = 0.5 * (v + w);
  tree.bias_forces(kinematics, work.middle, Eigen::Vector3d::Zero(), work.newton, work.bias);
  work.impulse = -h * work.bias;
  work.translations.setZero(n, linear.count);
  for (Eigen::Index k = 0; k < linear.count; ++k) work.translations(linear.first + k, k) = 1.0;
  balance_inertia(M, work.translations, work.middle, change, work.other, work.step, work.impulse);
  return work.impulse;
}

}  // namespace amontons

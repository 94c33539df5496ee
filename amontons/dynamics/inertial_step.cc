#include "amontons/dynamics/inertial_step.h"

#include "amontons/dynamics/divided_step.h"
#include "amontons/dynamics/energy_factor.h"
#include "amontons/dynamics/linear_momentum.h"

namespace amontons {
SolveStatus inertial_step(const Articulation& tree, const ArticulationKinematics& kinematics,
                          const Eigen::Ref<const Eigen::VectorXd>& q,
                          const Eigen::Ref<const Eigen::VectorXd>& v,
                          const Eigen::Ref<const Eigen::MatrixXd>& M, double h,
                          InertialWorkspace& work, Eigen::Ref<Eigen::VectorXd> v_end) {
  // A single coordinate has a constant mass, and nothing changes at rest or in an impact.
  v_end = v;
  if (tree.num_velocities() == 1 || h == 0.0 || v.isZero(0.0)) return SolveStatus::Converged;

  // Velocities relative to the center of mass, whose own velocity no inertial force changes.
  const LinearCoordinates linear = linear_coordinates(tree);
  const auto own = [&linear](Eigen::VectorXd& x) { return x.segment(linear.first, linear.count); };
  Eigen::VectorXd center_velocity;
  work.start = v;
  if (linear.count > 0) {
    const double mass = M(linear.first, linear.first);
    center_velocity = M.middleRows(linear.first, linear.count) * v / mass;
    own(work.start) -= center_velocity;
  }
  // Inertial forces at the mean velocity.
  const Eigen::VectorXd no_gain;
  MotionEquation equation(tree, kinematics, M, no_gain, work);
  Eigen::VectorXd x;
  constexpr int kParts = 16, kPartsOfBody = 4096;
  const int max_parts = tree.num_links() == 1 ? kPartsOfBody : kParts;
  const SolveStatus status = solve_in_parts(equation, work.start, h, x, max_parts);

  // The factor s keeps the energy, and the center of mass is at rest at the end, too.
  LinearMomentum momentum;
  work.middle.noalias() = M * work.start;
  const double energy = 0.5 * work.start.dot(work.middle);
  work.q_end.resize(q.size());
  const double s = energy_factor(energy, [&](double factor) {
    tree.integrate(q, x, h * factor, work.q_end);
    tree.compute_motion(work.q_end, x, work.at_end);
    double energy_of_x = tree.kinetic_energy(work.at_end);
    if (linear.count > 0) {
      momentum = linear_momentum(tree, work.at_end, linear);
      energy_of_x -= 0.5 * momentum.squaredNorm() / M(linear.first, linear.first);
    }
    return energy_of_x;
  });
  if (linear.count > 0) own(x) -= momentum / M(linear.first, linear.first);
  x *= s;
  if (linear.count > 0) own(x) += center_velocity;
  v_end = x;
  return status;
}

}  // namespace amontons

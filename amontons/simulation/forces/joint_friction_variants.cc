#include "amontons/simulation/forces/joint_friction_variants.h"

#include "amontons/optimization/qp/box_qp.h"

#include <cmath>
#include <vector>

namespace amontons {

void add_explicit_friction(const System& system, const Eigen::Ref<const Eigen::VectorXd>& v,
                           double h, FreeMotion& motion) {
  for (const CoordinateDynamics& own : system.coordinate_dynamics()) {
    if (own.loop >= 0) continue;
    const double rate = v[own.v_index];
    // At rest dry friction is zero in this form; it cannot hold a joint.
    const double sign = rate > 0.0 ? 1.0 : rate < 0.0 ? -1.0 : 0.0;
    motion.friction_impulse[own.v_index] -=
        h * (own.dynamics.viscous_friction * rate + own.dynamics.coulomb_friction * sign);
  }
}

void add_box_friction(const System& system, const BlockDiagonalFactor& factor, Eigen::Index v0,
                      const Eigen::Ref<const Eigen::VectorXd>& v, double h, FreeMotion& motion) {
  const Eigen::Index n = factor.size();
  // Only joints with friction have a variable.
  std::vector<Eigen::Index> joints;
  std::vector<double> bounds;
  for (const CoordinateDynamics& own : system.coordinate_dynamics()) {
    if (own.v_index < v0 || own.v_index >= v0 + n) continue;
    const double bound = h * (own.dynamics.coulomb_friction +
                              own.dynamics.viscous_friction * std::abs(v[own.v_index]));
    if (!(bound > 0.0)) continue;
    joints.push_back(own.v_index - v0);
    bounds.push_back(bound);
  }
  if (joints.empty()) return;
  // min 1/2 x'H^-1 x + x'v_free within the bounds, H^-1 restricted to these joints.
  Eigen::MatrixXd inverse = Eigen::MatrixXd::Identity(n, n);
  factor.solve_in_place(inverse);
  BoxQuadraticProgram program;
  program.H = inverse(joints, joints);
  program.H = 0.5 * (program.H + program.H.transpose()).eval();
  program.g = motion.velocity.segment(v0, n)(joints);
  program.upper =
      Eigen::Map<const Eigen::VectorXd>(bounds.data(), static_cast<Eigen::Index>(bounds.size()));
  program.lower = -program.upper;
  const BoxQpSolution solution = solve_gpcg(program, {.tolerance = 1e-14});
  // v_free + H^-1 x.
  Eigen::VectorXd impulse = Eigen::VectorXd::Zero(n);
  impulse(joints) = solution.x;
  motion.friction_impulse.segment(v0, n) = impulse;
  motion.velocity.segment(v0, n) += inverse * impulse;
}

}  // namespace amontons

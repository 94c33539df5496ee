#include "amontons/simulation/forces/tree_inertia.h"

#include "amontons/dynamics/coupled_inertia.h"
#include "amontons/dynamics/driven_step.h"
#include "amontons/dynamics/inertial_step.h"
#include "amontons/dynamics/linear_momentum.h"

#include <cmath>

namespace amontons {
namespace {

/// Expects the velocity w at the end of the step of a tree, `end` of the workspace, from its forces
/// and what rows are expected to give (dynamics/driven_step.h). A stop that was loaded and is not
/// left holds its coordinate, by a gain far above the inertia there. Returns false where nothing is
/// expected of the tree: its inertial forces are then those of its motion alone.
bool expect_velocity(const Articulation& tree, const ArticulationKinematics& at,
                     const Eigen::Ref<const Eigen::VectorXd>& q,
                     const Eigen::Ref<const Eigen::VectorXd>& v, Eigen::Index v0, double h,
                     const Eigen::VectorXd& stops, const Eigen::Ref<const Eigen::MatrixXd>& M,
                     FreeMotion& motion) {
  // Share of the speed that a stop has taken, below which its coordinate does not leave it [-].
  constexpr double kLeaving = 1e-3;
  // A single coordinate has a constant mass, and nothing changes at rest or in an impact.
  const Eigen::Index n = tree.num_velocities();
  if (n == 1 || is_single_body(tree) || h == 0.0 || v.isZero(0.0)) return false;
  const auto own = Eigen::seqN(v0, n);
  Eigen::VectorXd &gain = motion.inertial_work.gain, &impulse = motion.inertial_work.given;
  gain = motion.spring_gain(own) + motion.damper_gain(own) + motion.servo_gain(own) +
         motion.expected_gain(own);
  motion.inertial_work.friction = motion.expected_friction(own);
  impulse = motion.actuation_impulse(own) + motion.spring_impulse(own) + motion.servo_impulse(own) +
            motion.friction_impulse(own) + motion.expected_impulse(own);
  // Gravity moves a floating tree as a whole.
  const bool falls = linear_coordinates(tree).count == 3 || motion.gravity_impulse(own).isZero(0.0);
  if (falls && impulse.isZero(0.0) && gain.isZero(0.0) && stops(own).isZero(0.0) &&
      motion.inertial_work.friction.isZero(0.0))
    return false;
  impulse += motion.gravity_impulse(own);
  for (Eigen::Index i = 0; i < n; ++i) {
    const double stop = stops[v0 + i], leaving = stop > 0.0 ? v[i] : -v[i];
    if (stop != 0.0 && leaving * M(i, i) <= kLeaving * std::abs(stop))
      gain[i] += kHoldingGain * M(i, i);
  }
  return driven_step(tree, at, q, v, M, h, motion.inertial_work);
}

}  // namespace

void compute_tree_inertia(const Articulation& tree, const ArticulationKinematics& at,
                          std::size_t place, const Eigen::Ref<const Eigen::VectorXd>& q,
                          const Eigen::Ref<const Eigen::VectorXd>& v, Eigen::Index v0, double h,
                          const FreeMotionOptions& options,
                          const Eigen::Ref<const Eigen::MatrixXd>& M, FreeMotion& motion) {
  const auto own = Eigen::seqN(v0, tree.num_velocities());
  auto w = motion.coupled_velocity(own);
  if (w.isZero(0.0) && options.expected != nullptr &&
      expect_velocity(tree, at, q, v, v0, h, options.expected->stops, M, motion)) {
    w = motion.inertial_work.end;
  }
  if (!w.isZero(0.0)) {
    motion.inertial_velocity(own) = v;
    motion.inertial_impulse(own) =
        coupled_inertial_impulse(tree, at, q, v, w, M, h, motion.inertial_work);
    return;
  }
  auto inertial = motion.inertial_velocity.segment(v0, tree.num_velocities());
  if (inertial_step(tree, at, q, v, M, h, motion.inertial_work, inertial) !=
      SolveStatus::Converged) {
    motion.trees_without_inertia.push_back(place);
  }
  motion.inertial_impulse.segment(v0, tree.num_velocities()).noalias() = M * (inertial - v);
}

}  // namespace amontons

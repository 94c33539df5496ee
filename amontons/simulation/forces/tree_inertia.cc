#include "amontons/simulation/forces/tree_inertia.h"

#include "amontons/dynamics/coupled_inertia.h"
#include "amontons/dynamics/driven_step.h"
#include "amontons/dynamics/inertial_step.h"
#include "amontons/dynamics/linear_momentum.h"

#include <cmath>

namespace amontons {
namespace {

// Share of the speed that a stop has taken, below which its coordinate does not leave it [-].
constexpr double kLeaving = 1e-3;
// Kinetic energy of the expected motion over that of the motion without contacts, from which
// contacts are not expected again [-]. A tree that they push from rest has four times the energy
// after its second step.
constexpr double kThrow = 16.0;

/// Holds a tree and its part of a step.
struct TreeStep {
  const Articulation& tree;
  const ArticulationKinematics& at;
  Eigen::Ref<const Eigen::VectorXd> q, v;
  Eigen::Index v0;  ///< first of its velocities in the system
  double h;
  const Eigen::Ref<const Eigen::MatrixXd>& M;
};

/// Writes what forces and rows are expected to give into the workspace. A stop that was loaded and
/// is not left holds its coordinate, by a gain far above the inertia there.
/// @returns false where nothing is expected of the tree.
bool expect_forces(const TreeStep& step, const LastImpulses& last, FreeMotion& motion) {
  const Eigen::Index n = step.v.size();
  const auto own = Eigen::seqN(step.v0, n);
  Eigen::VectorXd &gain = motion.inertial_work.gain, &impulse = motion.inertial_work.given;
  gain = motion.spring_gain(own) + motion.damper_gain(own) + motion.servo_gain(own) +
         motion.expected_gain(own);
  motion.inertial_work.friction = motion.expected_friction(own);
  impulse = motion.actuation_impulse(own) + motion.spring_impulse(own) + motion.servo_impulse(own) +
            motion.friction_impulse(own) + motion.expected_impulse(own);
  // Gravity moves a floating tree as a whole.
  const bool falls =
      linear_coordinates(step.tree).count == 3 || motion.gravity_impulse(own).isZero(0.0);
  if (falls && impulse.isZero(0.0) && gain.isZero(0.0) && last.stops(own).isZero(0.0) &&
      motion.inertial_work.friction.isZero(0.0))
    return false;
  impulse += motion.gravity_impulse(own);
  for (Eigen::Index i = 0; i < n; ++i) {
    const double stop = last.stops[step.v0 + i], leaving = stop > 0.0 ? step.v[i] : -step.v[i];
    if (stop != 0.0 && leaving * step.M(i, i) <= kLeaving * std::abs(stop))
      gain[i] += kHoldingGain * step.M(i, i);
  }
  return true;
}

/// Returns v'Mv.
double twice_energy(const TreeStep& step, const Eigen::Ref<const Eigen::VectorXd>& v) {
  double sum = 0.0;
  for (Eigen::Index j = 0; j < v.size(); ++j) sum += v[j] * step.M.col(j).dot(v);
  return sum;
}

/// Expects the velocity w at the end of the step of a tree, `end` of the workspace, from its forces
/// and what rows are expected to give (dynamics/driven_step.h). Returns false where nothing is
/// expected of the tree: its inertial forces are then those of its motion alone.
///
/// Contacts that would throw the tree are not expected again: those that balance each other in a
/// jam do so in one pose only.
bool expect_velocity(const TreeStep& step, const LastImpulses& last, FreeMotion& motion) {
  // A single coordinate has a constant mass, and nothing changes at rest or in an impact.
  if (step.v.size() == 1 || is_single_body(step.tree) || step.h == 0.0 || step.v.isZero(0.0))
    return false;
  if (!expect_forces(step, last, motion)) return false;
  InertialWorkspace& work = motion.inertial_work;
  const auto solve = [&] {
    return driven_step(step.tree, step.at, step.q, step.v, step.M, step.h, work);
  };
  const auto contacts = last.contacts.segment(step.v0, step.v.size());
  const bool is_solved = solve();
  if (contacts.isZero(0.0)) return is_solved;
  const double energy = is_solved ? twice_energy(step, work.end) : 0.0;
  if (is_solved && energy <= kThrow * twice_energy(step, step.v)) return true;
  // What the other forces do alone.
  const Eigen::VectorXd end = work.end;
  expect_forces(step, last, motion);
  work.given -= contacts;
  if (is_solved) {
    const Eigen::VectorXd other = step.v + Eigen::MatrixXd(step.M).llt().solve(work.given);
    if (energy <= kThrow * twice_energy(step, other)) {
      work.end = end;
      return true;
    }
  }
  return solve();
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
      expect_velocity({tree, at, q, v, v0, h, M}, *options.expected, motion)) {
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

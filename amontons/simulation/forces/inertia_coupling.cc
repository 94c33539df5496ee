#include "amontons/simulation/forces/inertia_coupling.h"

#include <Eigen/QR>

#include <algorithm>
#include <cmath>
#include <utility>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Differences of passes that an extrapolation uses.
constexpr std::size_t kDepth = 2;
// Passes after which only a part of the change is taken.
constexpr int kFullPasses = 2;
constexpr double kPart = 0.5;
// Passes without damping, the first damping after them, and its growth from pass to pass [-].
constexpr int kUndampedPasses = 6;
constexpr double kFirstDamping = 1.0 / 16.0;
constexpr double kDampingGrowth = 4.0;

/// Returns |v|_M [sqrt(J)].
double norm(const BlockDiagonalMatrix& M, const VectorXd& v) {
  return std::sqrt(std::max(0.0, v.dot(M * v)));
}

}  // namespace

void InertiaCoupling::clear() {
  inertia_ = {};
  trees_.clear();
  passes_.clear();
  num_passes_ = 0;
}

VectorXd InertiaCoupling::extrapolated(const BlockDiagonalMatrix& M) const {
  const Pass& last = passes_.back();
  const auto n = static_cast<Index>(passes_.size()) - 1;
  const double part = num_passes_ < kFullPasses ? 1.0 : kPart;
  VectorXd result = last.velocity + part * last.change;
  if (n == 0) return result;
  // The combination of passes with the least change, to first order.
  MatrixXd velocities(result.size(), n), changes(result.size(), n), weighted(result.size(), n);
  for (Index k = 0; k < n; ++k) {
    const Pass& pass = passes_[static_cast<std::size_t>(k)];
    velocities.col(k) = last.velocity - pass.velocity;
    changes.col(k) = last.change - pass.change;
    weighted.col(k) = M * changes.col(k);
  }
  const MatrixXd gram = weighted.transpose() * changes;
  const VectorXd right = weighted.transpose() * last.change;
  const VectorXd share = gram.completeOrthogonalDecomposition().solve(right);
  return result - (velocities + part * changes) * share;
}

void InertiaCoupling::limit(const BlockDiagonalMatrix& M) {
  const double size = norm(M, inertia_.velocity);
  if (size > largest_) inertia_.velocity *= largest_ / size;
}

bool InertiaCoupling::take_best(double gain) {
  if (gain <= least_gain_) return false;
  inertia_ = best_;
  ++num_passes_;
  return true;
}

void InertiaCoupling::couple(const System& system, const InertialGain& gain, const VectorXd& start,
                             const VectorXd& velocity, const BlockDiagonalMatrix& M) {
  if (num_passes_ == 0) largest_ = norm(M, start) + norm(M, velocity);
  if (num_passes_ == 0 || gain.largest < least_gain_) {
    least_gain_ = gain.largest;
    best_ = inertia_;
  }
  const std::vector<char>& trees = gain.gaining;
  inertia_.velocity.conservativeResizeLike(VectorXd::Zero(velocity.size()));
  Pass pass{inertia_.velocity, VectorXd::Zero(velocity.size())};
  bool is_first = trees != trees_;
  for (std::size_t a = 0; a < trees.size(); ++a) {
    if (!trees[a]) continue;
    const auto own = Eigen::seqN(system.v_offset(static_cast<int>(a)),
                                 system.articulations()[a].num_velocities());
    // A tree that was not coupled has no change that could be compared.
    is_first = is_first || inertia_.velocity(own).isZero(0.0);
    pass.change(own) = velocity(own) - inertia_.velocity(own);
  }
  if (num_passes_ >= kUndampedPasses) {
    inertia_.damping = inertia_.damping > 0.0 ? kDampingGrowth * inertia_.damping : kFirstDamping;
  }
  if (is_first || inertia_.damping > 0.0) {
    passes_.clear();
    trees_ = trees;
    inertia_.velocity = pass.velocity + pass.change;
  } else {
    passes_.push_back(std::move(pass));
    if (passes_.size() > kDepth + 1) passes_.erase(passes_.begin());
    inertia_.velocity = extrapolated(M);
  }
  limit(M);
  ++num_passes_;
}

void leave_idle_couplings(const System& system, const FreeMotion& uncoupled,
                          const VectorXd& velocity, VectorXd& coupled_velocity) {
  // Change of the free velocity that a coupling makes at least [-]: `verify` demands the w of an
  // uncoupled tree where the change is below half of this.
  constexpr double kIdle = 2e-10;
  for (std::size_t a = 0; a < system.articulations().size(); ++a) {
    const auto own = Eigen::seqN(system.v_offset(static_cast<int>(a)),
                                 system.articulations()[a].num_velocities());
    const double size = 1.0 + velocity(own).lpNorm<Eigen::Infinity>();
    const double change = (velocity(own) - uncoupled.velocity(own)).lpNorm<Eigen::Infinity>();
    if (change <= kIdle * size) coupled_velocity(own) = uncoupled.coupled_velocity(own);
  }
}

}  // namespace amontons

#include "amontons/optimization/ccp/capped/body_friction_interior.h"

#include "amontons/math/effort.h"
#include "amontons/optimization/ccp/capped/contact_cones.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::Vector3d;
using Eigen::VectorXd;

constexpr double kToBoundary = 0.99;  // share of the way to the boundary [-]
constexpr double kShortest = 0.1;     // steps [-] below gain nothing near the solution
constexpr double kNear = 1e-7, kNearResidual = 1e-3;  // gap and residual [-] near the solution
constexpr double kNoStep = 1e-8;                      // steps [-] below gain nothing anywhere
constexpr double kGain = 0.9;     // a residual or gap below this share of the best is progress
constexpr int kMaxIdleSteps = 6;  // steps without progress
// The first point: shares of the given normal reactions and of their mean; complementarity, in
// units of the mean; least slack; and the mean where none is given [-].
constexpr double kStartShare = 0.7, kStartOfMean = 0.25, kStartGap = 1.0, kStartSlack = 0.1,
                 kStartOfNone = 1.0;

}  // namespace

BodyFrictionInterior::BodyFrictionInterior(const BodyFrictionProblem& problem, double compliance,
                                           BodyFrictionKernel& kernel)
    : problem_(problem), compliance_(compliance), kernel_(kernel), n_(problem.num_contacts()) {
  start();
}

int BodyFrictionInterior::run(double enough, int max_steps, CappedFrictionPoint& best) {
  int steps = 0, idle = 0;
  double least_gap = std::numeric_limits<double>::infinity();
  measure(best);  // it counts also where no step may be taken
  while (steps < max_steps && has_effort()) {
    const double before = best.residual;
    measure(best);
    if (best.residual <= enough) break;
    const double gap = gap_after(0.0);
    idle = best.residual < kGain * before || gap < kGain * least_gap ? 0 : idle + 1;
    least_gap = std::min(least_gap, gap);
    if (idle > kMaxIdleSteps) break;
    ++steps;
    count_factorization();
    if (!step()) break;
  }
  return steps;
}

/// Starts inside all cones, at equal complementarity, near the given normal reactions.
void BodyFrictionInterior::start() {
  double pressed = 0.0, mean = 0.0;
  for (Index i = 0; i < n_; ++i) {
    cones_.emplace_back(problem_, i);
    if (!cones_.back().presses()) continue;
    pressed += problem_.weights(i);
    mean += problem_.weights(i) * problem_.normals(i);
  }
  has_cap_ = pressed > 0.0 && problem_.cap > 0.0;
  mean = has_cap_ ? mean / pressed : kStartOfNone;
  // A part of the cap stays free, and every contact gets a part of the mean.
  x_.setZero(3 * n_);
  for (Index i = 0; i < n_; ++i) {
    if (!cones_[static_cast<std::size_t>(i)].presses()) continue;
    x_(3 * i + 2) = kStartShare * problem_.normals(i) + kStartOfMean * mean;
  }
  point_.x = x_;
  point_.multipliers = VectorXd::Zero(n_);
  maps_.evaluate(problem_, point_);
  const double gap = kStartGap * mean;
  for (Index i = 0; i < n_; ++i) {
    cones_[static_cast<std::size_t>(i)].start(x_.segment<3>(3 * i), gap);
    const double slack = std::max(maps_.slack(i), kStartSlack);
    lambda_.push_back({slack, gap / slack, 0.0, 0.0});
  }
  if (has_cap_) price_ = {maps_.cap_slack, gap / maps_.cap_slack, 0.0, 0.0};
  update();
}

/// Computes the velocities of the present point, and what they miss.
void BodyFrictionInterior::update() {
  point_.x = x_;
  point_.multipliers.resize(n_);
  for (Index i = 0; i < n_; ++i) {
    point_.multipliers(i) = lambda_[static_cast<std::size_t>(i)].multiplier;
  }
  point_.price = has_cap_ ? price_.multiplier : 0.0;
  maps_.evaluate(problem_, point_);
}

/// Keeps the present point, projected on its cones, if it is the best.
void BodyFrictionInterior::measure(CappedFrictionPoint& best) {
  point_.residual = maps_.largest();
  if (point_.residual < best.residual) best = point_;
}

double BodyFrictionInterior::gap_after(double step) const {
  double sum = has_cap_ ? price_.gap_after(step) : 0.0;
  int count = has_cap_ ? 1 : 0;
  for (Index i = 0; i < n_; ++i) {
    const std::size_t k = static_cast<std::size_t>(i);
    sum += cones_[k].gap_after(step) + lambda_[k].gap_after(step);
    count += cones_[k].degree() + 1;
  }
  return sum / count;
}

/// Takes a predictor-corrector step; returns false where none is possible.
bool BodyFrictionInterior::step() {
  D_.resize(static_cast<std::size_t>(n_));
  VectorXd slopes(n_);
  for (Index i = 0; i < n_; ++i) {
    const std::size_t k = static_cast<std::size_t>(i);
    D_[k] = cones_[k].linearize(compliance_);
    if (!D_[k].values.allFinite()) return false;
    slopes(i) = lambda_[k].soft_slope(compliance_);
  }
  if (!kernel_.factor(D_, slopes, has_cap_ ? price_.soft_slope(compliance_) : 0.0)) return false;
  const double gap = gap_after(0.0);
  // Near the end the rounding of the fields would exceed the slacks.
  const int refinements = gap < kNear ? 1 : 0;
  if (!solve(0.0, false, refinements)) return false;
  // Centering sigma = (gap of the affine step / gap)^3.
  const double reach = std::min(1.0, kToBoundary * longest_step());
  const double share = std::clamp(gap_after(reach) / gap, 0.0, 1.0);
  const double centering =
      std::max(share * share * share, (1.0 - reach) * (1.0 - reach) * (1.0 - reach));
  if (!solve(centering * gap, true, refinements)) return false;
  const double length = std::min(1.0, kToBoundary * longest_step());
  const bool near = gap < kNear && point_.residual < kNearResidual;
  if (!(length > (near ? kShortest : kNoStep))) return false;
  x_ += length * direction_.x;
  for (ContactCones& own : cones_) own.move(length);
  for (Pair& own : lambda_) own.move(length);
  if (has_cap_) price_.move(length);
  update();
  return x_.allFinite();
}

/// Finds the direction to complementarity `target`.
bool BodyFrictionInterior::solve(double target, bool corrected, int refinements) {
  constants_.reactions.resize(3 * n_);
  constants_.multipliers.resize(n_);
  missed_.resize(n_);
  for (Index i = 0; i < n_; ++i) {
    const std::size_t k = static_cast<std::size_t>(i);
    ContactCones& own = cones_[k];
    const Vector3d missed = maps_.gamma.segment<3>(3 * i) - own.pull();
    constants_.reactions.segment<3>(3 * i) = D_[k] * (missed - own.aim(target, corrected));
    missed_(i) = maps_.slack(i) - lambda_[k].slack;
    constants_.multipliers(i) =
        lambda_[k].soft_slope(compliance_) * missed_(i) -
        lambda_[k].softening(compliance_) * lambda_[k].aim(target, corrected);
  }
  const double missed_cap = maps_.cap_slack - price_.slack;
  constants_.price = has_cap_ ? price_.softening(compliance_) * price_.aim(target, corrected) -
                                    price_.soft_slope(compliance_) * missed_cap
                              : 0.0;
  kernel_.solve(constants_, refinements, direction_);
  for (Index i = 0; i < n_; ++i) {
    const std::size_t k = static_cast<std::size_t>(i);
    const Vector3d missed = maps_.gamma.segment<3>(3 * i) - cones_[k].pull();
    cones_[k].follow(direction_.x.segment<3>(3 * i), missed + direction_.gamma.segment<3>(3 * i));
    const double change = direction_.multipliers(i);
    lambda_[k].follow(change, direction_.slack(i) + missed_(i) + compliance_ * change);
  }
  if (has_cap_) {
    double linear = missed_cap + compliance_ * direction_.price;
    for (Index i = 0; i < n_; ++i) linear -= problem_.weights(i) * direction_.x(3 * i + 2);
    price_.follow(direction_.price, linear);
  }
  return direction_.x.allFinite() && direction_.multipliers.allFinite() &&
         std::isfinite(direction_.price);
}

double BodyFrictionInterior::longest_step() const {
  double step = has_cap_ ? price_.longest_step() : 1e30;
  for (const ContactCones& own : cones_) step = std::min(step, own.longest_step());
  for (const Pair& own : lambda_) step = std::min(step, own.longest_step());
  return step;
}

}  // namespace amontons

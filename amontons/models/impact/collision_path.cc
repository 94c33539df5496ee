#include "amontons/models/impact/collision_path.h"

#include "amontons/models/impact/collision_state.h"
#include "amontons/models/impact/curved_slide.h"
#include "amontons/models/impact/slip_onset.h"

#include <algorithm>
#include <limits>

namespace amontons {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

constexpr double kNever = std::numeric_limits<double>::infinity();

// Share of the speed before the collision below which slip is over [-].
constexpr double kNoSlip = 1e-15;

// Bound of straight and curved legs, and of phases; a regular collision has a few.
constexpr int kMaxLegs = 1000;

/// Follows a collision in units in which trace(K) = 3 and |u| = 1 at the start.
class Path {
 public:
  explicit Path(const Collision& collision)
      : K_(collision.inverse_inertia / unit_of(collision)),
        mu_(collision.friction),
        e_(collision.restitution),
        law_(collision.law) {
    state_.velocity = collision.velocity.normalized();
    approach_ = -state_.velocity.z();
  }

  /// Returns the unit of K, trace(K)/3 [1/kg].
  static double unit_of(const Collision& collision) {
    return collision.inverse_inertia.trace() / 3.0;
  }

  /// Follows the collision leg by leg: frictionless, at rest, straight, or along a curve.
  void follow() {
    for (int leg = 0; leg < kMaxLegs && !is_over_; ++leg) {
      const double slip = state_.velocity.head<2>().norm();
      if (mu_ == 0.0) {
        go_straight(Vector2d::Zero(), kNever);
      } else if (slip <= kNoSlip) {
        leave_rest();
      } else if (is_straight(K_, mu_, state_.velocity.head<2>() / slip)) {
        slide_straight(state_.velocity.head<2>() / slip, slip);
      } else {
        slide_along_curve();
      }
    }
    if (!is_over_) outcome_.is_resolved = false;
  }

  /// Returns the outcome in SI units: impulses in speed/unit, work in speed^2/unit.
  CollisionOutcome outcome(const Collision& collision) const {
    const double speed = collision.velocity.norm(), unit = unit_of(collision);
    CollisionOutcome result = outcome_;
    result.impulse = (speed / unit) * state_.impulse;
    result.normal_work = speed * speed / unit * state_.work;
    if (state_.velocity.z() < -kJammed) result.is_resolved = false;
    return result;
  }

 private:
  /// Slides while the direction of slip turns.
  void slide_along_curve() {
    CurvedSlide slide(K_, mu_, state_);
    const CurvedSlide::End end = slide.follow(goal_, kNoSlip);
    state_ = slide.state();
    outcome_.steps += slide.num_steps();
    if (end == CurvedSlide::End::OutOfSteps) {
      outcome_.is_resolved = false;
      is_over_ = true;
    }
    if (end == CurvedSlide::End::Goal) end_phase(false);
    if (end == CurvedSlide::End::FallsBack) end_phase(true);
  }

  /// Slides along a constant direction, until slip ends or the collision is over.
  void slide_straight(const Vector2d& direction, double slip) {
    // Slip changes at a constant rate; it ends after slip / -rate of normal impulse.
    const double along = direction.dot(slip_rate(K_, mu_, direction));
    const bool stops = go_straight(-mu_ * direction, along < 0.0 ? slip / -along : kNever);
    if (stops) state_.velocity.head<2>().setZero();
  }

  /// Continues from rest: sticks, or slides along the one direction that friction cannot hold.
  void leave_rest() {
    const SlipOnset onset = find_slip_onset(K_, mu_);
    state_.velocity.head<2>().setZero();
    outcome_.sticks = onset.sticks;
    if (!onset.sticks) outcome_.reversed = true;
    // A point that no normal impulse moves is jammed.
    const double rise = K_.row(2).dot(Vector3d(onset.friction.x(), onset.friction.y(), 1.0));
    if (rise <= kJammed) {
      outcome_.is_jammed = is_over_ = true;
      return;
    }
    go_straight(onset.friction, kNever);
  }

  /// Continues at constant rates for `limit` of normal impulse, or until the collision is over.
  /// @param friction  dp_t/dp_n.
  /// @returns true if it went as far as the limit.
  bool go_straight(const Vector2d& friction, double limit) {
    const Vector3d push(friction.x(), friction.y(), 1.0);
    Vector3d rate = K_ * push;
    if (outcome_.sticks) rate.head<2>().setZero();
    while (!is_over_) {
      // The leg ends with its limit, or at the end of the present phase.
      const PhaseLength phase = phase_length(goal_, state_, rate.z());
      const double length = std::min(limit, phase.length);
      if (length == kNever) {
        outcome_.is_resolved = false;
        is_over_ = true;
        break;
      }
      // W grows by the integral of u_n = u_n0 + rate p_n.
      state_.work += length * (state_.velocity.z() + 0.5 * length * rate.z());
      state_.velocity += length * rate;
      state_.impulse += length * push;
      if (limit <= phase.length) return true;
      limit -= length;
      end_phase(phase.falls_back);
    }
    return false;
  }

  /// Starts the next phase: compression again, the rebound, or the end of the collision.
  void end_phase(bool falls_back) {
    if (falls_back) {
      goal_ = CollisionGoal::of_compression();
    } else if (goal_.is_rebound || e_ == 0.0) {
      if (!goal_.is_rebound) state_.velocity.z() = 0.0;
      is_over_ = true;
    } else {
      state_.velocity.z() = 0.0;
      goal_ = CollisionGoal::of_rebound(law_, e_, approach_, state_);
    }
    if (++num_phases_ > kMaxLegs) {
      outcome_.is_resolved = false;
      is_over_ = true;
    }
  }

  const Eigen::Matrix3d K_;
  const double mu_, e_;
  const RestitutionLaw law_;
  double approach_;
  CollisionState state_;
  CollisionGoal goal_;
  CollisionOutcome outcome_;
  bool is_over_ = false;
  int num_phases_ = 0;
};

}  // namespace

CollisionOutcome follow_collision(const Collision& collision) {
  if (!(collision.velocity.z() < 0.0) || !(Path::unit_of(collision) > 0.0)) return {};
  const auto follow = [](const Collision& own) {
    Path path(own);
    path.follow();
    return path.outcome(own);
  };
  const CollisionOutcome outcome = follow(collision);
  if (collision.law != RestitutionLaw::Newton) return outcome;
  // Newton's rebound ends early where the work of the normal impulse has returned to zero.
  const CollisionOutcome lossless = follow(lossless_collision(collision));
  const bool ends_early = lossless.is_resolved && lossless.impulse.z() < outcome.impulse.z();
  return ends_early ? lossless : outcome;
}

}  // namespace amontons

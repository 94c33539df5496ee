#include "amontons/contact/certificate/collision_law.h"

#include "amontons/math/elementary.h"

#include <Eigen/LU>

#include <algorithm>
#include <array>
#include <limits>
#include <numbers>

namespace amontons {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

/// The state of the integration: u, p_t and the work W of the normal impulse.
using Moment = Eigen::Matrix<double, 6, 1>;

// Slip below which a point counts as sticking, in units of the speed before the collision:
// rounding.
constexpr double kNoSlip = 1e-13, kNever = std::numeric_limits<double>::infinity();

// Change of the unit vector along the slip in one step, below which its direction is constant [-].
constexpr double kNoTurn = 1e-14;

/// Bounds of steps, of bisections of an end (2^-60 is below rounding) and of columns of the
/// extrapolation (order 14).
constexpr int kMaxSteps = 100000, kHalvings = 60, kColumns = 7;

/// Integrates u over p_n until the collision ends, in units of the speed before it and of
/// trace(K)/3.
class Integration {
 public:
  explicit Integration(const Collision& collision)
      : collision_(collision),
        unit_(collision.inverse_inertia.trace() / 3.0),
        speed_(collision.velocity.norm()),
        K_(collision.inverse_inertia / unit_),
        mu_(collision.friction) {
    y_ << collision.velocity / speed_, Vector3d::Zero();
    approach_ = -y_(2);
    pull_ = K_.block<2, 1>(0, 2);
    fastest_ = pull_.norm() + mu_ * K_.topLeftCorner<2, 2>().norm();
  }

  /// Returns the impulse [N s]; nothing at a jam that still approaches; NaN after kMaxSteps steps.
  std::optional<Vector3d> run() {
    for (int k = 0; k < kMaxSteps; ++k) {
      const double slip = y_.head<2>().norm();
      double reach = std::max(0.25, 0.5 * p_), stop = kNever;
      // Choose the length of a step by the state: at rest, on a straight slip, or on a curved one.
      if (mu_ > 0.0 && slip <= kNoSlip && !is_leaving_) {
        y_.head<2>().setZero();
        find_friction_from_rest();
        // A sticking point that no normal impulse moves is jammed; one that still approaches has no
        // solution.
        const double rise =
            K_.row(2).dot(Vector3d(constant_friction_->x(), constant_friction_->y(), 1.0));
        if (rise <= kJammed) return y_(2) >= -kJammed ? std::optional(impulse()) : std::nullopt;
      } else if (mu_ > 0.0 && constant_friction_ && !is_leaving_) {
        // A straight slip ends exactly where |u_t| reaches zero.
        stop = slip * slip / std::max(0.0, -y_.head<2>().dot(rate(y_).head<2>()));
        reach = std::min(reach, stop);
      } else if (mu_ > 0.0 && !constant_friction_) {
        // A curved slip changes by at most a quarter in a step.
        reach = std::min(reach, 0.25 * slip / fastest_);
      }
      // Accept the step if the phase does not end within it.
      const Moment next = step(y_, reach);
      if (!phase_ends(next, p_ + reach)) {
        // A slip that turns no more goes straight, and the rest of it needs no small steps.
        const bool turns =
            (next.head<2>() / next.head<2>().norm() - y_.head<2>() / slip).norm() > kNoTurn;
        if (!constant_friction_ && mu_ > 0.0 && !turns) constant_friction_ = sliding_friction(next);
        y_ = next;
        p_ += reach;
        if (reach == stop) y_.head<2>().setZero();
        continue;
      }
      // Bisect for the end of the phase within this step.
      double before = 0.0, after = reach;
      for (int i = 0; i < kHalvings; ++i) {
        const double middle = 0.5 * (before + after);
        (phase_ends(step(y_, middle), p_ + middle) ? after : before) = middle;
      }
      y_ = step(y_, after);
      p_ += after;
      if (begin_next_phase()) return impulse();
    }
    return Vector3d::Constant(std::numeric_limits<double>::quiet_NaN());
  }

 private:
  /// Returns d/dp_n of the state: du = K (friction, 1), dp_t = friction, dW = u_n.
  Moment rate(const Moment& y) const {
    const Vector2d friction = constant_friction_ ? *constant_friction_ : sliding_friction(y);
    Moment result;
    result << K_ * Vector3d(friction.x(), friction.y(), 1.0), friction, y(2);
    if (sticks_) result.head<2>().setZero();
    return result;
  }

  /// Returns -mu u_t/|u_t|, Coulomb's friction per normal impulse.
  Vector2d sliding_friction(const Moment& y) const {
    return mu_ > 0.0 ? Vector2d(-mu_ * y.head<2>().normalized()) : Vector2d(Vector2d::Zero());
  }

  /// Returns the state after one step, by extrapolation of the modified midpoint rule.
  Moment step(const Moment& y, double length) const {
    std::array<Moment, kColumns> column;
    std::array<double, kColumns> width{};
    for (std::size_t j = 0; j < kColumns; ++j) {
      // Modified midpoint rule with n = 2, 4, 6, ... substeps; its error is even in the width.
      const int n = 2 * (static_cast<int>(j) + 1);
      width[j] = length / n;
      Moment before = y, now = y + width[j] * rate(y);
      for (int i = 1; i < n; ++i) {
        const Moment next = before + 2.0 * width[j] * rate(now);
        before = now;
        now = next;
      }
      column[j] = 0.5 * (now + before + width[j] * rate(now));
      // Neville's scheme in the squared width, to width zero.
      for (std::size_t k = j; k-- > 0;) {
        const double ratio = width[k] / width[j];
        column[k] = column[k + 1] + (column[k + 1] - column[k]) / (ratio * ratio - 1.0);
      }
    }
    return column[0];
  }

  /// Finds the friction of a point without slip. It sticks, or slides by the definition of reverse
  /// slip: among all directions, along the one in which nothing turns and slip grows.
  void find_friction_from_rest() {
    // It sticks if the friction that holds it lies within the cone.
    constant_friction_ = holding_friction();
    is_leaving_ = true;
    sticks_ = constant_friction_->norm() <= mu_;
    if (sticks_) return;
    // With a = K_tn - mu K_tt e, nothing turns where e x a = 0, and slip grows by e . a > 0.
    constexpr int kDirections = 720;
    const auto turn = [&](double angle) {
      const Vector2d e(elementary::cos(angle), elementary::sin(angle));
      const Vector2d a = pull_ - mu_ * (K_.topLeftCorner<2, 2>() * e);
      return e.x() * a.y() - e.y() * a.x();
    };
    const auto growth = [&](double angle) {
      const Vector2d e(elementary::cos(angle), elementary::sin(angle));
      return e.dot(pull_ - mu_ * (K_.topLeftCorner<2, 2>() * e));
    };
    // Against the pull slip cannot grow, so that no root is lost between the last angle and the
    // first.
    const double first = elementary::atan2(-pull_.y(), -pull_.x());
    double best = 0.0, most = -std::numeric_limits<double>::infinity();
    for (int k = 0; k < kDirections; ++k) {
      double low = first + 2.0 * std::numbers::pi * k / kDirections;
      double high = first + 2.0 * std::numbers::pi * (k + 1) / kDirections;
      // Refine each change of sign by bisection, and keep the direction of the fastest growth.
      const bool rises = turn(low) <= 0.0;
      if (rises == (turn(high) <= 0.0)) continue;
      for (int i = 0; i < kHalvings; ++i) {
        const double middle = 0.5 * (low + high);
        ((turn(middle) <= 0.0) == rises ? low : high) = middle;
      }
      if (growth(high) > most) {
        most = growth(high);
        best = high;
      }
    }
    constant_friction_ = -mu_ * Vector2d(elementary::cos(best), elementary::sin(best));
  }

  /// Returns -K_tt^-1 K_tn, the friction that keeps u_t at zero, the least one where K_tt is
  /// singular.
  Vector2d holding_friction() const {
    Eigen::FullPivLU<Eigen::Matrix2d> tangential(K_.topLeftCorner<2, 2>());
    tangential.setThreshold(1e-12);
    if (tangential.isInvertible()) return -tangential.solve(pull_);
    const double trace = K_(0, 0) + K_(1, 1);
    return trace > 0.0 ? Vector2d(-pull_ / trace) : Vector2d(Vector2d::Zero());
  }

  /// Returns the quantity whose target ends the phase: u_n, or in a rebound by Poisson p_n, by
  /// Stronge W.
  double progress(const Moment& y, double p) const {
    if (!is_rebound_ || collision_.law == RestitutionLaw::Newton) return y(2);
    return collision_.law == RestitutionLaw::Poisson ? p : y(5);
  }

  /// Returns true at the target of the phase, and where a rebound turns into an approach.
  bool phase_ends(const Moment& y, double p) const {
    return progress(y, p) >= target_ || (is_rebound_ && y(2) < 0.0);
  }

  /// Returns true if the collision is over; else sets the target of the next phase.
  bool begin_next_phase() {
    const double e = collision_.restitution;
    // The point approaches again within the rebound: compression continues.
    if (is_rebound_ && progress(y_, p_) < target_) {
      is_rebound_ = false;
      target_ = 0.0;
      return false;
    }
    if (is_rebound_ || e == 0.0) return true;
    // Targets of the rebound by the three laws of collision.h.
    is_rebound_ = true;
    y_(2) = 0.0;
    if (collision_.law == RestitutionLaw::Newton) target_ = e * approach_;
    if (collision_.law == RestitutionLaw::Poisson) target_ = (1.0 + e) * p_;
    if (collision_.law == RestitutionLaw::Stronge) target_ = (1.0 - e * e) * y_(5);
    return false;
  }

  /// Returns the impulse in SI units [N s].
  Vector3d impulse() const { return speed_ / unit_ * Vector3d(y_(3), y_(4), p_); }

  const Collision& collision_;
  const double unit_, speed_;
  const Eigen::Matrix3d K_;
  const double mu_;
  Moment y_;
  double p_ = 0.0, target_ = 0.0, approach_ = 0.0, fastest_ = 0.0;
  Vector2d pull_;
  bool is_rebound_ = false;
  std::optional<Vector2d> constant_friction_;  // dp_t/dp_n where it is constant
  bool is_leaving_ = false, sticks_ = false;   // slip has ended
};

}  // namespace

std::optional<Vector3d> collision_impulse(const Collision& collision) {
  // A point that parts, or that nothing can move, has no collision.
  if (!(collision.velocity.z() < 0.0) || !(collision.inverse_inertia.trace() > 0.0)) {
    return Vector3d(Vector3d::Zero());
  }
  const std::optional<Vector3d> impulse = Integration(collision).run();
  if (collision.law != RestitutionLaw::Newton || !impulse) return impulse;
  // Newton's rebound ends early where the work of the normal impulse has returned to zero.
  const Collision without_loss = lossless_collision(collision);
  const std::optional<Vector3d> lossless = Integration(without_loss).run();
  return lossless && lossless->z() < impulse->z() ? lossless : impulse;
}

}  // namespace amontons

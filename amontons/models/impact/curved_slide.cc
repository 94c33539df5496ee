#include "amontons/models/impact/curved_slide.h"

#include "amontons/math/elementary.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace amontons {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

/// Terms of the Taylor series, which reach rounding within the step, and a bound of steps.
constexpr int kOrder = 20, kMaxSteps = 10000;

// Points of a step at which the goal is tested, and halvings to find where it is reached.
constexpr int kSamples = 4, kHalvings = 60;

/// Rate of turn, relative to its terms, that is rounding [-].
constexpr double kTurnRounding = 1e-14;

using Series = std::array<double, kOrder + 1>;

/// Returns coefficient k of the product of two series.
double product(const Series& a, const Series& b, int k) {
  double sum = 0.0;
  for (int j = 0; j <= k; ++j) {
    sum += a[static_cast<std::size_t>(j)] * b[static_cast<std::size_t>(k - j)];
  }
  return sum;
}

/// Returns the sum of a series at s, by Horner's scheme.
double sum_of(const Series& a, double s) {
  double sum = 0.0;
  for (int k = kOrder; k >= 0; --k) sum = sum * s + a[static_cast<std::size_t>(k)];
  return sum;
}

/// Holds the Taylor series of the solution about one state.
struct Expansion {
  Series c{}, s{}, r{}, p{}, x{}, y{}, u{}, W{};

  Expansion(const Eigen::Matrix3d& K, double mu, const CollisionState& state) {
    Series ax{}, ay{}, g{}, h{}, rise{};
    const double slip = state.velocity.head<2>().norm();
    c[0] = state.velocity.x() / slip;
    s[0] = state.velocity.y() / slip;
    r[0] = slip;
    x[0] = state.impulse.x();
    y[0] = state.impulse.y();
    p[0] = state.impulse.z();
    u[0] = state.velocity.z();
    W[0] = state.work;
    // The equations of curved_slide.h, coefficient by coefficient: y' = f gives y_(k+1) = f_k / (k
    // + 1).
    for (int order = 0; order < kOrder; ++order) {
      const auto k = static_cast<std::size_t>(order);
      const double one = order == 0 ? 1.0 : 0.0, next = 1.0 / (order + 1);
      ax[k] = one * K(0, 2) - mu * (K(0, 0) * c[k] + K(0, 1) * s[k]);
      ay[k] = one * K(1, 2) - mu * (K(1, 0) * c[k] + K(1, 1) * s[k]);
      rise[k] = one * K(2, 2) - mu * (K(2, 0) * c[k] + K(2, 1) * s[k]);
      g[k] = product(ax, c, order) + product(ay, s, order);
      h[k] = product(ay, c, order) - product(ax, s, order);
      c[k + 1] = -next * product(h, s, order);
      s[k + 1] = next * product(h, c, order);
      r[k + 1] = next * product(g, r, order);
      p[k + 1] = next * r[k];
      x[k + 1] = -next * mu * product(c, r, order);
      y[k + 1] = -next * mu * product(s, r, order);
      u[k + 1] = next * product(rise, r, order);
      W[k + 1] = next * product(u, r, order);
    }
  }

  /// Returns the state at s = t, the direction of slip at unit length.
  CollisionState at(double t) const {
    const double slip = sum_of(r, t);
    const Vector2d e = Vector2d(sum_of(c, t), sum_of(s, t)).normalized();
    return {{slip * e.x(), slip * e.y(), sum_of(u, t)},
            {sum_of(x, t), sum_of(y, t), sum_of(p, t)},
            sum_of(W, t)};
  }

  /// Returns a step within which the last terms are rounding: e^-2 of the radius of convergence
  /// that they show.
  double step() const {
    double radius = 1e6;
    const auto limit_radius = [&radius](const Series& series, double scale) {
      for (const int k : {kOrder - 1, kOrder}) {
        const double term = std::abs(series[static_cast<std::size_t>(k)]) / scale;
        if (term > 0.0) radius = std::min(radius, elementary::pow(term, -1.0 / k));
      }
    };
    limit_radius(c, 1.0);
    limit_radius(s, 1.0);
    limit_radius(r, r[0]);
    limit_radius(u, std::max(1.0, std::abs(u[0])));
    limit_radius(W, std::max(1.0, std::abs(W[0])));
    return radius * elementary::exp(-2.0);
  }
};

}  // namespace

bool is_straight(const Eigen::Matrix3d& K, double mu, const Vector2d& direction) {
  const Vector2d rate = slip_rate(K, mu, direction);
  const double turn = direction.x() * rate.y() - direction.y() * rate.x();
  const double terms = K.block<2, 1>(0, 2).norm() + mu * (K(0, 0) + K(1, 1));
  return std::abs(turn) <= kTurnRounding * terms;
}

CurvedSlide::CurvedSlide(const Eigen::Matrix3d& K, double mu, const CollisionState& state)
    : K_(K), mu_(mu), state_(state) {}

CurvedSlide::End CurvedSlide::follow(const CollisionGoal& goal, double no_slip) {
  for (; num_steps_ < kMaxSteps; ++num_steps_) {
    const double slip = state_.velocity.head<2>().norm();
    if (slip <= no_slip) return End::SlipEnds;
    if (is_straight(K_, mu_, state_.velocity.head<2>() / slip)) return End::Straight;
    // Expand the solution about the present state; the series sets the length of the step.
    const Expansion expansion(K_, mu_, state_);
    const double step = expansion.step();
    // A phase ends at its goal; a rebound also where u_n falls below zero.
    const auto reaches = [&](const CollisionState& state) {
      return goal.value(state) >= goal.target;
    };
    const auto ends = [&](const CollisionState& state) {
      return reaches(state) || (goal.is_rebound && state.velocity.z() < 0.0);
    };
    // Test samples within the step, so that an end between two of them is not missed.
    double before = 0.0;
    for (int k = 1; k <= kSamples; ++k) {
      double after = step * k / kSamples;
      CollisionState state = expansion.at(after);
      if (!ends(state)) {
        before = after;
        if (k == kSamples) state_ = state;
        continue;
      }
      // Bisection for the end of the phase.
      for (int i = 0; i < kHalvings; ++i) {
        const double middle = 0.5 * (before + after);
        (ends(expansion.at(middle)) ? after : before) = middle;
      }
      state_ = expansion.at(after);
      ++num_steps_;
      return reaches(state_) ? End::Goal : End::FallsBack;
    }
  }
  return End::OutOfSteps;
}

}  // namespace amontons

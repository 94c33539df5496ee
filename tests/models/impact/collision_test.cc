#include "amontons/contact/certificate/collision_law.h"
#include "amontons/models/impact/collision_path.h"
#include "amontons/models/impact/slip_onset.h"
#include "tests/support/test_size.h"

#include <Eigen/LU>
#include <catch2/catch.hpp>

#include <cmath>
#include <numbers>
#include <random>

namespace amontons {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector2d;
using Eigen::Vector3d;

const RestitutionLaw kLaws[] = {RestitutionLaw::Newton, RestitutionLaw::Poisson,
                                RestitutionLaw::Stronge};

/// Returns K of a body's point at r from its center.
Matrix3d inverse_inertia_at(double mass, const Vector3d& moments, const Vector3d& r) {
  Matrix3d cross;
  cross << 0.0, -r.z(), r.y(), r.z(), 0.0, -r.x(), -r.y(), r.x(), 0.0;
  const Matrix3d inverse = moments.cwiseInverse().asDiagonal();
  return Matrix3d::Identity() / mass - cross * inverse * cross;
}

Matrix3d sphere() { return inverse_inertia_at(2.0, Vector3d::Constant(0.008), {0.0, 0.0, -0.1}); }

/// Returns K at the end of a slender rod of 1 m and 1 kg that leans by 50 degrees, and is turned
/// about the vertical.
Matrix3d offset_rod() {
  const double lean = 50.0 * std::numbers::pi / 180.0, turn = 0.4;
  const Vector3d axis(std::cos(lean) * std::cos(turn), std::cos(lean) * std::sin(turn),
                      std::sin(lean));
  const Matrix3d inertia =
      (Matrix3d::Identity() - axis * axis.transpose()) / 12.0 + 1e-3 * axis * axis.transpose();
  Matrix3d cross;
  const Vector3d r = -0.5 * axis;
  cross << 0.0, -r.z(), r.y(), r.z(), 0.0, -r.x(), -r.y(), r.x(), 0.0;
  return Matrix3d::Identity() - cross * inertia.inverse() * cross;
}

double kinetic_change(const Collision& collision, const Vector3d& p) {
  return p.dot(collision.velocity) + 0.5 * p.dot(collision.inverse_inertia * p);
}

Vector3d velocity_after(const Collision& collision, const Vector3d& p) {
  return collision.velocity + collision.inverse_inertia * p;
}

/// Integrates the law independently, by classical Runge-Kutta steps in the normal impulse that
/// change the slip by at most 1/500. `from_rest`: reverse slip is followed from a slip of 1e-9 in
/// random directions, all of which turn into the one that grows.
struct SmallSteps {
  Matrix3d K;
  double mu;
  Vector3d u, p = Vector3d::Zero();
  double work = 0.0;

  Vector3d push(const Vector3d& at) const {
    const Vector2d slip = at.head<2>();
    if (mu == 0.0) return Vector3d::UnitZ();
    const Vector2d friction = -mu * slip.normalized();
    return {friction.x(), friction.y(), 1.0};
  }

  double step_size() const {
    const double slip = u.head<2>().norm();
    const double fastest = K.norm() * (1.0 + mu);
    return std::min(mu == 0.0 ? 1.0 : slip / fastest / 500.0, 1e-4 * u.norm() / fastest + 1e-7);
  }

  void advance(double h) {
    const Vector3d f1 = push(u), f2 = push(u + 0.5 * h * K * f1), f3 = push(u + 0.5 * h * K * f2),
                   f4 = push(u + h * K * f3);
    const Vector3d f = (f1 + 2.0 * f2 + 2.0 * f3 + f4) / 6.0;
    work += h * (u.z() + 0.5 * h * (K * f).z());
    u += h * K * f;
    p += h * f;
  }
};

Vector3d integrate_in_small_steps(const Collision& collision) {
  SmallSteps path{collision.inverse_inertia, collision.friction, collision.velocity};
  const Matrix3d& K = path.K;
  const double e = collision.restitution, scale = collision.velocity.norm();
  bool compressing = true, held = false;
  Vector3d push;
  double target = 0.0;
  const auto value = [&](const SmallSteps& at) {
    if (compressing || collision.law == RestitutionLaw::Newton) return at.u.z();
    return collision.law == RestitutionLaw::Poisson ? at.p.z() : at.work;
  };
  for (int k = 0; k < 50000000; ++k) {
    const double slip = path.u.head<2>().norm();
    if (path.mu > 0.0 && !held && slip < 1e-10 * scale) {
      const Vector2d hold = -K.topLeftCorner<2, 2>().inverse() * K.block<2, 1>(0, 2);
      held = true;
      push << hold, 1.0;
      if (hold.norm() > path.mu) {
        // A slip of almost zero finds its own direction in a flow that does not stop.
        Vector2d e_t = K.block<2, 1>(0, 2).normalized();
        for (int i = 0; i < 200000; ++i) {
          const Vector2d rate = K.block<2, 1>(0, 2) - path.mu * (K.topLeftCorner<2, 2>() * e_t);
          e_t = (e_t + 1e-3 / K.norm() * rate).normalized();
        }
        push << -path.mu * e_t, 1.0;
      }
    }
    SmallSteps next = path;
    double h = held ? 1e-4 * scale / K.norm() : path.step_size();
    const auto go = [&](double length) {
      SmallSteps result = path;
      if (!held) {
        result.advance(length);
      } else {
        result.work += length * (path.u.z() + 0.5 * length * (K * push).z());
        result.u += length * (K * push);
        result.p += length * push;
      }
      return result;
    };
    next = go(h);
    if (value(next) < target) {
      path = next;
      continue;
    }
    double low = 0.0;
    for (int i = 0; i < 60; ++i) {
      const double middle = 0.5 * (low + h);
      (value(go(middle)) < target ? low : h) = middle;
    }
    path = go(h);
    if (!compressing || e == 0.0) return path.p;
    compressing = false;
    target = collision.law == RestitutionLaw::Newton    ? -e * collision.velocity.z()
             : collision.law == RestitutionLaw::Poisson ? (1.0 + e) * path.p.z()
                                                        : (1.0 - e * e) * path.work;
  }
  FAIL("no end of the collision");
  return {};
}

/// Draws a random K with a bounded condition, all directions of slip, all friction.
Collision random_collision(std::mt19937_64& random) {
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  std::normal_distribution<double> normal;
  Collision collision;
  Matrix3d root;
  for (double& entry : root.reshaped()) entry = normal(random);
  const double scale = std::pow(10.0, 6.0 * unit(random) - 3.0);
  collision.inverse_inertia = scale * (root * root.transpose() + 1e-3 * Matrix3d::Identity());
  collision.velocity = Vector3d(normal(random), normal(random), -std::abs(normal(random)));
  if (unit(random) < 0.2) collision.velocity.head<2>().setZero();
  collision.friction = unit(random) < 0.1 ? 0.0 : 1.5 * unit(random);
  collision.restitution = unit(random) < 0.1 ? 1.0 : unit(random);
  return collision;
}

// H2.
TEST_CASE("A collision of a sphere and of a leaning rod ends where small steps of its law end") {
  int num_stuck = 0, num_reversed = 0;
  for (const Matrix3d& K : {sphere(), offset_rod()}) {
    for (const double mu : {0.0, 0.2, 0.5, 1.0}) {
      for (const double slip : {0.0, 0.5, 2.0}) {
        for (const RestitutionLaw law : kLaws) {
          const Vector3d u(slip * std::cos(0.7), slip * std::sin(0.7), -1.0);
          const Collision collision{K, u, mu, 0.5, law};
          const CollisionOutcome outcome = follow_collision(collision);
          CAPTURE(K, mu, slip, to_string(law));
          REQUIRE(outcome.is_resolved);
          const Vector3d expected = integrate_in_small_steps(collision);
          CHECK((velocity_after(collision, outcome.impulse) - velocity_after(collision, expected))
                    .norm() <= 1e-6);
          num_stuck += outcome.sticks;
          num_reversed += outcome.reversed;
        }
      }
    }
  }
  CHECK(num_stuck > 5);
  CHECK(num_reversed > 5);
}

TEST_CASE("The certificate's integration agrees with the path of a random collision") {
  std::mt19937_64 random(20261);
  double worst = 0.0;
  int num_stuck = 0, num_reversed = 0, num_curved = 0;
  for (int k = 0; k < test::num_cases(30000); ++k) {
    Collision collision = random_collision(random);
    for (const RestitutionLaw law : kLaws) {
      collision.law = law;
      const CollisionOutcome outcome = follow_collision(collision);
      const std::optional<Vector3d> certified = collision_impulse(collision);
      CAPTURE(k, to_string(law), collision.inverse_inertia, collision.velocity.transpose(),
              collision.friction, collision.restitution);
      REQUIRE(outcome.is_resolved);
      REQUIRE(certified);
      worst = std::max(worst, (outcome.impulse - *certified).norm() / certified->norm());
      num_stuck += outcome.sticks;
      num_reversed += outcome.reversed;
      num_curved += outcome.steps > 0;
    }
  }
  CAPTURE(num_stuck, num_reversed, num_curved);
  CHECK(worst <= 1e-9);
  CHECK(num_stuck > 0);
  CHECK(num_reversed > 0);
  CHECK(num_curved > 0);
}

TEST_CASE("No law of restitution gains energy at one contact") {
  std::mt19937_64 random(1);
  int num_early = 0;
  for (int k = 0; k < test::num_cases(30000); ++k) {
    Collision collision = random_collision(random);
    const double before =
        0.5 * collision.velocity.dot(collision.inverse_inertia.inverse() * collision.velocity);
    for (const RestitutionLaw law : kLaws) {
      collision.law = law;
      const CollisionOutcome outcome = follow_collision(collision);
      const double gain = kinetic_change(collision, outcome.impulse) / before;
      CAPTURE(k, to_string(law), collision.inverse_inertia, collision.velocity.transpose(),
              collision.friction, collision.restitution);
      CHECK(velocity_after(collision, outcome.impulse).z() >= -1e-12 * collision.velocity.norm());
      CHECK(outcome.impulse.head<2>().norm() <=
            collision.friction * outcome.impulse.z() * (1.0 + 1e-12));
      CHECK(gain <= 1e-12);
      // Newton's rebound ends early where all of it would gain energy.
      const double rebound = velocity_after(collision, outcome.impulse).z();
      const double asked = -collision.restitution * collision.velocity.z();
      if (law == RestitutionLaw::Newton) num_early += rebound < asked * (1.0 - 1e-3);
    }
  }
  CHECK(num_early > 0);
}

// Work and energy: the normal impulse gives back e^2 of the energy that it has taken.
TEST_CASE("Without friction the three laws are one, and the normal speed is e times the approach") {
  for (const RestitutionLaw law : kLaws) {
    const Collision collision{offset_rod(), {0.3, -0.2, -2.0}, 0.0, 0.7, law};
    const Vector3d p = follow_collision(collision).impulse;
    CHECK(p.head<2>().isZero(0.0));
    CHECK(velocity_after(collision, p).z() == Approx(1.4).epsilon(1e-14));
  }
}

TEST_CASE("A sphere slides through a fast oblique impact and rolls off a slow one") {
  const double m = 2.0, mu = 0.3, e = 0.5, approach = 1.0;
  for (const double slip : {5.0, 0.2}) {
    const Collision collision{sphere(), {slip, 0.0, -approach}, mu, e, RestitutionLaw::Stronge};
    const CollisionOutcome outcome = follow_collision(collision);
    const double p_n = m * approach * (1.0 + e);
    CHECK(outcome.impulse.z() == Approx(p_n).epsilon(1e-13));
    // It takes 2/7 m of slip to stop it.
    const double stop = 2.0 / 7.0 * m * slip;
    CHECK(outcome.impulse.x() == Approx(-std::min(mu * p_n, stop)).epsilon(1e-13));
    CHECK(outcome.sticks == (stop < mu * p_n));
  }
}

// In the plane the path consists of straight legs: slide, then reverse slip, each with its own rate
// of u_n. K_tn < 0 and the contact slides to the right with little friction: slip stops and starts
// again to the left.
TEST_CASE("A planar rod's slip stops and reverses as Routh's diagram says") {
  Matrix3d K = Matrix3d::Zero();
  K << 2.0, 0.0, -1.2, 0.0, 1.5, 0.0, -1.2, 0.0, 1.6;
  const double mu = 0.3, slip = 0.2;
  const Collision collision{K, {slip, 0.0, -1.0}, mu, 0.5, RestitutionLaw::Poisson};
  const double stop = slip / (1.2 + mu * 2.0);             // where u_t = 0
  const double u_n_stop = -1.0 + stop * (1.6 + mu * 1.2);  // K_nn - mu K_nt sign
  const double end =
      stop - u_n_stop / (1.6 - mu * 1.2);  // end of compression, friction to the right
  const double p_n = 1.5 * end;
  const CollisionOutcome outcome = follow_collision(collision);
  CHECK(outcome.reversed);
  CHECK(outcome.impulse.z() == Approx(p_n).epsilon(1e-13));
  CHECK(outcome.impulse.x() == Approx(mu * (p_n - 2.0 * stop)).epsilon(1e-13));
}

TEST_CASE("Slip begins along the one direction in which it grows") {
  std::mt19937_64 random(5);
  int num_slips = 0;
  for (int k = 0; k < test::num_cases(10000); ++k) {
    const Collision collision = random_collision(random);
    if (collision.friction == 0.0) continue;
    const Matrix3d K = collision.inverse_inertia / collision.inverse_inertia.trace();
    const SlipOnset onset = find_slip_onset(K, collision.friction);
    const Vector2d rate = K.topLeftCorner<2, 2>() * onset.friction + K.block<2, 1>(0, 2);
    if (onset.sticks) {
      CHECK(rate.norm() <= 1e-12);
      CHECK(onset.friction.norm() <= collision.friction);
      continue;
    }
    ++num_slips;
    CHECK(onset.friction.norm() == Approx(collision.friction));
    CHECK(rate.dot(-onset.friction) > 0.0);
    CHECK(std::abs(rate.x() * onset.friction.y() - rate.y() * onset.friction.x()) <= 1e-12);
  }
  CHECK(num_slips > 0);
}

TEST_CASE("A hinged rod that wedges itself against the ground stops without a rebound") {
  // One degree of freedom: K = a a'.
  const Vector3d a(0.8, 0.0, 0.5);
  const double rate = -1.0;
  for (const RestitutionLaw law : kLaws) {
    const Collision wedged{a * a.transpose(), rate * a, 2.0, 0.5, law};
    const CollisionOutcome stopped = follow_collision(wedged);
    CHECK(stopped.is_resolved);
    CHECK(stopped.is_jammed);
    CHECK(velocity_after(wedged, stopped.impulse).norm() <= 1e-12);
    const std::optional<Vector3d> certified = collision_impulse(wedged);
    REQUIRE(certified);
    CHECK((*certified - stopped.impulse).norm() <= 1e-9 * stopped.impulse.norm());

    const Collision free{a * a.transpose(), rate * a, 0.3, 0.5, law};
    const CollisionOutcome bounced = follow_collision(free);
    CHECK_FALSE(bounced.is_jammed);
    CHECK(velocity_after(free, bounced.impulse).z() > 0.05);
    CHECK((*collision_impulse(free) - bounced.impulse).norm() <= 1e-9 * bounced.impulse.norm());
  }
}

TEST_CASE("What cannot move along the normal is not resolved, and what does not approach rests") {
  const Matrix3d blocked = Vector3d(1.0, 1.0, 0.0).asDiagonal();
  const Collision stuck{blocked, {0.5, 0.0, -1.0}, 0.5, 0.5, RestitutionLaw::Stronge};
  CHECK_FALSE(follow_collision(stuck).is_resolved);
  CHECK_FALSE(collision_impulse(stuck));

  const Collision leaving{sphere(), {0.5, 0.0, 0.0}, 0.5, 0.5, RestitutionLaw::Stronge};
  CHECK(follow_collision(leaving).impulse.isZero(0.0));
  CHECK(collision_impulse(leaving)->isZero(0.0));
}

}  // namespace
}  // namespace amontons

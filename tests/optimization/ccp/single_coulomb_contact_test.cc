#include "amontons/optimization/ccp/single_coulomb_contact.h"

#include "tests/support/test_size.h"

#include <Eigen/Cholesky>
#include <catch2/catch.hpp>

#include <cmath>
#include <random>

namespace amontons {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

double uniform(std::mt19937_64& random) {
  return std::uniform_real_distribution<double>(-1.0, 1.0)(random);
}

Vector3d random_vector(std::mt19937_64& random) {
  return {uniform(random), uniform(random), uniform(random)};
}

/// Returns W = G G' of trace 3 and the given rank.
Matrix3d random_delassus(std::mt19937_64& random, int rank) {
  Matrix3d W = Matrix3d::Zero();
  for (int k = 0; k < rank; ++k) {
    const Vector3d g = random_vector(random);
    W += g * g.transpose();
  }
  return 3.0 / W.trace() * W;
}

/// Returns the distance from Coulomb's law by its definition alone: complementarity of the normal
/// parts, the cone, and friction against the slip at full strength.
double distance_from_law(const Cone& cone, const Vector3d& r, const Vector3d& u) {
  const double radius = cone.mu * r.z() + cone.friction_offset;
  const double slip = u.head<2>().norm();
  double worst = std::max(std::max(0.0, -r.z()), std::max(0.0, -u.z()));
  worst = std::max(worst, std::abs(std::min(r.z(), u.z())));
  worst = std::max(worst, r.head<2>().norm() - radius);
  // Power of friction -radius |u_t|: only if r_t is opposite to u_t and as large as it may be.
  return std::max(worst, std::abs(radius * slip + r.head<2>().dot(u.head<2>())));
}

/// Counts the solutions of Coulomb's law: opening, sticking, and slip in each direction, where u_t
/// crosses the direction assumed. Two crossings within a step of the search are missed, and one
/// beside the end of a range of directions in which friction opposes the slip.
int count_solutions(const Matrix3d& W, double mu, const Vector3d& q, int num_directions) {
  int count = q.z() >= 0.0 ? 1 : 0;
  const Vector3d stick = -W.ldlt().solve(q);
  if (stick.z() > 0.0 && stick.head<2>().norm() <= mu * stick.z()) ++count;
  double last = 0.0;
  for (int k = 0; k <= num_directions; ++k) {
    const double angle = 2.0 * M_PI * k / num_directions;
    const Vector3d slip(std::cos(angle), std::sin(angle), 0.0);
    const Vector3d unit = Vector3d::UnitZ() - mu * slip;
    const double pressing = -q.z() / W.row(2).dot(unit);
    const Vector3d u = pressing * (W * unit) + q;
    const double across = slip.x() * u.y() - slip.y() * u.x();
    const bool along = pressing > 0.0 && slip.dot(u) > 0.0;
    if (along && last * across < 0.0) ++count;
    last = along ? across : 0.0;
  }
  return count;
}

}  // namespace

TEST_CASE("A contact that is said to have one solution has one") {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  int num_said = 0, num_several = 0;
  for (int k = 0; k < test::num_cases(100000); ++k) {
    const Matrix3d W = random_delassus(random, 3);
    const double mu = 3.0 * unit(random);
    const Vector3d q = random_vector(random);
    int count = count_solutions(W, mu, q, 1000);
    // There is a solution, so that one was missed.
    if (count == 0) count = count_solutions(W, mu, q, 200000);
    const bool is_said = SingleCoulombContact(W, {ConeKind::Friction, mu, 0.0}).has_one_solution();
    num_said += is_said ? 1 : 0;
    num_several += count > 1 ? 1 : 0;
    CAPTURE(W, mu, q.transpose());
    if (is_said) REQUIRE(count == 1);
  }
  // Both happen.
  CHECK(num_said > 0);
  CHECK(num_several > 0);
}

TEST_CASE("One contact obeys Coulomb's law exactly, for any friction and any inertia") {
  std::mt19937_64 random(1);
  for (const double mu : {0.0, 1e-6, 0.3, 1.0, 1e3}) {
    for (const double friction_offset : {0.0, 0.1}) {
      double worst = 0.0;
      for (int k = 0; k < test::num_cases(20000); ++k) {
        const Cone cone{ConeKind::Friction, mu, friction_offset};
        Matrix3d W = random_delassus(random, 3 + k % 3);
        // A friction_offset is used only where friction does not lift the contact
        // (single_coulomb_contact.h).
        if (friction_offset > 0.0) W.row(2).head<2>().setZero(), W.col(2).head<2>().setZero();
        const Vector3d q = random_vector(random);
        const Vector3d r = SingleCoulombContact(W, cone).solve(q);
        // Reactions grow with 1 / the least eigenvalue of W: u = W r + q is rounded to 1e-16 |r|,
        // and the power to that times the disc's radius.
        worst = std::max(worst, distance_from_law(cone, r, W * r + q) /
                                    ((1.0 + mu * r.norm()) * (1.0 + r.norm())));
      }
      CAPTURE(mu, friction_offset);
      CHECK(worst <= 1e-13);
    }
  }
}

TEST_CASE(
    "A contact that can only be stopped in its plane slides there as far as friction lets it") {
  // No coupling: r_n = -q_n / W_nn, r_t = -mu r_n t unless that would turn the slip.
  const Matrix3d W = Matrix3d::Identity();
  const SingleCoulombContact contact(W, {ConeKind::Friction, 0.5, 0.0});
  const Vector3d slides = contact.solve({3.0, 4.0, -2.0});
  CHECK((slides - Vector3d(-0.6, -0.8, 2.0)).norm() <= 1e-14);
  const Vector3d sticks = contact.solve({0.3, 0.4, -2.0});
  CHECK((sticks - Vector3d(-0.3, -0.4, 2.0)).norm() <= 1e-15);
  CHECK(contact.solve({3.0, 4.0, 1e-9}) == Vector3d::Zero());
}

TEST_CASE("A contact without tangential response carries its normal impulse alone") {
  Matrix3d W = Matrix3d::Zero();
  W(2, 2) = 3.0;
  const Vector3d r =
      SingleCoulombContact(W, {ConeKind::Friction, 0.5, 0.0}).solve({1.0, 0.0, -3.0});
  CHECK(r.z() == Approx(1.0).epsilon(1e-15));
  // It slides at 1 for any friction: friction is at full strength against it.
  CHECK((r.head<2>() - Eigen::Vector2d(-0.5, 0.0)).norm() <= 1e-12);
}

TEST_CASE("Painleve: friction that presses a contact together still has an answer") {
  // W_nt so strong that sliding with friction presses harder than the normal impulse can hold.
  const Eigen::Vector2d g1(1.0, 0.9), g2(0.0, 0.2);
  Matrix3d W = Matrix3d::Zero();
  W(0, 0) = g1.x() * g1.x() + g2.x() * g2.x();
  W(0, 2) = W(2, 0) = g1.x() * g1.y() + g2.x() * g2.y();
  W(2, 2) = g1.y() * g1.y() + g2.y() * g2.y();
  W(1, 1) = 1.0;
  for (const double slip : {-1.0, 1.0}) {
    for (const double mu : {0.2, 1.0, 3.0}) {
      const Cone cone{ConeKind::Friction, mu, 0.0};
      const Vector3d q(slip, 0.0, -0.1);
      const Vector3d r = SingleCoulombContact(W, cone).solve(q);
      CAPTURE(slip, mu);
      REQUIRE(r.allFinite());
      CHECK(distance_from_law(cone, r, W * r + q) <= 1e-10 * (1.0 + mu * r.norm()));
    }
  }
}

}  // namespace amontons

#include "amontons/contact/operators/rebound.h"

#include "amontons/contact/problem_from_matrices.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>

namespace amontons {
namespace {

constexpr double kGravity = 9.81;

// Returns how much the apex after a bounce misses e^2 of the height that the ball was dropped from
// [m], by symplectic Euler. The gap at which the bounce begins is what the step happens to leave.
double apex_error(double e, double h, double drop) {
  double z = drop, v = 0.0;
  while (z + h * (v - h * kGravity) > 0.0) {
    v -= h * kGravity;
    z += h * v;
  }
  v = rebound_speed(e, -v, -h * kGravity, z / h);
  return z + 0.5 * v * v / kGravity + 0.5 * h * v - e * e * drop;
}

TEST_CASE("A bounce returns e^2 of the height, whatever gap the step begins at") {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> height(0.2, 2.0), share(0.3, 1.0);
  for (int k = 0; k < 1000; ++k) {
    const double drop = height(random);
    CHECK(std::abs(apex_error(share(random), 1e-3, drop)) <= 1e-12);
  }
}

TEST_CASE("Without acceleration, and without loss, the rebound is e times the approach") {
  for (const double e : {0.0, 0.1, 0.5, 0.9, 1.0}) {
    CHECK(rebound_speed(e, 2.0, 0.0, 0.3) == Approx(2.0 * e).margin(1e-15));
  }
  for (const double gain : {-0.5, -0.01, 0.01, 0.5}) {
    CHECK(rebound_speed(1.0, 2.0, gain, 0.3) == Approx(2.0).epsilon(1e-14));
  }
}

TEST_CASE("The rebound is never above e times the approach nor below zero") {
  std::mt19937_64 random(6);
  std::uniform_real_distribution<double> signed_share(-1.0, 1.0), share(0.0, 1.0);
  for (int k = 0; k < 10000; ++k) {
    const double e = share(random);
    const double approach = share(random);
    const double result = rebound_speed(e, approach, signed_share(random), signed_share(random));
    CHECK(result >= 0.0);
    CHECK(result <= e * approach);
  }
  CHECK(rebound_speed(0.5, -1.0, -0.1, 0.0) == 0.0);
  CHECK(rebound_speed(0.5, 0.0, -0.1, 0.0) == 0.0);
}

// Coordinates are speeds along one normal: a table with a prescribed rate, a ball that falls on it,
// and a box that has moved with it at the mean rate before.
TEST_CASE("An impact on a prescribed motion has the approach by the rate at the instant") {
  ProblemMatrices table;
  table.M = Eigen::MatrixXd(Eigen::Vector3d(2.0, 1.0, 0.5).asDiagonal()).sparseView();
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(6, 3);
  J.row(2) << -1.0, 1.0, 0.0;
  J.row(5) << -1.0, 0.0, 1.0;
  table.J = J.sparseView();
  table.velocity = table.free_velocity = Eigen::Vector3d(1.0, -1.0, 1.0);
  table.friction = Eigen::Vector2d::Zero();
  table.restitution = Eigen::Vector2d(0.5, 0.5);
  table.G = Eigen::MatrixXd(Eigen::RowVector3d(1.0, 0.0, 0.0)).sparseView();
  table.target = Eigen::VectorXd::Constant(1, 2.0);
  table.step = 0.0;
  const ContactProblem problem = problem_from_matrices(table);
  const Rebound rebound = find_rebound(problem, problem.contact_velocities(problem.free_velocity));
  CHECK(rebound.approach(0) == Approx(3.0).epsilon(1e-14));
  CHECK(rebound.speed(0) == Approx(1.5).epsilon(1e-14));
  CHECK(rebound.impulse_share(0) == Approx(0.5).epsilon(1e-14));
  CHECK(rebound.approach(1) == 0.0);
  CHECK(rebound.speed(1) == 0.0);
}

}  // namespace
}  // namespace amontons

#include "amontons/models/acceleration/viscous_acceleration.h"

#include "tests/support/contact_scenes.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace amontons {
namespace {

using Eigen::Vector3d;
using Eigen::VectorXd;
using test::kWorld;
using test::SceneBuilder;

constexpr double kG = 9.81, kSlope = 0.4;

/// Makes a body of 1 kg on four contacts at the height of its center; gravity is that of a slope
/// along x.
ContactProblem skate(double viscous, double speed) {
  SceneBuilder scene(1e-2);
  const int body = scene.add_box(1.0, {0.2, 0.2, 0.1}, {0.0, 0.0, 0.0}, {speed, 0.0, 0.0});
  for (int corner = 0; corner < 4; ++corner) {
    scene.add_contact(kWorld, body, {0.2 * (corner % 2) - 0.1, 0.2 * (corner / 2) - 0.1, 0.0},
                      {0.0, 0.0, 1.0}, 0.0, 0.0);
  }
  ContactProblem problem = scene.build();
  for (Contact& contact : problem.contacts) contact.viscous_friction = viscous / 4.0;
  return problem;
}

VectorXd gravity_on_slope() {
  VectorXd forces = VectorXd::Zero(6);
  forces.tail<3>() = kG * Vector3d(std::sin(kSlope), 0.0, -std::cos(kSlope));
  return forces;
}

ViscousAcceleration at_rest_rates(const ContactProblem& problem, const VectorXd& forces) {
  return viscous_acceleration(problem, forces, VectorXd::Zero(problem.contact_jacobian.rows()),
                              VectorXd::Zero(problem.joint_jacobian.rows()));
}

TEST_CASE(
    "A body on a viscous slope has the acceleration g sin - mu_v v/m and presses with its weight") {
  const double viscous = 3.0, speed = 0.7;
  const ViscousAcceleration now = at_rest_rates(skate(viscous, speed), gravity_on_slope());
  CHECK(now.status == SolveStatus::Converged);
  CHECK(now.acceleration(3) == Approx(kG * std::sin(kSlope) - viscous * speed).epsilon(1e-14));
  double load = 0.0;
  for (int c = 0; c < 4; ++c) {
    load += now.contact_forces(3 * c + 2);
    CHECK(now.contact_forces(3 * c) == Approx(-viscous / 4.0 * speed).epsilon(1e-14));
    CHECK(now.contact_forces(3 * c + 2) >= 0.0);
    CHECK(std::abs(now.separation(c)) < 1e-13 * kG);
  }
  CHECK(load == Approx(kG * std::cos(kSlope)).epsilon(1e-13));
}

// v' = g sin - mu_v v: v(t) = v_inf + (v_0 - v_inf) exp(-mu_v t).
TEST_CASE("Classical Runge-Kutta on it is of fourth order", "[A4]") {
  const double viscous = 2.0, v_0 = 1.0, terminal = kG * std::sin(kSlope) / viscous;
  const auto rate = [&](double speed) {
    return at_rest_rates(skate(viscous, speed), gravity_on_slope()).acceleration(3);
  };
  std::vector<double> errors;
  for (const int steps : {10, 20, 40}) {
    const double h = 1.0 / steps;
    double v = v_0;
    for (int k = 0; k < steps; ++k) {
      const double k1 = rate(v), k2 = rate(v + 0.5 * h * k1), k3 = rate(v + 0.5 * h * k2),
                   k4 = rate(v + h * k3);
      v += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
    }
    errors.push_back(std::abs(v - terminal - (v_0 - terminal) * std::exp(-viscous)));
  }
  for (std::size_t k = 1; k < errors.size(); ++k) {
    CHECK(std::log2(errors[k - 1] / errors[k]) == Approx(4.0).margin(0.15));
  }
}

// With the sign that is printed in (42) the body would fall through the floor.
TEST_CASE("What is pulled off its contact leaves, and what is pressed on it stays") {
  for (const double pull : {-1.0, 1.0}) {
    const VectorXd forces = (VectorXd(6) << 0, 0, 0, 0, 0, pull).finished();
    const ViscousAcceleration now = at_rest_rates(skate(1.0, 0.0), forces);
    CHECK(now.acceleration(5) == Approx(std::max(0.0, pull)).margin(1e-14));
  }
}

// A point that goes round on a circle of radius r: Jdot v = -v^2/r asks for the centripetal force.
TEST_CASE("A joint's own acceleration is met") {
  SceneBuilder scene(1e-2);
  const int rod = scene.add_box(2.0, {1.0, 0.05, 0.05}, {0.5, 0.0, 0.0});
  scene.add_ball_joint(kWorld, rod, {0.0, 0.0, 0.0});
  const ContactProblem problem = scene.build();
  const double w = 3.0, r = 0.5;
  // The joint's point on the rod accelerates by w^2 r towards the center, +x, if the center does
  // not accelerate.
  const Vector3d rate(w * w * r, 0.0, 0.0);
  for (const double sign : {1.0, -1.0}) {
    const ViscousAcceleration now =
        viscous_acceleration(problem, VectorXd::Zero(6), VectorXd(0), sign * rate);
    CHECK(now.status == SolveStatus::Converged);
    const VectorXd left = problem.joint_jacobian * now.acceleration + sign * rate;
    CHECK(left.norm() < 1e-13 * rate.norm());
    CHECK(std::abs(now.joint_forces(0)) == Approx(2.0 * w * w * r).epsilon(1e-12));
  }
}

// Two walls that both ask for an acceleration towards the other.
TEST_CASE("Contradicting accelerations are reported, not answered") {
  SceneBuilder scene(1e-2, {0.0, 0.0, 0.0});
  const int ball = scene.add_ball(1.0, 0.1, {0.0, 0.0, 0.0});
  scene.add_contact(kWorld, ball, {0.1, 0.0, 0.0}, {-1.0, 0.0, 0.0}, 0.0, 0.0);
  scene.add_contact(kWorld, ball, {-0.1, 0.0, 0.0}, {1.0, 0.0, 0.0}, 0.0, 0.0);
  const ContactProblem problem = scene.build();
  VectorXd rate = VectorXd::Zero(6);
  rate(2) = rate(5) = -1.0;
  CHECK(viscous_acceleration(problem, VectorXd::Zero(6), rate, VectorXd(0)).status ==
        SolveStatus::Infeasible);
  CHECK_THROWS_AS(viscous_acceleration(problem, VectorXd::Zero(5), rate, VectorXd(0)),
                  std::invalid_argument);
}

}  // namespace
}  // namespace amontons

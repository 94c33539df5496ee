#include "amontons/math/rotation.h"
#include "amontons/math/solve_status.h"
#include "tests/simulation/scenes.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <string>

// Coulomb's law in motion: ramps, tipping, rolling. The pyramid's first direction lies along the
// fall line, where the pyramid is exact.

namespace amontons::test {
namespace {

constexpr double kStep = 0.001;

// Makes a body on a plane inclined by `slope` about y: the world stays level and gravity turns
// instead.
Scene inclined(double slope, double friction, double duration) {
  Scene scene = empty_scene(kStep, duration);
  scene.gravity = kGravity * Eigen::Vector3d(std::sin(slope), 0.0, -std::cos(slope));
  default_material(scene, friction);
  return scene;
}

}  // namespace

TEST_CASE(
    "R01: a box on a ramp sticks below the friction angle and slides at g (sin - mu cos) above") {
  const double slope = GENERATE(0.1, 0.3, 0.5, 0.8);
  const double friction = GENERATE(0.0, 0.2, 0.4);
  CAPTURE(slope, friction);
  Scene scene = inclined(slope, friction, 0.2);
  add_body(scene, "box", Box{{0.2, 0.2, 0.1}}, 1.0, {0.0, 0.0, 0.05});
  add_ground(scene);
  Simulator simulator(scene);
  CHECK(run(simulator) == 0);

  const double a = std::max(0.0, kGravity * (std::sin(slope) - friction * std::cos(slope)));
  const double l = 200.0;
  CHECK(velocity(simulator).x() == Approx(l * kStep * a).margin(1e-9));
  CHECK(position(simulator).x() == Approx(a * kStep * kStep * l * (l + 1.0) / 2.0).margin(1e-9));
  CHECK(std::abs(position(simulator).z() - 0.05) < 1e-9);
}

// Close to the limit (16.699 degrees) all contacts may be at the rim of their cones.
TEST_CASE("A box on a ramp does not creep by 1e-12 m in a minute, up to the friction angle") {
  const double degrees = GENERATE(3.0, 15.0, 16.5, 16.69), azimuth = GENERATE(0.0, 0.5);
  CAPTURE(degrees, azimuth);
  Scene scene = empty_scene(0.01, 60.0, "coulomb");
  default_material(scene, 0.3);
  const Eigen::Matrix3d R = rotation_from_vector(azimuth * Eigen::Vector3d::UnitZ()) *
                            rotation_from_vector(degrees * kPi / 180.0 * Eigen::Vector3d::UnitY());
  const Eigen::Vector3d center = 0.25 * R.col(2);
  add_body(scene, "box", Box{{0.5, 0.5, 0.5}}, 1.0, center).pose.rotation = R;
  add_half_space(scene, "ramp", R.col(2));
  Simulator simulator(scene);
  CHECK(run(simulator) == 0);
  CHECK((position(simulator) - center).norm() < 1e-12);
}

TEST_CASE("R02: a sliding ball ends rolling at 5/7 v + 2/7 r w, when its slip would have stopped") {
  const double friction = GENERATE(0.1, 0.2, 0.6), launch = GENERATE(1.0, 5.0);
  const double spin = GENERATE(0.0, -10.0, 20.0);
  CAPTURE(friction, launch, spin);
  constexpr double kRadius = 0.1;
  Scene scene = empty_scene(kStep, 0.0);
  default_material(scene, friction);
  SceneBody& ball = add_body(scene, "ball", Sphere{kRadius}, 1.0, {0.0, 0.0, kRadius});
  ball.linear_velocity = {launch, 0.0, 0.0};
  ball.angular_velocity = {0.0, spin, 0.0};
  add_ground(scene);
  const double slip = launch - kRadius * spin;
  const double transition = 2.0 / 7.0 * std::abs(slip) / (friction * kGravity);
  scene.simulation.duration = transition + 0.2;
  Simulator simulator(scene);
  double rolls_since = 0.0;
  CHECK(run(simulator, [&](const StepReport&) {
          const double now = velocity(simulator).x() - kRadius * angular_velocity(simulator).y();
          if (rolls_since == 0.0 && std::abs(now) < 1e-6 * std::abs(slip)) {
            rolls_since = simulator.time();
          }
        }) == 0);

  CHECK(velocity(simulator).x() ==
        Approx(5.0 / 7.0 * launch + 2.0 / 7.0 * kRadius * spin).margin(1e-9));
  CHECK(std::abs(rolls_since - transition) <= 1.001 * kStep);
}

TEST_CASE("R04: balls and cylinders roll down an incline at g sin / (1 + k^2/r^2)") {
  const double slope = GENERATE(0.05, 0.2);
  const bool is_ball = GENERATE(true, false);
  CAPTURE(slope, is_ball);
  constexpr double kRadius = 0.1;
  Scene scene = inclined(slope, 0.5, 0.5);
  Shape shape = Sphere{kRadius};
  if (!is_ball) shape = Cylinder{kRadius, 0.3};
  SceneBody& body = add_body(scene, "roller", shape, 2.0, {0.0, 0.0, kRadius});
  // A cylinder rolls along x with its axis along y.
  if (!is_ball) {
    body.pose.rotation << 1, 0, 0, 0, 0, 1, 0, -1, 0;
  }
  add_ground(scene);
  Simulator simulator(scene);
  CHECK(run(simulator) == 0);

  const double a = kGravity * std::sin(slope) / (1.0 + (is_ball ? 0.4 : 0.5));
  const double l = static_cast<double>(simulator.state().step_count);
  CHECK(velocity(simulator).x() == Approx(l * kStep * a).margin(1e-8));
  CHECK(position(simulator).x() == Approx(a * kStep * kStep * l * (l + 1.0) / 2.0).margin(1e-8));
}

TEST_CASE("R11: a box tips if tan(slope) exceeds a/b, and slides if it exceeds mu") {
  constexpr double kHeight = 0.2;
  // a/b = 0.5, so that mu = 1 lets it tip first and mu = 0.3 lets it slide first.
  constexpr double kWidth = 0.1;
  const double friction = GENERATE(0.3, 1.0);
  const double beyond = GENERATE(-0.01, 0.01);
  const double critical = std::min(friction, kWidth / kHeight);
  const double slope = std::atan(critical * (1.0 + beyond));
  CAPTURE(friction, beyond);
  Scene scene = inclined(slope, friction, 0.5);
  add_body(scene, "box", Box{{kWidth, 0.1, kHeight}}, 1.0, {0.0, 0.0, kHeight / 2.0});
  add_ground(scene);
  Simulator simulator(scene);
  CHECK(run(simulator) == 0);

  const double turned = std::abs(angular_velocity(simulator).y());
  const double moved = std::abs(position(simulator).x());
  if (beyond < 0.0) {
    CHECK(turned < 1e-8);
    CHECK(moved < 1e-8);
  } else if (friction < kWidth / kHeight) {
    CHECK(turned < 1e-8);
    CHECK(moved > 1e-4);
  } else {
    CHECK(turned > 1e-3);
  }
}

TEST_CASE("R15: a ball in a wedge resists being pulled out iff alpha < atan(mu)") {
  // Two walls, each inclined by alpha to the vertical, open upwards. The relaxation has least
  // kinetic energy. It therefore stays at rest whenever contact forces can balance the pull:
  // whenever both friction cones contain the line between the contacts. The test takes one step,
  // because nothing restores a jam: rounding in the gap would grow from step to step.
  const double friction = GENERATE(0.2, 0.5, 1.0);
  const double relative = GENERATE(0.97, 1.03);
  const double pull = GENERATE(-10.0, 10.0);
  const double alpha = relative * std::atan(friction);
  CAPTURE(friction, relative, pull);
  constexpr double kRadius = 0.1;
  Scene scene = empty_scene(kStep, kStep, "convex-relaxation");
  scene.gravity.setZero();
  default_material(scene, friction);
  add_body(scene, "ball", Sphere{kRadius}, 1.0, Eigen::Vector3d::Zero());
  add_half_space(scene, "left", {std::cos(alpha), 0.0, std::sin(alpha)}, -kRadius);
  add_half_space(scene, "right", {-std::cos(alpha), 0.0, std::sin(alpha)}, -kRadius);
  scene.wrenches.push_back({"ball",
                            Eigen::Vector3d(0.0, 0.0, pull),
                            Eigen::Vector3d::Zero(),
                            Eigen::Vector3d::Zero(),
                            {}});
  Simulator simulator(scene);
  double energy_gained = 0.0;
  CHECK(run(simulator, [&](const StepReport& report) {
          energy_gained = std::max(energy_gained, report.certificate.energy_gained);
        }) == 0);
  CHECK(energy_gained < 1e-10);
  if (pull < 0.0 || relative < 1.0) {
    CHECK(velocity(simulator).norm() < 1e-8);
  } else {
    CHECK(velocity(simulator).z() > 1e-5);
  }
}

// Edges that all but line up hold each other by rows that nearly repeat: their impulses cancel.
TEST_CASE("A row of dominoes falls without slip in every step") {
  Scene scene = empty_scene(5e-3, 0.5, "no-slip");
  default_material(scene, 0.5);
  add_ground(scene);
  for (int i = 1; i < 15; ++i) {
    add_body(scene, "domino" + std::to_string(i), Box{{0.02, 0.1, 0.2}}, 1.0, {0.08 * i, 0.0, 0.1});
  }
  add_body(scene, "first", Box{{0.02, 0.1, 0.2}}, 1.0, {0.02, 0.0, 0.105}).pose.rotation =
      rotation_from_rpy(0.0, 12.0 * kPi / 180.0, 0.0);
  Simulator simulator(scene, 1);
  run(simulator, [&](const StepReport& report) {
    CAPTURE(report.end->step_count, report.certificate.law_distance.value);
    CHECK(answers_law_asked(report.solution.status));
  });
}

}  // namespace amontons::test

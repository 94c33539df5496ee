#include "amontons/simulation/stepping/correction_limits.h"
#include "tests/simulation/joint_scenes.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <string>

// Overlaps that no joint can open: they hold nothing else back, and move nothing.

namespace amontons::test {
namespace {

const Eigen::Vector3d kY = Eigen::Vector3d::UnitY();

/// Adds a link on a hinge at `axle`, with a ball of 0.1 m at `ball`, and a fixed ball of 0.1 m that
/// overlaps with it by 0.08 m in a direction.
void add_link(Scene& scene, const std::string& name, const Eigen::Vector3d& axle,
              const Eigen::Vector3d& ball, const Eigen::Vector3d& direction) {
  add_body(scene, name, Sphere{0.1}, 0.5, ball);
  SceneBody& wall = add_body(scene, name + "-wall", Sphere{0.1}, 1.0, ball + 0.12 * direction);
  wall.base = BaseType::Fixed;
  add_joint(scene, name + "-hinge", JointType::Continuous, "world", name, kY, axle);
}

/// Returns the largest impulse of a contact [N s].
double largest_impulse(const StepReport& report) {
  return report.solution.impulses.size() > 0 ? report.solution.impulses.lpNorm<Eigen::Infinity>()
                                             : 0.0;
}

}  // namespace

TEST_CASE("An overlap towards the axle stays and says so, and others open beside it") {
  for (const char* model : {"anitescu-hart", "frictionless"}) {
    CAPTURE(model);
    Scene scene = empty_scene(5e-3, 0.15, model);
    scene.gravity.setZero();  // it would turn the first link, whose overlap could then open
    default_material(scene, 0.4);
    // One normal runs through the axle, up to a rounding of 1e-17 m; one is at right angles to it.
    add_link(scene, "blocked", {0.0, 0.0, 0.0}, {0.3, 0.0, 0.4}, {0.6, 0.0, 0.8});
    add_link(scene, "turning", {2.0, 0.0, 0.0}, {2.3, 0.0, 0.4}, {0.8, 0.0, -0.6});
    Simulator simulator(scene);
    const double speed = default_overlap_speed(simulator.system());
    double fastest = 0.0;
    CHECK(run(simulator, [&](const StepReport& report) {
            CHECK(report.solution.status == SolveStatus::Infeasible);
            CHECK(largest_impulse(report) <= 2.0 * speed * 0.5);
            fastest = std::max(fastest, 0.5 * report.solution.velocity.lpNorm<Eigen::Infinity>());
          }) > 0);
    // The other link opens within 0.08 m over the limit, and no arm of 0.5 m is faster.
    CHECK(fastest > 0.3 * speed);
    CHECK(fastest <= 1.01 * speed);
    CHECK(std::abs(joint_position(simulator, "turning-hinge")) > 0.1);
    CHECK(joint_position(simulator, "blocked-hinge") == Approx(0.0).margin(1e-9));
  }
}

// A link of two hinges in line with a wall on each side: neither overlap can open.
TEST_CASE("Overlaps and limits that contradict each other move nothing and have small impulses") {
  for (const double step : {4e-3, 1e-3, 2.5e-4}) {
    CAPTURE(step);
    Scene scene = empty_scene(step, 0.1, "coulomb");
    default_material(scene, 0.3);
    add_link(scene, "left", {0.0, 0.0, 0.0}, {0.0, 0.0, -0.5}, {1.0, 0.0, 0.0});
    SceneBody& wall = add_body(scene, "other-wall", Sphere{0.1}, 1.0, {-0.11, 0.0, -0.5});
    wall.base = BaseType::Fixed;
    Simulator simulator(scene);
    run(simulator, [&](const StepReport& report) {
      CHECK(report.solution.status == SolveStatus::Infeasible);
      CHECK_FALSE(report.certificate.holds);
      CHECK(report.solution.velocity.lpNorm<Eigen::Infinity>() <= 1e-6);
      CHECK(largest_impulse(report) <= 0.5 * kGravity * step);
      CHECK(std::abs(report.energy.stabilization) <= 0.5 * kGravity * step * 3.0);
    });
  }
}

// The wall pushes the link against the stop of its own hinge.
TEST_CASE("A deep overlap against a stop leaves both where they are") {
  Scene scene = empty_scene(1e-3, 0.2, "coulomb");
  add_link(scene, "link", {0.0, 0.0, 0.0}, {0.0, 0.0, -0.5}, {1.0, 0.0, 0.0});
  SceneJoint& hinge = scene.joints.back();
  hinge.type = JointType::Revolute;
  hinge.dynamics.limits = {{-0.2, 0.0}};
  // Turning by a positive angle about y moves the ball to negative x, away from the wall.
  Simulator simulator(scene);
  run(simulator, [&](const StepReport& report) {
    CHECK(report.solution.status == SolveStatus::Infeasible);
    CHECK(report.solution.velocity.lpNorm<Eigen::Infinity>() <= 1e-6);
    CHECK(std::isfinite(report.energy.stabilization));
    CHECK(std::abs(report.energy.unexplained) <= 1e-9);
  });
}

// A rod turns fast about its own axis, while its points are slow.
TEST_CASE("A thin rod opens its overlap with a ball that leaves the ground") {
  for (const char* model : {"coulomb", "frictionless", "anitescu-hart"}) {
    for (const double mass : {10.0, 1e3, 1e8}) {
      CAPTURE(model, mass);
      Scene scene = empty_scene(6e-3, 0.03, model);
      default_material(scene, 0.3);
      add_ground(scene);
      add_body(scene, "rod", Box{{0.001, 2.0, 0.001}}, 2.0, {0.57, 0.32, 0.84}).linear_velocity = {
          -2.4, 0.0, -2.4};
      SceneBody& ball = add_body(scene, "ball", Sphere{1.2}, mass, {-0.34, 0.0, 0.74});
      ball.linear_velocity = {-16.0, 0.0, 0.0};
      ball.angular_velocity = {-16.6, 0.0, 0.0};
      Simulator simulator(scene);
      double gap = -0.46;
      run(simulator, [&](const StepReport& report) {
        CHECK(report.solution.status == SolveStatus::Converged);
        CHECK(report.certificate.holds);
        gap = std::max(gap, report.problem.contacts.front().gap);
      });
      CHECK(gap > -0.46 + 0.03);
    }
  }
}

}  // namespace amontons::test

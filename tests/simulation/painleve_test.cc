#include "tests/simulation/scenes.h"

#include <catch2/catch.hpp>

#include <cmath>

namespace amontons::test {

TEST_CASE(
    "R09: a rod dragged into its contact beyond Painleve's friction gets a finite certified "
    "answer") {
  // A planar rod at 0.8 rad slides, its lower end on the ground. Beyond the critical friction the
  // acceleration problem has no solution, while the velocity problem always has one.
  const double friction = GENERATE(0.5, 2.0, 10.0, 1e6);
  const double speed = GENERATE(-1.0, 1.0);
  CAPTURE(friction, speed);
  constexpr double kRadius = 1e-3, kAngle = 0.8;
  Scene scene = empty_scene(0.01, 0.2);
  default_material(scene, friction);
  SceneBody rod;
  rod.name = "rod";
  rod.base = BaseType::Planar;
  rod.inertia = {1.0, Eigen::Vector3d::Zero(), Eigen::Matrix3d::Identity() / 12.0};
  // The rod's end is a small ball, 0.5 m from its center.
  rod.shapes.push_back(
      {Sphere{kRadius},
       Pose{Eigen::Matrix3d::Identity(), {-0.5 * std::cos(kAngle), 0.0, -0.5 * std::sin(kAngle)}},
       "default"});
  rod.pose.translation = {0.0, 0.0, 0.5 * std::sin(kAngle) + kRadius};
  rod.linear_velocity = {speed, 0.0, 0.0};
  scene.bodies.push_back(rod);
  add_ground(scene);

  Simulator simulator(scene);
  double worst_residual = 0.0, energy_gained = 0.0;
  CHECK(run(simulator, [&](const StepReport& report) {
          CHECK(report.solution.velocity.allFinite());
          worst_residual = std::max(
              {worst_residual, report.certificate.normal.value, report.certificate.friction.value});
          energy_gained = std::max(energy_gained, report.certificate.energy_gained);
        }) == 0);
  CHECK(worst_residual < 1e-9);
  CHECK(energy_gained < 1e-10);
}

}  // namespace amontons::test

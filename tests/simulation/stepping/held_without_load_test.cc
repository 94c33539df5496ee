#include "tests/simulation/joint_scenes.h"

#include <Eigen/Geometry>
#include <catch2/catch.hpp>

#include <algorithm>
#include <random>

namespace amontons::test {

// Held tangents at both ends of a drum nearly depend on each other: by a lever of the height of one
// end, 1e-7 m, they carried it for ever.
TEST_CASE("A drum that lands off its line bears on both ends in the end, without slip") {
  std::mt19937_64 random(23);
  std::uniform_real_distribution<double> tilt(0.2, 2.0), speed(-0.3, 0.3);
  for (int round = 0; round < 10; ++round) {
    const double h = round % 2 == 0 ? 2e-3 : 5e-3;
    Scene scene = empty_scene(h, 0.3, "no-slip");
    default_material(scene, 0.5);
    add_ground(scene);
    SceneBody& drum = add_body(scene, "drum", Cylinder{0.1, 0.2}, 2.0, {0.0, 0.0, 0.12});
    const double angle = (90.0 - tilt(random)) * kPi / 180.0;
    drum.pose.rotation = Eigen::AngleAxisd(angle, Eigen::Vector3d::UnitX()).toRotationMatrix();
    drum.linear_velocity = Eigen::Vector3d(speed(random), 0.0, 0.0);
    Simulator simulator(scene);
    CAPTURE(round, h);
    // Impulses of the last steps, when it rolls.
    double largest_friction = 0.0;
    int unloaded = 0;
    CHECK(run(simulator, [&](const StepReport& report) {
            if (simulator.state().time < 0.25) return;
            for (std::size_t c = 0; c < report.problem.num_contacts(); ++c) {
              const Eigen::Vector3d p = report.solution.impulses.segment<3>(ContactProblem::row(c));
              largest_friction = std::max(largest_friction, p.head<2>().norm());
              if (p.z() == 0.0 && !p.isZero(0.0)) ++unloaded;
            }
          }) == 0);
    CHECK(unloaded == 0);
    CHECK(largest_friction < 1e-3 * 2.0 * kGravity * h);
  }
}

}  // namespace amontons::test

#include "tests/simulation/joint_scenes.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <string>

// Impacts on a table whose joint has a prescribed motion.

namespace amontons::test {
namespace {

constexpr double kRadius = 0.05, kDrop = 0.1, kAmplitude = 0.02, kPeriod = 0.1;

/// Makes a ball above a table that a joint shakes up and down.
Scene table_scene(const std::string& method, double step, double e) {
  Scene scene = empty_scene(step, 0.3, "coulomb");
  scene.simulation.method = method;
  scene.simulation.events.impact_model = "coulomb";
  scene.simulation.events.contact_tolerance = 1e-12;
  default_material(scene, 0.0, e);
  add_body(scene, "ball", Sphere{kRadius}, 1.0, {0.3, 0.0, kDrop + kRadius});
  add_body(scene, "table", Box{{1.0, 1.0, 0.1}}, 1.0, {0.0, 0.0, -0.05});
  add_joint(scene, "lift", JointType::Prismatic, "world", "table", Eigen::Vector3d::UnitZ(),
            Eigen::Vector3d::Zero());
  scene.joint_motions.push_back(
      {.joint = "lift", .amplitude = kAmplitude, .period = kPeriod, .where = {}});
  return scene;
}

double table_velocity(double time) {
  return 2.0 * kPi / kPeriod * kAmplitude * std::cos(2.0 * kPi * time / kPeriod);
}

}  // namespace

TEST_CASE("A ball leaves a table that a joint shakes at v_table + e (v_table - v_ball)") {
  const std::string method = GENERATE("event-driven", "hybrid");
  const double e = GENERATE(0.3, 0.6, 1.0), step = GENERATE(5e-4, 2e-3, 5e-3, 1e-2);
  Simulator simulator(table_scene(method, step, e));
  const StepReport* report = nullptr;
  do {
    report = &simulator.step();
    REQUIRE(report->certificate.holds);
  } while (!report->events.impact && !simulator.finished());
  REQUIRE(report->events.impact);
  // The ball has fallen freely, and the table has the rate of its motion at the impact.
  const double time = simulator.time(), of_table = table_velocity(time);
  const double of_ball = -kGravity * time;
  CAPTURE(method, e, step, time);
  CHECK(kDrop - 0.5 * kGravity * time * time ==
        Approx(kAmplitude * std::sin(2.0 * kPi * time / kPeriod)).margin(1e-9));
  CHECK(velocity(simulator).z() == Approx(of_table + e * (of_table - of_ball)).epsilon(1e-9));
  CHECK(joint_rate(simulator, "lift") == Approx(of_table).epsilon(1e-9));
}

}  // namespace amontons::test

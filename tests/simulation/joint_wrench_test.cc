#include "amontons/simulation/joint_wrench.h"

#include "amontons/simulation/simulator.h"
#include "tests/simulation/joint_scenes.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <functional>
#include <string>
#include <utility>

// What force-torque sensors at joints read beside joints that are rows of J.

namespace amontons::test {
namespace {

const Eigen::Vector3d kAxis = Eigen::Vector3d::UnitY();

/// Makes two links hinged at the top of an arch, whose second foot closes the loop on a cart.
Scene arch() {
  Scene scene = empty_scene(1e-3, 0.01);
  add_mass(scene, "left", 1.0, {0.02, 0.03, 0.04}, {0.5, 0.0, 0.5});
  add_mass(scene, "right", 1.0, {0.02, 0.03, 0.04}, {1.5, 0.0, 0.5});
  add_mass(scene, "cart", 1.0, {0.02, 0.03, 0.04}, {2.0, 0.0, 0.2});
  add_joint(scene, "foot", JointType::Revolute, "world", "left", kAxis, {0.0, 0.0, 0.0});
  add_joint(scene, "top", JointType::Revolute, "left", "right", kAxis, {1.0, 0.0, 1.0});
  add_joint(scene, "rail", JointType::Prismatic, "world", "cart", Eigen::Vector3d::UnitX(),
            {2.0, 0.0, 0.2})
      .rate = 0.5;
  add_joint(scene, "closing", JointType::Revolute, "cart", "right", kAxis, {2.0, 0.0, 0.0});
  return scene;
}

}  // namespace

TEST_CASE("A free hinge carries no torque, whatever acts along the joint that closes its loop") {
  using Change = std::function<void(Scene&)>;
  const std::pair<const char*, Change> changes[] = {
      {"nothing", [](Scene&) {}},
      {"spring",
       [](Scene& scene) {
         scene.joints[3].dynamics.stiffness = 20.0;
         scene.joints[3].dynamics.rest_position = 0.5;
       }},
      {"damper", [](Scene& scene) { scene.joints[3].dynamics.viscous_friction = 5.0; }},
      {"friction", [](Scene& scene) { scene.joints[3].dynamics.coulomb_friction = 3.0; }},
      {"upper limit",
       [](Scene& scene) {
         scene.joints[3].dynamics.limits = {{-1.0, -1e-4}};
       }},
      {"lower limit",
       [](Scene& scene) {
         scene.joints[3].dynamics.limits = {{1e-4, 1.0}};
       }},
      {"effort",
       [](Scene& scene) {
         scene.efforts.push_back({.joint = "closing", .effort = 4.0, .where = {}});
       }},
      {"servo",
       [](Scene& scene) {
         scene.servos.push_back(
             {.joint = "closing", .target = 0.3, .kp = 50.0, .kd = 1.0, .where = {}});
       }},
      {"coupling",
       [](Scene& scene) {
         scene.couplings.push_back(
             {.name = "gear", .joint = "closing", .reference = "rail", .curve = {}, .where = {}});
       }},
      {"motion",
       [](Scene& scene) {
         scene.joint_motions.push_back(
             {.joint = "closing", .amplitude = 0.2, .period = 1.0, .where = {}});
       }},
  };
  for (const auto& [name, change] : changes) {
    CAPTURE(name);
    Scene scene = arch();
    change(scene);
    Simulator simulator(scene);
    const System& system = simulator.system();
    for (int i = 0; i < 5; ++i) {
      const StepReport& report = simulator.step();
      REQUIRE(report.certificate.holds);
      // The balance is that at the start of the step, in which the links turn by 5e-4 rad.
      const Wrench top = joint_wrench(system, report, system.find_body("right"));
      CHECK(std::abs(top.torque_W.y()) <= 1e-3 * (1.0 + top.force_W.norm()));
    }
  }
}

}  // namespace amontons::test

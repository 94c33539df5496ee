#include "amontons/io/scene/scene_file.h"
#include "amontons/simulation/simulator.h"
#include "tests/io/ledger_entry.h"

#include <catch2/catch.hpp>

#include <array>
#include <string>

// Welds that hold joints where they start, beyond their limits.

namespace amontons::test {
namespace {

/// Returns an arm of three hinges, which start at 0, with a weld of its hand to the world.
/// @param weld    "": there is no weld.
/// @param elbow   limits of the elbow [rad].
Scene load_arm(const std::string& weld, const std::string& elbow, const std::string& keys = "") {
  const auto link = [](const std::string& name, const std::string& range,
                       const std::string& inside) {
    return "<body name='" + name + "' pos='0.3 0 0'><joint name='" + name +
           "' axis='0 1 0' limited='true' range='" + range +
           "'/><geom type='capsule' size='0.02 0.1' pos='0.15 0 0' contype='0' conaffinity='0'/>" +
           inside + "</body>";
  };
  io::MemoryFiles files;
  files.add("arm.xml",
            "<mujoco><compiler angle='radian'/><option timestep='0.002'/><worldbody>" +
                link("shoulder", "-1 1",
                     link("elbow", elbow, link("hand", "0.2 1", link("finger", "0.3 1", "")))) +
                "</worldbody>" + weld + "</mujoco>");
  return io::parse_scene(
      "amontons: 1\nsimulation: {step: 0.002, duration: 0.1}\nmodels: [{name: arm, file: arm.xml" +
          keys + "}]\n",
      "scene.yaml", files);
}

std::array<double, 2> limits_of(const Scene& scene, std::size_t joint) {
  return scene.models.at(0).joints.at(joint).dynamics.limits.value();
}

const std::string kWeld = "<equality><weld body1='hand'/></equality>";

}  // namespace

TEST_CASE("A weld holds a joint beyond its limits, which reach to its start, as a finding") {
  const Scene scene = load_arm(kWeld, "-2 -0.5");
  CHECK(limits_of(scene, 0) == std::array{-1.0, 1.0});
  CHECK(limits_of(scene, 1) == std::array{-2.0, 0.0});
  CHECK(limits_of(scene, 2) == std::array{0.0, 1.0});
  // The finger is beyond the weld.
  CHECK(limits_of(scene, 3) == std::array{0.3, 1.0});
  CHECK(entry_of(scene, "joint 'elbow': limits").fate == ImportFate::Warning);
  CHECK(find_entry(scene, "joint 'shoulder': limits") == nullptr);
  // Weld and limits are held together.
  Simulator simulator(scene);
  while (!simulator.finished()) {
    simulator.step();
    CHECK(simulator.last_report()->certificate.holds);
  }
}

TEST_CASE("Limits stay where no weld holds the joint, and where the scene gives its start") {
  CHECK(limits_of(load_arm("", "-2 -0.5"), 1) == std::array{-2.0, -0.5});
  CHECK(limits_of(load_arm(kWeld, "-2 -0.5", ", joint_positions: {elbow: 0.0}"), 1) ==
        std::array{-2.0, -0.5});
}

}  // namespace amontons::test

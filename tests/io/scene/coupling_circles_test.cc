#include "amontons/io/common/parse_error.h"
#include "amontons/io/scene/scene_file.h"
#include "amontons/simulation/simulator.h"
#include "tests/io/ledger_entry.h"
#include "tests/io/mjcf/mjcf_text.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

// Joints that follow each other in a circle.

namespace amontons::test {
namespace {

/// Returns three equal hinges about z, a motor of 1 N m on the first one, and a constraint of a
/// fourth hinge that follows the third.
Scene scene_of_circle(const std::string& x_of_y, const std::string& y_of_z,
                      const std::string& z_of_x, const std::string& key = "") {
  std::string bodies;
  int place = 0;
  for (const char* joint : {"x", "y", "z", "w"}) {
    bodies += "<body pos='0 " + std::to_string(2 * place++) + " 0'><joint name='" + joint +
              "'/><geom size='.1' pos='.5 0 0'/></body>";
  }
  return scene_of_mjcf("<option gravity='0 0 0'/><worldbody>" + bodies + R"(</worldbody>
    <equality><joint joint1='w' joint2='z' polycoef='0 0'/>
      <joint joint1='x' joint2='y' polycoef=')" +
                       x_of_y + R"('/>
      <joint joint1='y' joint2='z' polycoef=')" +
                       y_of_z + R"('/>
      <joint joint1='z' joint2='x' polycoef=')" +
                       z_of_x + R"('/></equality>
    <actuator><motor joint='x'/></actuator>
    <keyframe><key name='home' ctrl='1' )" +
                       key + "/></keyframe>");
}

}  // namespace

TEST_CASE("Joints that follow each other in a circle move as one, as in MuJoCo") {
  Simulator simulator(scene_of_circle("0 1", "0 1", "0 1"));
  while (!simulator.finished()) CHECK(simulator.step().certificate.holds);
  const State& state = simulator.state();
  // MuJoCo: 0.313297 rad/s^2, which is 1 N m by three times 1.063953 kg m^2.
  for (int joint = 0; joint < 3; ++joint) {
    CHECK(state.v[joint] == Approx(0.313297).epsilon(1e-6));
    CHECK(std::abs(state.q[joint] - state.q[0]) < 1e-9);
  }
  CHECK(std::abs(state.v[3]) < 1e-9);
}

TEST_CASE("A circle of couplings with slopes that close holds its joints to their shares") {
  Simulator simulator(scene_of_circle("0 2", "0 -1", "0 -0.5"));
  while (!simulator.finished()) CHECK(simulator.step().certificate.holds);
  const State& state = simulator.state();
  // Rates v, v/2 and -v/2 have one and a half times the inertia of x alone.
  CHECK(state.v[0] == Approx(0.939891 / 1.5).epsilon(1e-6));
  CHECK(state.v[1] == Approx(0.5 * state.v[0]).epsilon(1e-9));
  CHECK(state.v[2] == Approx(-0.5 * state.v[0]).epsilon(1e-9));
}

TEST_CASE("A circle of couplings that contradicts itself is refused with its places") {
  CHECK_THROWS_WITH(
      scene_of_circle("1 1", "0 1", "0 1"),
      Catch::Contains("'m/z' form a circle that contradicts itself: where it starts at 0, they "
                      "want 1"));
  // A circle that closes elsewhere than at the start is a contradiction there.
  CHECK_THROWS_WITH(scene_of_circle("1 0.5", "0 1", "0 1"), Catch::Contains("contradicts itself"));
}

namespace {

/// Returns a scene of hinges x, y, z and w, of which some follow others.
/// @param given  the joint that has a start, `start`, or none.
Scene scene_of_hinges(const std::string& couplings, const std::string& given,
                      const std::string& start, const std::string& keys = "") {
  std::string bodies, joints;
  for (const std::string joint : {"x", "y", "z", "w"}) {
    bodies += "  - {name: b" + joint + ", mass: 1, inertia: [1, 1, 1]}\n";
    joints += "  - {name: " + joint + ", type: revolute, parent: world, child: b" + joint +
              ", axis: [0, 0, 1], at: [0, 0, 0]" +
              (joint == given ? ", position: " + start : std::string()) + "}\n";
  }
  return io::parse_scene("amontons: 1\nsimulation: {step: 0.01, duration: 1}\nbodies:\n" + bodies +
                             "joints:\n" + joints + "couplings:\n" + couplings + keys,
                         "scene.yaml", io::MemoryFiles());
}

/// Returns a coupling of the scene by which a joint follows another one.
std::string follows(const std::string& joint, const std::string& reference,
                    const std::string& multiplier = "1", const std::string& offset = "0") {
  return "  - {name: " + joint + " of " + reference + ", joint: " + joint +
         ", reference: " + reference + ", multiplier: " + multiplier + ", offset: " + offset +
         "}\n";
}

/// Checks where joints of such a scene start, and that there is nothing to warn of.
void check_starts(const Scene& scene, const std::map<std::string, double>& expected) {
  for (const auto& [name, position] : expected) {
    INFO(name);
    const auto own = std::find_if(scene.joints.begin(), scene.joints.end(),
                                  [&](const SceneJoint& joint) { return joint.name == name; });
    CHECK(own->position.value_or(0.0) == Approx(position));
  }
  CHECK(scene.ledger.findings().empty());
}

}  // namespace

TEST_CASE("All joints of a circle start as the one that is prescribed, given or follows another") {
  const std::string circle = follows("x", "y") + follows("y", "x");
  const std::string reversed = follows("y", "x") + follows("x", "y");
  for (const std::string& own : {circle, reversed}) {
    for (const std::string joint : {"x", "y"}) {
      check_starts(scene_of_hinges(own, joint, "0.3"), {{"x", 0.3}, {"y", 0.3}});
      check_starts(scene_of_hinges(own, "", "",
                                   "actuators: [{joint: " + joint +
                                       ", motion: {sinusoid: {amplitude: 0, period: 1, offset: "
                                       "0.5}}}]\n"),
                   {{"x", 0.5}, {"y", 0.5}});
    }
    // x follows z besides, and w follows the circle.
    check_starts(
        scene_of_hinges(follows("w", "y", "1", "0.1") + own + follows("x", "z", "-1"), "z", "0.2"),
        {{"x", -0.2}, {"y", -0.2}, {"w", -0.1}});
    // z is part of another circle.
    check_starts(
        scene_of_hinges(follows("x", "z", "2") + own + follows("z", "w") + follows("w", "z"), "z",
                        "0.2"),
        {{"x", 0.4}, {"y", 0.4}, {"w", 0.2}});
    // The circles have y in common.
    check_starts(scene_of_hinges(own + follows("y", "z") + follows("z", "y"), "z", "0.2"),
                 {{"x", 0.2}, {"y", 0.2}, {"z", 0.2}});
  }
  CHECK_THROWS_WITH(
      scene_of_hinges(follows("x", "y", "2") + follows("y", "x"), "x", "0.3"),
      Catch::Contains("'x' form a circle that contradicts itself: where it starts at 0.3, they "
                      "want 0.6"));
}

TEST_CASE("A circle that starts apart is warned of, and closes") {
  const Scene scene = scene_of_circle("0 1", "0 1", "0 1", "qpos='0.01 0 0 0'");
  std::size_t count = 0;
  for (const LedgerEntry& finding : scene.ledger.findings()) {
    CHECK_THAT(finding.reason, Catch::Contains("its coupling or motion wants"));
    ++count;
  }
  CHECK(count == 2);
  Simulator simulator(scene);
  for (int k = 0; k < 100; ++k) simulator.step();
  CHECK(std::abs(simulator.state().q[0] - simulator.state().q[2]) < 1e-9);
}

}  // namespace amontons::test

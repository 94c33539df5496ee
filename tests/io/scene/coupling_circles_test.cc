#include "amontons/io/common/parse_error.h"
#include "amontons/simulation/simulator.h"
#include "tests/io/ledger_entry.h"
#include "tests/io/mjcf/mjcf_text.h"

#include <catch2/catch.hpp>

#include <cmath>
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

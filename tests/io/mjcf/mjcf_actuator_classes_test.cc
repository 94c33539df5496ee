#include "amontons/io/common/parse_error.h"
#include "amontons/simulation/simulator.h"
#include "tests/io/ledger_entry.h"
#include "tests/io/mjcf/mjcf_text.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

// Actuators of MJCF that take numbers from classes of other kinds, dampers, and fixed sites.

namespace amontons::test {
namespace {

/// Returns a hinge of 0.25 kg m^2 at 0.1 rad and 1 rad/s with an actuator at the control 2.
Scene scene_of_drive(const std::string& classes, const std::string& actuator) {
  return scene_of_mjcf("<option gravity='0 0 0'/>" + classes + R"(<worldbody>
      <body name='b'><joint name='j'/>
        <inertial pos='0 0 0' mass='1' diaginertia='.25 .25 .25'/></body></worldbody>
    <actuator>)" + actuator +
                           R"(</actuator>
    <keyframe><key name='home' qpos='.1' qvel='1' ctrl='2'/></keyframe>)",
                       "1e-7");
}

double first_acceleration(const Scene& scene) {
  Simulator simulator(scene);
  const double before = simulator.state().v[0];
  const StepReport& report = simulator.step();
  return (simulator.state().v[0] - before) / report.step;
}

}  // namespace

TEST_CASE("Classes of several kinds of actuators exert what MuJoCo 2.2 exerts") {
  const std::string damper = "<damper kv='3' ctrlrange='0 9'/>";
  struct Drive {
    std::string outer, inner, general;
    double acceleration;  // of MuJoCo [rad/s^2]
  };
  const std::vector<Drive> drives{
      {damper, "<motor/>", "gaintype='affine'", -16.0},
      {damper, "<velocity kv='2'/>", "gaintype='affine'", -16.0},
      {damper, "<position kp='2'/>", "gaintype='affine'", -8.8},
      {damper, "<cylinder area='2'/>", "gaintype='affine' dyntype='none'", -8.0},
      {"<cylinder area='3' bias='1 -2 -3'/>", "<motor/>", "biastype='affine'", -0.8},
      {"<position kp='3'/>", "<motor/>", "biastype='affine'", 6.8},
      {"<damper kv='3' ctrlrange='0 1'/>", "<motor/>", "", 4.0}};
  for (const Drive& drive : drives) {
    CAPTURE(drive.outer, drive.inner);
    const Scene scene = scene_of_drive("<default>" + drive.outer + "<default class='c'>" +
                                           drive.inner + "<default class='d'><general " +
                                           drive.general + "/></default></default></default>",
                                       "<general class='d' joint='j'/>");
    CHECK(scene.ledger.findings().empty());
    CHECK(first_acceleration(scene) == Approx(drive.acceleration).epsilon(1e-5));
  }
}

TEST_CASE("A damper keeps to its range whatever autolimits says, and without kv it is none") {
  const std::string off = "<compiler autolimits='false'/>";
  // MuJoCo: -4, 4, 0 and 0 rad/s^2.
  CHECK(first_acceleration(scene_of_drive(off, "<damper joint='j' kv='1' ctrlrange='0 1'/>")) ==
        Approx(-4.0).epsilon(1e-5));
  CHECK(first_acceleration(scene_of_drive(
            off + "<default><damper kv='3' ctrlrange='0 1'/></default>", "<motor joint='j'/>")) ==
        Approx(4.0).epsilon(1e-5));
  CHECK(first_acceleration(scene_of_drive("", "<damper joint='j' ctrlrange='0 9'/>")) == 0.0);
  CHECK(first_acceleration(scene_of_drive("<default><general gainprm='1 2 -3'/></default>",
                                          "<damper joint='j' ctrlrange='0 9'/>")) == 0.0);
  CHECK_THROWS_WITH(scene_of_drive("", "<damper joint='j' kv='1'/>"), Catch::Contains("ctrlrange"));
  CHECK_THROWS_WITH(scene_of_drive("", "<damper joint='j' kv='1' ctrlrange='-1 1'/>"),
                    Catch::Contains("must not be negative"));
  CHECK_THROWS_WITH(scene_of_drive("", "<damper joint='j' kv='-1' ctrlrange='0 1'/>"),
                    Catch::Contains("must not be negative"));
}

TEST_CASE("An actuator on a site of a fixed body moves nothing, and the others act") {
  const Scene scene = scene_of_mjcf(R"(<worldbody><site name='s' pos='0 0 1'/>
      <body name='post'><geom size='.1' contype='0'/><site name='top'/></body>
      <body name='b'><joint name='j'/><geom size='.1' pos='.5 0 0'/></body></worldbody>
    <actuator><motor name='m' site='s' gear='0 0 1 0 0 0'/><motor name='n' site='top'/>
      <motor joint='j'/></actuator>
    <keyframe><key name='home' ctrl='1 1 1'/></keyframe>)");
  CHECK(scene.ledger.findings().empty());
  for (const char* motor : {"motor 'm'", "motor 'n'"}) {
    CHECK_THAT(entry_of(scene, motor).reason, Catch::Contains("fixed to the world"));
  }
  CHECK(first_acceleration(scene) == Approx(0.939891).epsilon(1e-6));  // that of MuJoCo
}

TEST_CASE("An activation that starts outside its range starts at its end, which its record says") {
  for (const char* dynamics : {"dyntype='integrator'", "dyntype='filter' dynprm='1'"}) {
    const Scene scene = scene_of_mjcf(std::string(R"(<option gravity='0 0 0'/><worldbody>
        <body><joint name='j'/><inertial pos='0 0 0' mass='1' diaginertia='.25 .25 .25'/></body>
      </worldbody><actuator><general name='a' joint='j' actlimited='true' actrange='0 1' )") +
                                          dynamics + R"(/></actuator>
      <keyframe><key name='home' act='3'/></keyframe>)",
                                      "1e-7");
    // MuJoCo: 12 rad/s^2 in the first step, then 4.
    CHECK(first_acceleration(scene) == Approx(4.0).epsilon(1e-5));
    const LedgerEntry entry = entry_of(scene, "general 'a': actrange");
    CHECK(entry.fate == ImportFate::Approximated);
    CHECK_THAT(entry.reason, Catch::Contains("starts at 1, not at 3"));
  }
}

}  // namespace amontons::test

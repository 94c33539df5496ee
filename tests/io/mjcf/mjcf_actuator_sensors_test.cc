#include "amontons/io/common/read_file.h"
#include "amontons/simulation/scene/ledger_summary.h"
#include "amontons/simulation/simulator.h"
#include "tests/io/ledger_entry.h"
#include "tests/io/mjcf/mjcf_forces.h"
#include "tests/io/mjcf/mjcf_text.h"
#include "tests/io/mjcf/mujoco_sensors.h"

#include <regex>

// Sensors of actuators, against MuJoCo 2.2 and closed forms, and sensors that are left out.

namespace amontons::test {
namespace {

const std::filesystem::path kActuatorFile =
    std::filesystem::path(AMONTONS_SOURCE_DIR) / "tests/io/mjcf/actuator_sensors.xml";

/// Returns what <mujoco> of the file holds, with sensors that are newer than MuJoCo 2.2.
std::string with_newer_sensors() {
  std::string text = io::read_file(kActuatorFile);
  text = std::regex_replace(text, std::regex("<mujoco[^>]*>|</mujoco>"), "");
  return std::regex_replace(text, std::regex("</sensor>"),
                            "<jointactuatorfrc name='a' joint='a'/>"
                            "<jointactuatorfrc name='b' joint='b'/>"
                            "<jointactuatorfrc name='c' joint='c'/>"
                            "<tendonactuatorfrc name='sum' tendon='sum'/>"
                            "<tendonactuatorfrc name='cord' tendon='cord'/></sensor>");
}

/// Returns a reading at a state without a step.
double reading_at(const System& system, const State& state, const std::string& sensor) {
  StepReport report;
  report.end = &state;
  const Eigen::VectorXd reading = sensor_reading(system, report, "m/" + sensor);
  REQUIRE(reading.size() == 1);
  return reading[0];
}

}  // namespace

TEST_CASE("Positions, rates and forces of actuators are those of MuJoCo") {
  MujocoTwin twin(kActuatorFile);
  INFO(twin.error);
  REQUIRE(twin.model);
  set_key(twin, "home");
  std::mt19937 engine(41);
  for (int k = 0; k < 5; ++k) {
    twin.randomize(engine);
    check_sensors(twin, 1e-9);
  }
  CHECK(twin.ours().sensors.size() == static_cast<std::size_t>(twin.model->nsensor));
}

TEST_CASE("The effort of all actuators of a joint is MuJoCo's, that of a tendon their sum") {
  MujocoTwin twin(kActuatorFile);
  REQUIRE(twin.model);
  set_key(twin, "home");
  const System system(scene_of_mjcf(with_newer_sensors()));
  std::mt19937 engine(43);
  for (int k = 0; k < 5; ++k) {
    twin.randomize(engine);
    State state = system.initial_state();
    state.q = twin.q;
    state.v = twin.v;
    const Eigen::VectorXd theirs =
        twin.to_mujoco.transpose() *
        Eigen::Map<const Eigen::VectorXd>(twin.data->qfrc_actuator, twin.model->nv);
    for (const char* joint : {"a", "b", "c"}) {
      CAPTURE(joint);
      const int index = system.find_joint(std::string("m/") + joint);
      const double effort = theirs[system.joints()[static_cast<std::size_t>(index)].v_offset];
      CHECK(reading_at(system, state, joint) == Approx(effort).epsilon(1e-9));
    }
    CHECK(reading_at(system, state, "sum") ==
          Approx(reading_at(system, state, "reel force")).epsilon(1e-12));
    CHECK(reading_at(system, state, "cord") ==
          Approx(-2.0 * reading_at(system, state, "winch force")).epsilon(1e-12));
  }
}

TEST_CASE("An effort that a program commands counts as that of the first actuator there") {
  Simulator simulator(scene_of_mjcf(
      "<worldbody><body><joint name='j' axis='0 1 0'/><geom size='.1' pos='.5 0 0'/></body>"
      "</worldbody><actuator><motor name='first' joint='j' gear='4'/>"
      "<motor name='second' joint='j' gear='2'/></actuator><sensor>"
      "<actuatorfrc name='f' actuator='first'/><actuatorfrc name='s' actuator='second'/>"
      "<jointactuatorfrc name='all' joint='j'/><clock name='clock'/></sensor><keyframe>"
      "<key name='home' ctrl='1 3'/></keyframe>",
      "0.25"));
  const auto read = [&](const char* sensor) {
    return sensor_reading(simulator.system(), simulator.step(), sensor)[0];
  };
  CHECK(read("m/f") == Approx(1.0).epsilon(1e-12));
  simulator.set_effort("m/j", 8.0);
  CHECK(read("m/f") == Approx(1.0 + 8.0 / 4.0).epsilon(1e-12));
  CHECK(read("m/s") == Approx(3.0).epsilon(1e-12));
  CHECK(read("m/all") == Approx(4.0 + 6.0 + 8.0).epsilon(1e-12));
  CHECK(read("m/clock") == Approx(5 * 0.25).epsilon(1e-12));
}

TEST_CASE("The center of a subtree counts the masses that a program has changed") {
  const Scene scene = scene_of_mjcf(
      "<worldbody><body name='a'><joint/><inertial pos='1 0 0' mass='2' diaginertia='1 1 1'/>"
      "<body name='b'><joint/><inertial pos='0 3 0' mass='1' diaginertia='1 1 1'/>"
      "<body name='c'><inertial pos='0 0 6' mass='1' diaginertia='1 1 1'/></body></body></body>"
      "</worldbody><sensor><subtreecom name='a' body='a'/><subtreecom name='c' "
      "body='c'/></sensor>");
  System system(scene);
  const State state = system.initial_state();
  StepReport report;
  report.end = &state;
  const auto center = [&](const char* sensor) {
    return Eigen::Vector3d(sensor_reading(system, report, sensor));
  };
  CHECK((center("m/a") - Eigen::Vector3d(0.5, 0.75, 1.5)).norm() < 1e-12);
  CHECK((center("m/c") - Eigen::Vector3d(0.0, 0.0, 6.0)).norm() < 1e-12);
  // The link of b and c gets three times its mass, in the same proportion.
  PropertyChange change;
  change.kind = PropertyKind::Mass;
  change.index = system.find_body("m/b");
  change.values[0] = 6.0;
  system.set_changes({change});
  CHECK((center("m/a") - Eigen::Vector3d(0.25, 1.125, 2.25)).norm() < 1e-12);
}

TEST_CASE("A cutoff bounds no unit vector and no quaternion") {
  const Scene scene = scene_of_mjcf(
      "<worldbody><body euler='0 0 60'><joint name='j' type='ball'/><geom size='.1'/>"
      "<site name='s'/></body></worldbody><sensor>"
      "<framexaxis name='x' objtype='site' objname='s' cutoff='.1'/>"
      "<framequat name='q' objtype='site' objname='s' cutoff='.1'/>"
      "<ballquat name='b' joint='j' cutoff='.1'/>"
      "<framepos name='p' objtype='site' objname='s' cutoff='.1'/></sensor>");
  const System system(scene);
  const State state = system.initial_state();
  StepReport report;
  report.end = &state;
  for (const char* sensor : {"m/x", "m/q", "m/b"}) {
    CHECK(sensor_reading(system, report, sensor).norm() == Approx(1.0).epsilon(1e-12));
  }
  CHECK(sensor_reading(system, report, "m/p").isZero());
}

TEST_CASE("A sensor that is not evaluated is a finding that says why") {
  const Scene scene = scene_of_mjcf(
      "<worldbody><camera name='moving' mode='track'/><camera name='flat' orthographic='true'/>"
      "<body name='b'><joint name='j' type='ball'/><geom name='g' size='.1'/>"
      "<site name='s'/><body><joint name='slide' type='slide'/><geom name='air' size='.1' "
      "contype='0' conaffinity='0'/></body></body></worldbody>"
      "<actuator><adhesion name='glue' body='b' ctrlrange='0 1'/></actuator>"
      "<sensor><jointpos name='turn' joint='j'/><user name='own' dim='1'/>"
      "<plugin name='foreign'/><tactile name='skin' geom='g'/>"
      "<framequat name='axes' objtype='body' objname='b'/>"
      "<jointlimitpos name='limit' joint='slide'/><distance name='ghost' geom1='g' geom2='air'/>"
      "<framepos name='orbit' objtype='camera' objname='moving'/>"
      "<camprojection name='flat' site='s' camera='flat'/>"
      "<actuatorfrc name='force' actuator='glue'/></sensor>");
  CHECK(scene.models[0].sensors.empty());
  const auto reason = [&](const char* name) {
    const LedgerEntry& entry = entry_of(scene, name);
    CHECK(entry.fate == ImportFate::Refused);
    CHECK(consequence_of(entry) == ImportConsequence::None);  // a sensor moves nothing
    return entry.reason;
  };
  CHECK_THAT(reason("jointpos 'turn'"), Catch::Contains("several coordinates"));
  CHECK_THAT(reason("user 'own'"), Catch::Contains("the user's own program"));
  CHECK_THAT(reason("plugin 'foreign'"), Catch::Contains("a plugin of another simulator"));
  CHECK_THAT(reason("tactile 'skin'"), Catch::Contains("contacts are rigid"));
  CHECK_THAT(reason("framequat 'axes'"), Catch::Contains("axes of inertia"));
  CHECK_THAT(reason("jointlimitpos 'limit'"), Catch::Contains("nothing limits"));
  CHECK_THAT(reason("distance 'ghost'"), Catch::Contains("does not collide"));
  CHECK_THAT(reason("framepos 'orbit'"), Catch::Contains("turns by itself"));
  CHECK_THAT(reason("camprojection 'flat'"), Catch::Contains("no perspective"));
  CHECK_THAT(reason("actuatorfrc 'force'"), Catch::Contains("exerts nothing here"));
  CHECK_THROWS_WITH(
      scene_of_mjcf("<worldbody><body><joint name='j'/><geom size='.1'/></body></worldbody>"
                    "<actuator><motor name='lift' joint='j'/></actuator>"
                    "<sensor><actuatorfrc actuator='lift2'/></sensor>"),
      Catch::Contains("names no actuator: 'lift2'") && Catch::Contains("lift"));
}

}  // namespace amontons::test

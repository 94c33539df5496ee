#include "amontons/io/common/temporary_folder.h"
#include "amontons/simulation/simulator.h"
#include "tests/io/ledger_entry.h"
#include "tests/io/mjcf/mujoco_sensors.h"

// Sensors of MJCF against MuJoCo 2.2, and those of steps against closed forms.

namespace amontons::test {
namespace {

namespace fs = std::filesystem;

const fs::path kOwn = fs::path(AMONTONS_SOURCE_DIR) / "tests/io/mjcf";

Scene load_text(const std::string& text) {
  io::MemoryFiles files;
  files.add("m.xml", text);
  return io::parse_scene(
      "amontons: 1\nsimulation: {step: 0.001, duration: 0.5}\nmodels: [{name: m, file: m.xml}]\n",
      "scene.yaml", files);
}

}  // namespace

TEST_CASE("Sensors of MJCF read what MuJoCo reads") {
  MujocoTwin twin(kOwn / "sensors.xml");
  INFO(twin.error);
  REQUIRE(twin.model);
  std::mt19937 engine(29);
  bool is_at_limit = false, is_within = false;
  for (int k = 0; k < 10; ++k) {
    twin.randomize(engine);
    // These need a step.
    check_sensors(twin, 1e-10, {SensorKind::Touch, SensorKind::LimitForce});
    for (const ModelSensor& sensor : twin.ours().sensors) {
      if (sensor.kind != SensorKind::LimitDistance) continue;
      (their_reading(twin, sensor)[0] < 0.0 ? is_at_limit : is_within) = true;
    }
  }
  CHECK(is_at_limit);
  CHECK(is_within);
  CHECK(twin.ours().sensors.size() == static_cast<std::size_t>(twin.model->nsensor));
}

TEST_CASE("An accelerometer reads nothing in free fall, and the weight at rest") {
  const Scene scene = load_text(R"(<mujoco><worldbody><geom type='plane' size='1 1 1'/>
      <body name='high' pos='0 0 9' euler='20 30 40'><freejoint/><geom size='0.1'/>
        <site name='falling'/></body>
      <body name='low' pos='1 0 0.1' euler='0 0 30'><freejoint/><geom type='box' size='0.1 0.1 0.1' mass='2'/>
        <site name='resting' euler='90 0 0'/>
        <site name='sole' type='box' size='0.2 0.2 0.05' pos='0 0 -0.1'/>
        <site name='top' type='box' size='0.2 0.2 0.05' pos='0 0 0.1'/></body></worldbody>
    <sensor><accelerometer name='f' site='falling'/><accelerometer name='r' site='resting'/>
      <touch name='sole' site='sole'/><touch name='top' site='top'/></sensor></mujoco>)");
  Simulator simulator(scene);
  for (int k = 0; k < 100; ++k) simulator.step();
  const StepReport& report = simulator.step();
  const auto read = [&](const char* name) {
    return sensor_reading(simulator.system(), report, std::string("m/") + name);
  };
  CHECK(read("f").norm() < 1e-9);
  CHECK((read("r") - Eigen::Vector3d(0.0, 9.81, 0.0)).norm() < 1e-6);
  CHECK(read("sole")[0] == Approx(2.0 * 9.81).epsilon(1e-6));
  CHECK(read("top")[0] == 0.0);
  CHECK_THROWS_AS(read("solo"), std::invalid_argument);
  StepReport without_step;
  without_step.end = report.end;
  CHECK_THROWS_AS(sensor_reading(simulator.system(), without_step, "m/f"), std::invalid_argument);
  const Pose X = model_frame_pose(simulator.system(), *report.end, "m/top");
  CHECK(X.translation.z() == Approx(0.2).margin(1e-6));
  CHECK_THROWS_AS(model_frame_pose(simulator.system(), *report.end, "m/tip"),
                  std::invalid_argument);
}

TEST_CASE("A touch sensor counts contacts whose ray out of the body meets its site") {
  const auto touch = [](const std::string& site) {
    Simulator simulator(
        load_text("<mujoco><worldbody><geom type='plane' size='1 1 1'/>"
                  "<body pos='0 0 .1'><joint type='slide' axis='0 0 1'/>"
                  "<geom size='.1' mass='1'/><site name='s' pos='" +
                  site +
                  "' size='.01'/></body></worldbody><sensor><touch name='t' "
                  "site='s'/></sensor></mujoco>"));
    return sensor_reading(simulator.system(), simulator.step(), "m/t")[0];
  };
  // MuJoCo at rest: 9.81, 0 and 0 N.
  CHECK(touch("0 0 -.12") == Approx(9.81).epsilon(1e-9));
  CHECK(touch("0 0 .12") == 0.0);
  CHECK(touch(".05 0 -.12") == 0.0);
}

TEST_CASE("Motors of ball and free joints are part of the wrench through the joint, as in MuJoCo") {
  const auto reading = [](const std::string& joint, const std::string& on, const char* sensor) {
    Simulator simulator(
        load_text("<mujoco><worldbody><body><joint name='j' type='" + joint +
                  "'/><geom size='.1' mass='1' contype='0' conaffinity='0'/><site name='s'/></body>"
                  "</worldbody><actuator><motor " +
                  on +
                  " gear='1 2 3 4 5 6'/></actuator><sensor>"
                  "<force name='f' site='s'/><torque name='t' site='s'/></sensor><keyframe>"
                  "<key name='home' ctrl='1'/></keyframe></mujoco>"));
    return Eigen::Vector3d(sensor_reading(simulator.system(), simulator.step(), sensor));
  };
  const Eigen::Vector3d first(1.0, 2.0, 3.0), second(4.0, 5.0, 6.0);
  CHECK((reading("ball", "joint='j'", "m/t") - first).norm() < 1e-9);
  const Eigen::Vector3d weight(0.0, 0.0, 9.81);
  CHECK((reading("ball", "joint='j'", "m/f") - weight).norm() < 1e-9);
  CHECK((reading("free", "joint='j'", "m/f") - first).norm() < 1e-9);
  CHECK((reading("free", "joint='j'", "m/t") - second).norm() < 1e-9);
  CHECK((reading("free", "site='s'", "m/f") - first).norm() < 1e-9);
  CHECK((reading("free", "site='s'", "m/t") - second).norm() < 1e-9);
}

TEST_CASE("An actuator on a site counts in each wrench below which it acts, as in MuJoCo") {
  const std::string text =
      "<mujoco><worldbody><body pos='0 0 1'><joint axis='0 1 0'/>"
      "<geom type='capsule' fromto='0 0 0 .5 0 0' size='.05' mass='1'/><site name='a' "
      "pos='.1 .05 0'/><body pos='.5 0 0'><joint axis='1 0 0'/><geom size='.06' mass='.5' "
      "pos='0 .1 0'/><site name='b' pos='.02 0 .1' euler='20 30 -40'/></body></body></worldbody>"
      "<actuator><motor site='b' gear='3 -2 5 .3 .2 -.4'/></actuator><sensor>"
      "<force name='fa' site='a'/><torque name='ta' site='a'/>"
      "<force name='fb' site='b'/><torque name='tb' site='b'/></sensor>"
      "<keyframe><key name='home' ctrl='1'/></keyframe></mujoco>";
  const io::TemporaryFolder folder;
  const MujocoTwin twin(folder.write("m.xml", text));
  INFO(twin.error);
  REQUIRE(twin.model);
  twin.data->ctrl[0] = 1.0;
  mj_forward(twin.model.get(), twin.data.get());
  Scene scene = load_text(text);
  scene.simulation.steps = {1e-7};
  Simulator simulator(scene);
  const StepReport& report = simulator.step();
  int at = 0;
  for (const char* sensor : {"m/fa", "m/ta", "m/fb", "m/tb"}) {
    CAPTURE(sensor);
    const Eigen::Vector3d theirs(twin.data->sensordata + at);
    CHECK((sensor_reading(simulator.system(), report, sensor) - theirs).norm() <
          1e-5 * (1.0 + theirs.norm()));
    at += 3;
  }
}

TEST_CASE("Forces and torques between bodies, and distances along rays, are those of MuJoCo") {
  MujocoTwin twin(kOwn / "wrenches.xml");
  INFO(twin.error);
  REQUIRE(twin.model);
  // The wrench is a mean over the step, which is short.
  Scene scene = *twin.scene;
  scene.simulation.steps = {1e-6};
  std::mt19937 engine(31);
  int num_hits = 0;
  for (int k = 0; k < 20; ++k) {
    twin.randomize(engine);
    Simulator simulator(scene);
    State state = simulator.state();
    state.q = twin.q;
    state.v = twin.v;
    simulator.set_state(state);
    const StepReport& report = simulator.step();
    check_sensors(twin, simulator.system(), report, 1e-4);
    for (const ModelSensor& sensor : twin.ours().sensors) {
      if (sensor.kind != SensorKind::Rangefinder) continue;
      num_hits += their_reading(twin, sensor)[0] > 0.0 ? 1 : 0;
    }
  }
  CHECK(num_hits > 10);
  CHECK(num_hits < 60);
  CHECK(twin.ours().sensors.size() == 11);
  CHECK(entry_of(*twin.scene, "force 'weld force'").fate == ImportFate::Refused);
}

}  // namespace amontons::test

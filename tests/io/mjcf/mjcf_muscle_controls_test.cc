#include "amontons/io/run/run_reader.h"
#include "amontons/io/verify/verification_checks.h"
#include "amontons/io/verify/verify_step.h"
#include "amontons/simulation/simulator.h"
#include "tests/io/mjcf/mjcf_forces.h"
#include "tests/io/run/recorded_run.h"
#include "tests/io/verify/verified_run.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

// Controls of muscles by programs and scenes, against MuJoCo 2.2.

namespace amontons::test {
namespace {

namespace fs = std::filesystem;

const fs::path kSpatial = fs::path(AMONTONS_SOURCE_DIR) / "tests/io/mjcf/spatial.xml";

// A mass between two muscles: one with MuJoCo's dynamics, one without any.
constexpr const char* kPair = R"(<mujoco><worldbody><body><joint name='x' type='slide' axis='1 0 0'
    damping='3'/><geom size='0.1' mass='2'/></body></worldbody><actuator>
  <muscle name='flexor' joint='x' lengthrange='-1 1' force='30' timeconst='0.02 0.05'
    ctrlrange='0.1 0.8'/>
  <general name='direct' joint='x' gear='-1' lengthrange='-1 1' gaintype='muscle'
    gainprm='0.75 1.05 30 200 0.5 1.6 1.5 1.3 1.2'/>
  <general name='filtered' joint='x' lengthrange='-1 1' dyntype='filter' gaintype='muscle'
    gainprm='0.75 1.05 30 200 0.5 1.6 1.5 1.3 1.2'/></actuator>
  <keyframe><key name='tense' ctrl='0.6 0.2 0' act='0.3 0'/></keyframe></mujoco>)";

Scene load_pair(const std::string& more = "", const std::string& keyframe = "tense") {
  io::MemoryFiles files;
  files.add("m.xml", kPair);
  files.add("controls.csv", "time,flexor\n-1,0.2\n0.05,0.9\n0.12,0.1\n");
  return io::parse_scene(
      "amontons: 1\nsimulation: {step: 0.001, duration: 0.3}\nmodels: [{name: m, file: m.xml" +
          (keyframe.empty() ? "" : ", keyframe: " + keyframe) + "}]\n" + more,
      "scene.yaml", files);
}

/// Returns the activation of a muscle now.
double activation(const Simulator& sim, const std::string& muscle) {
  const int index = sim.system().find_muscle(muscle);
  REQUIRE(index >= 0);
  return sim.system().muscles()[static_cast<std::size_t>(index)].activation(sim.time());
}

/// Returns MuJoCo's solution of the activation's equation by the classical Runge-Kutta method.
double integrated(double control, double act, double time, const mjtNum* prm) {
  constexpr int kSteps = 2000;
  const double h = time / kSteps;
  for (int i = 0; i < kSteps; ++i) {
    const double k1 = mju_muscleDynamics(control, act, prm);
    const double k2 = mju_muscleDynamics(control, act + 0.5 * h * k1, prm);
    const double k3 = mju_muscleDynamics(control, act + 0.5 * h * k2, prm);
    const double k4 = mju_muscleDynamics(control, act + h * k3, prm);
    act += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
  }
  return act;
}

/// Gives controls that change every few steps.
void drive(Simulator& sim) {
  const std::int64_t count = sim.state().step_count;
  if (count % 7 == 0) sim.set_control("m/flexor", 0.5 + 0.5 * std::sin(0.3 * double(count)));
  if (count % 11 == 3) sim.set_control("m/direct", 0.4 + 0.3 * std::cos(0.2 * double(count)));
}

}  // namespace

TEST_CASE("The rate of a muscle's activation is MuJoCo's") {
  std::mt19937 engine(47);
  std::uniform_real_distribution<double> share(0.0, 1.0);
  for (int k = 0; k < 300; ++k) {
    const mjtNum prm[3] = {0.005 + 0.05 * share(engine), 0.01 + 0.1 * share(engine), 0.0};
    const double control = k % 7 == 0 ? double(k % 2) : share(engine), act = share(engine);
    CHECK(muscle_activation_rate({prm[0], prm[1]}, control, act) ==
          Approx(mju_muscleDynamics(control, act, prm)).epsilon(1e-12).margin(1e-12));
  }
}

TEST_CASE("Commanded muscles have MuJoCo's activations and forces") {
  MujocoTwin twin(kSpatial);
  REQUIRE(twin.model);
  const mjModel& m = *twin.model;
  Simulator sim(*twin.scene, 1);
  std::mt19937 engine(53);
  std::uniform_real_distribution<double> share(-0.2, 1.2);
  std::vector<double> act(m.na), control(m.nu);
  const int key = mj_name2id(&m, mjOBJ_KEY, "home");
  std::copy_n(m.key_act + key * m.na, m.na, act.begin());
  REQUIRE(m.na == static_cast<int>(sim.system().muscles().size()));
  for (int step = 0; step < 60; ++step) {
    // Muscles are the last actuators, each with an activation.
    for (int i = 0; i < m.na && step % 12 == 0; ++i) {
      control[static_cast<std::size_t>(m.nu - m.na + i)] = share(engine);
      sim.set_control(sim.system().muscles()[static_cast<std::size_t>(i)].law.name,
                      control[static_cast<std::size_t>(m.nu - m.na + i)]);
    }
    const double before = sim.time();
    sim.step();
    for (int i = 0; i < m.na; ++i) {
      const int actuator = m.nu - m.na + i;
      const auto a = static_cast<std::size_t>(i);
      const mjtNum* prm = m.actuator_dynprm + actuator * mjNDYN;
      act[a] =
          integrated(control[static_cast<std::size_t>(actuator)], act[a], sim.time() - before, prm);
      const MuscleDrive& own = sim.system().muscles()[a];
      CHECK(own.activation(sim.time()) == Approx(act[a]).margin(1e-10));
      twin.data->act[i] = own.activation(sim.time());
    }
    twin.q = sim.state().q;
    twin.v = sim.state().v;
    std::fill_n(twin.data->ctrl, m.nu, 0.0);
    for (int i = 0; i < m.na; ++i) {
      twin.data->ctrl[m.nu - m.na + i] = control[static_cast<std::size_t>(m.nu - m.na + i)];
    }
    twin.update();
    for (int i = 0; i < m.na; ++i) {
      const MuscleDrive& own = sim.system().muscles()[static_cast<std::size_t>(i)];
      const double u = clamped_control(own.law, control[static_cast<std::size_t>(m.nu - m.na + i)]);
      const double rate = muscle_activation_rate(own.law.times, u, own.activation(sim.time()));
      CHECK(rate == Approx(twin.data->act_dot[i]).epsilon(1e-9).margin(1e-9));
      const Along at = along(twin, own.law.joint);
      const double force =
          std::clamp(muscle_force(own.law.muscle, own.law.gear * at.position,
                                  own.law.gear * at.rate, own.activation(sim.time())),
                     own.law.least_force, own.law.largest_force);
      CHECK(force == Approx(twin.data->actuator_force[m.nu - m.na + i]).epsilon(1e-9).margin(1e-9));
    }
  }
}

TEST_CASE("A keyframe that the scene names gives muscles their controls and activations") {
  const Simulator sim(load_pair());
  CHECK(activation(sim, "m/flexor") == 0.3);
  CHECK(activation(sim, "m/direct") == 0.2);
  const JointMuscle& flexor = sim.system().muscles()[0].law;
  CHECK(flexor.controls.front().control == 0.6);
  // Without a keyframe the control is zero, within its range.
  const Simulator rest(load_pair("", ""));
  CHECK(activation(rest, "m/flexor") == 0.0);
  CHECK(rest.system().muscles()[0].law.controls.front().control == 0.1);
}

TEST_CASE("A scene commands muscles, by a number or over time") {
  const std::string table =
      "actuators:\n  - {muscle: m/flexor, control: {table: controls.csv}}\n"
      "  - {muscle: m/direct, control: 0.5}\n";
  const Scene scene = load_pair(table);
  Simulator sim(scene);
  CHECK(activation(sim, "m/direct") == 0.5);
  const mjtNum prm[3] = {0.02, 0.05, 0.0};
  while (!sim.finished()) sim.step();
  // The table holds each control until the next; 0.9 is above the muscle's range.
  double act = integrated(0.2, 0.3, 0.05, prm);
  act = integrated(0.8, act, 0.07, prm);
  act = integrated(0.1, act, 0.18, prm);
  CHECK(activation(sim, "m/flexor") == Approx(act).margin(1e-10));
  // A program that gives the same controls moves the same mass.
  Simulator programmed(load_pair());
  programmed.set_control("m/direct", 0.5);
  while (!programmed.finished()) {
    const std::int64_t step = programmed.state().step_count;
    if (step == 0) programmed.set_control("m/flexor", 0.2);
    if (step == 50) programmed.set_control("m/flexor", 0.9);
    if (step == 120) programmed.set_control("m/flexor", 0.1);
    programmed.step();
  }
  CHECK(programmed.state().q[0] == Approx(sim.state().q[0]).epsilon(1e-12));
  CHECK(std::abs(sim.state().q[0]) > 1e-4);
}

TEST_CASE("Faults of muscles' controls are told with the nearest name") {
  const auto error = [](const std::string& actuator) { return "actuators: [" + actuator + "]\n"; };
  using Catch::Contains;
  CHECK_THROWS_WITH(load_pair(error("{muscle: m/flexr, control: 1}")), Contains("m/flexor"));
  CHECK_THROWS_WITH(load_pair(error("{muscle: m/flexor}")), Contains("control"));
  CHECK_THROWS_WITH(load_pair(error("{muscle: m/flexor, joint: m/x}")),
                    Contains("one of the keys"));
  CHECK_THROWS_WITH(load_pair(error("{muscle: m/filtered, control: 1}")), Contains("filtered"));
  Simulator sim(load_pair());
  CHECK_THROWS_WITH(sim.set_control("m/flexr", 1.0), Contains("m/flexor"));
  CHECK_THROWS_WITH(sim.set_control("m/filtered", 1.0), Contains("filtered"));
  CHECK_THROWS_WITH(sim.set_control("m/flexor", std::nan("")), Contains("finite"));
}

TEST_CASE("A state brings the controls and activations of its muscles") {
  Simulator sim(load_pair());
  sim.set_controller(drive);
  for (int i = 0; i < 40; ++i) sim.step();
  const State middle = sim.state();
  const double before = activation(sim, "m/flexor");
  for (int i = 0; i < 40; ++i) sim.step();
  const State end = sim.state();
  sim.set_state(middle);
  CHECK(activation(sim, "m/flexor") == before);
  for (int i = 0; i < 40; ++i) sim.step();
  CHECK(sim.state().q == end.q);
  CHECK(sim.state().changes == end.changes);
  // Another simulation takes it over, too.
  Simulator other(load_pair());
  other.set_controller(drive);
  other.set_state(middle);
  for (int i = 0; i < 40; ++i) other.step();
  CHECK(other.state().q == end.q);
  sim.reset();
  CHECK(activation(sim, "m/flexor") == 0.3);
}

TEST_CASE("A run whose muscles a program commands verifies, and a changed control is found") {
  const TemporaryFolder folder;
  const Scene scene = load_pair();
  Simulator sim(scene);
  io::RunRecorder recorder(folder.file("run.h5"), scene, sim.system(), {});
  recorder.observe(sim.initial_report());
  sim.add_observer(recorder);
  sim.set_controller(drive);
  while (!sim.finished()) sim.step();
  recorder.finish();
  CHECK(check_verified(folder.file("run.h5")).num_commanded == 300);
  const auto passes = [&](const io::RunRow& row) {
    io::VerificationChecks checks(scene.simulation.tolerance,
                                  scene.simulation.acceptable_tolerance);
    io::StepVerifier verifier(scene, checks);
    checks.begin_row(row.step_count, row.time);
    verifier.check_step(row);
    const std::vector<io::VerificationCheck> all = checks.release();
    return std::all_of(all.begin(), all.end(), [](const auto& check) { return check.passed(); });
  };
  // A control has its time and its activation then behind it.
  const io::RunRow row = io::RunReader(folder.file("run.h5")).row(20);
  REQUIRE(row.commands.size() == 2);
  CHECK(passes(row));
  for (const auto& change : std::vector<std::function<void(io::RunCommand&)>>{
           [](io::RunCommand& own) { own.value *= 0.9; },
           [](io::RunCommand& own) { own.force_W.x() -= 0.01; },
           [](io::RunCommand& own) { own.force_W.y() *= 0.9; },
           [](io::RunCommand& own) { own.index = 7; }}) {
    io::RunRow changed = row;
    change(changed.commands[0]);
    CHECK(!passes(changed));
  }
}

}  // namespace amontons::test

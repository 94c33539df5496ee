#include "amontons/io/mjcf/actuators/mjcf_actuator_form.h"
#include "amontons/math/trajectory.h"
#include "amontons/simulation/model_sensors.h"
#include "amontons/simulation/simulator.h"
#include "tests/io/ledger_entry.h"
#include "tests/io/mjcf/mjcf_forces.h"

#include <cmath>
#include <numbers>

// Tendons along paths in space and muscles of MJCF, against MuJoCo 2.2 and against closed forms.

namespace amontons::test {
namespace {

namespace fs = std::filesystem;

const fs::path kSpatial = fs::path(AMONTONS_SOURCE_DIR) / "tests/io/mjcf/spatial.xml";

/// Returns true if a tendon touches a surface from inside, in one point. MuJoCo finds that point by
/// an iteration which ends at an error of 1e-6, and sometimes fails.
bool is_inside(const MujocoTwin& twin, int tendon) {
  const mjData& d = *twin.data;
  for (int k = d.ten_wrapadr[tendon] + 1; k < d.ten_wrapadr[tendon] + d.ten_wrapnum[tendon]; ++k) {
    const bool on_surface = d.wrap_obj[k] >= 0 && d.wrap_obj[k] == d.wrap_obj[k - 1];
    if (!on_surface) continue;
    if ((vector_at(d.wrap_xpos, k) - vector_at(d.wrap_xpos, k - 1)).norm() < 1e-12) return true;
  }
  return false;
}

Scene load_text(const std::string& content, const std::string& gravity = "[0, 0, 0]",
                double step = 0.001, double duration = 1.0) {
  io::MemoryFiles files;
  files.add("m.xml", "<mujoco>" + content + "</mujoco>");
  return io::parse_scene(
      "amontons: 1\ngravity: " + gravity + "\nsimulation: {step: " + std::to_string(step) +
          ", duration: " + std::to_string(duration) + "}\nmodels: [{name: m, file: m.xml}]\n",
      "scene.yaml", files);
}

/// Returns the length of the first tendon of a system.
double first_length(const System& system, const State& state) {
  SystemKinematics kinematics;
  compute_kinematics(system, state.q, state.v, state.time, kinematics);
  return kinematics.loops.position[0];
}

}  // namespace

TEST_CASE("Spatial tendons have MuJoCo's lengths, rates and moment arms in any pose") {
  MujocoTwin twin(kSpatial);
  INFO(twin.error);
  REQUIRE(twin.model);
  const mjModel& m = *twin.model;
  REQUIRE(static_cast<int>(twin.ours().tendons.size()) == m.ntendon);
  std::mt19937 engine(19);
  int wraps = 0, inside = 0;
  for (int k = 0; k < 200; ++k) {
    twin.randomize(engine);
    for (int t = 0; t < m.ntendon; ++t) {
      const std::string& name = twin.ours().tendons[static_cast<std::size_t>(t)].name;
      CAPTURE(name, k);
      const Along at = along(twin, name);
      const Eigen::VectorXd row =
          twin.to_mujoco.transpose() *
          Eigen::Map<const Eigen::VectorXd>(twin.data->ten_J + t * m.nv, m.nv);
      CHECK(at.position <= twin.data->ten_length[t] + 1e-9);
      if (is_inside(twin, t)) {
        ++inside;
        continue;
      }
      CHECK(std::abs(at.position - twin.data->ten_length[t]) < 1e-9);
      CHECK(std::abs(at.rate - twin.data->ten_velocity[t]) < 1e-9);
      CHECK((at.row - row).norm() < 1e-9);
      wraps += twin.data->ten_wrapnum[t] > 3 ? 1 : 0;
    }
  }
  CHECK(wraps > 100);
  CHECK(inside > 20);
}

TEST_CASE("Actuators and muscles on spatial tendons exert what they exert in MuJoCo") {
  MujocoTwin twin(kSpatial);
  REQUIRE(twin.model);
  set_key(twin, "home");
  twin.update();
  REQUIRE(twin.ours().muscles.size() == 6);
  check_actuators(twin, 23, 50);
}

TEST_CASE("Springs and dampers along spatial tendons act as in MuJoCo, and rest where it says") {
  MujocoTwin twin(kSpatial);
  REQUIRE(twin.model);
  const mjModel& m = *twin.model;
  for (int t = 0; t < m.ntendon; ++t) {
    const JointDynamics& d = twin.ours().tendons[static_cast<std::size_t>(t)].dynamics;
    if (d.stiffness > 0.0) CHECK(d.rest_position == Approx(m.tendon_lengthspring[t]).epsilon(1e-9));
    CHECK(d.coulomb_friction == m.tendon_frictionloss[t]);
    CHECK(d.limits.has_value() == (m.tendon_limited[t] != 0));
  }
  std::mt19937 engine(31);
  for (int k = 0; k < 20; ++k) {
    twin.randomize(engine);
    const Eigen::VectorXd theirs = twin.to_mujoco.transpose() *
                                   Eigen::Map<const Eigen::VectorXd>(twin.data->qfrc_passive, m.nv);
    CHECK((our_springs(twin) - theirs).norm() < 1e-9 * (1.0 + theirs.norm()));
  }
}

TEST_CASE("Sensors read lengths and rates of spatial tendons") {
  MujocoTwin twin(kSpatial);
  REQUIRE(twin.model);
  std::mt19937 engine(37);
  twin.randomize(engine);
  State state = twin.system->initial_state();
  state.q = twin.q;
  state.v = twin.v;
  StepReport report;
  report.end = &state;
  REQUIRE(twin.ours().sensors.size() == 3);
  for (int s = 0; s < 3; ++s) {
    const std::string& name = twin.ours().sensors[static_cast<std::size_t>(s)].name;
    const double theirs = twin.data->sensordata[twin.model->sensor_adr[s]];
    CHECK(sensor_reading(*twin.system, report, "m/" + name)[0] == Approx(theirs).epsilon(1e-9));
  }
}

TEST_CASE("A muscle has MuJoCo's curves of force over length and velocity") {
  std::mt19937 engine(41);
  std::uniform_real_distribution<double> share(0.0, 1.0);
  for (int k = 0; k < 300; ++k) {
    io::MjcfMuscle own;
    own.range = {0.5 + 0.3 * share(engine), 1.0 + 0.5 * share(engine)};
    own.force = k % 3 == 0 ? -1.0 : 10.0 + share(engine);
    own.lmin = 0.2 + 0.7 * share(engine);
    own.lmax = 1.1 + share(engine);
    own.fvmax = 1.1 + share(engine);
    const mjtNum prm[9] = {own.range[0], own.range[1], own.force, own.scale, own.lmin,
                           own.lmax,     own.vmax,     own.fpmax, own.fvmax};
    const mjtNum lengths[2] = {0.1 * share(engine), 0.2 + share(engine)};
    const double acc0 = 0.3 + share(engine);
    const double length = 2.0 * share(engine), rate = 6.0 * share(engine) - 3.0;
    const double act = share(engine);
    const double ours = muscle_force(own.on({lengths[0], lengths[1]}, acc0), length, rate, act);
    // Below lmin MuJoCo 2.2 continues the curve to where muscles would push; later ones do not.
    const double L0 = (lengths[1] - lengths[0]) / (own.range[1] - own.range[0]);
    const bool is_short = own.range[0] + (length - lengths[0]) / L0 < own.lmin;
    const double active = is_short ? 0.0 : act * mju_muscleGain(length, rate, lengths, acc0, prm);
    const double theirs = active + mju_muscleBias(length, lengths, acc0, prm);
    CHECK(ours == Approx(theirs).epsilon(1e-9).margin(1e-9));
    CHECK(ours <= 0.0);
  }
}

TEST_CASE("A spring between sites swings as a mass on a spring, and the energy is explained") {
  // 2 kg on a slide towards the hook, 50 N/m: x'' = -25 (x - 0.1), from x = 0 at rest.
  const Scene scene = load_text(R"(<worldbody><site name='hook' pos='-1 0 0'/>
      <body><joint name='x' type='slide' axis='1 0 0'/><geom size='0.1' mass='2'/><site name='s'/>
      </body></worldbody>
    <tendon><spatial stiffness='50' springlength='1.1'><site site='hook'/><site site='s'/></spatial>
    </tendon>)");
  Simulator simulator(scene);
  double unexplained = 0.0;
  while (!simulator.finished()) {
    const StepReport& report = simulator.step();
    CHECK(report.certificate.holds);
    unexplained = std::max(unexplained, std::abs(report.energy.unexplained));
  }
  // The implicit spring damps: the amplitude falls by exp(-h k t/(2 m)) = 1.2 %.
  CHECK(simulator.state().q[0] == Approx(0.1 * (1.0 - std::cos(5.0))).epsilon(0.02));
  CHECK(unexplained < 1e-12);
}

TEST_CASE("The work of a motor on a wrapped tendon is its force times the change of length") {
  // A cord from the hook over a fixed cylinder to a mass that it pulls up a slide.
  const Scene scene = load_text(R"(<worldbody><site name='hook' pos='-0.5 0 0'/>
      <site name='above' pos='0 0 0.3'/><geom name='drum' type='cylinder' size='0.1 0.1' zaxis='0 1 0' contype='0' conaffinity='0'/>
      <body pos='0.15 0 -1'><joint name='x' axis='0 0 1' type='slide'/>
        <geom size='0.05' mass='2' contype='0' conaffinity='0'/><site name='s'/></body></worldbody>
    <tendon><spatial name='cord'><site site='hook'/><geom geom='drum' sidesite='above'/><site site='s'/>
      </spatial></tendon><actuator><motor name='winch' tendon='cord' gear='-1'/></actuator>
    <keyframe><key name='home' ctrl='7'/></keyframe>)",
                                "[0, 0, 0]", 0.0001, 0.3);
  Simulator simulator(scene);
  const double before = first_length(simulator.system(), simulator.state());
  double work = 0.0;
  while (!simulator.finished()) {
    const StepReport& report = simulator.step();
    CHECK(report.certificate.holds);
    CHECK(std::abs(report.energy.unexplained) < 1e-12);
    work += report.energy.actuators;
  }
  const double change = first_length(simulator.system(), simulator.state()) - before;
  CHECK(change < -0.1);
  CHECK(work == Approx(-7.0 * change).epsilon(1e-3));  // of first order in the step
  const double v = simulator.state().v[0];
  CHECK(0.5 * 2.0 * v * v == Approx(work).epsilon(1e-9));
}

TEST_CASE("A rope holds a falling body at its length and does not push it") {
  const Scene scene = load_text(R"(<worldbody><site name='hook' pos='0 0 2'/>
      <body pos='0.3 0 1.8'><freejoint/><geom size='0.1' mass='2'/><site name='s'/></body></worldbody>
    <tendon><spatial name='rope' range='0 1'><site site='hook'/><site site='s'/></spatial></tendon>)",
                                "[0, 0, -9.81]", 0.001, 2.0);
  Simulator simulator(scene);
  double longest = 0.0;
  int taut = 0;
  while (!simulator.finished()) {
    const StepReport& report = simulator.step();
    CHECK(report.certificate.holds);
    const double length = first_length(simulator.system(), simulator.state());
    longest = std::max(longest, length);
    for (Eigen::Index i = 0; i < report.solution.bounded_impulses.size(); ++i) {
      CHECK(report.solution.bounded_impulses[i] >= 0.0);
      if (report.solution.bounded_impulses[i] > 0.0) ++taut;
    }
  }
  // The limit is linear in a step: it is passed by about (v h)^2/(2 l).
  CHECK(longest < 1.0 + 1e-4);
  CHECK(longest > 1.0 - 1e-4);
  CHECK(taut > 500);
}

TEST_CASE("A muscle pulls, and its activation grows with its time constant") {
  const Scene scene = load_text(R"(<worldbody>
      <body><joint name='x' type='slide' axis='1 0 0'/><geom size='0.1' mass='2'/></body></worldbody>
    <actuator><muscle name='m' joint='x' lengthrange='-1 1' range='0.9 1.1' force='3' vmax='1e9'
      fpmax='0'/></actuator><keyframe><key name='home' ctrl='1'/></keyframe>)",
                                "[0, 0, 0]", 0.0001, 0.5);
  REQUIRE(scene.models[0].muscles.size() == 1);
  CHECK(entry_of(scene, "muscle 'm'").fate == ImportFate::Applied);
  Simulator simulator(scene);
  double impulse = 0.0;
  while (!simulator.finished()) {
    CHECK(simulator.step().certificate.holds);
    impulse = 2.0 * simulator.state().v[0];
  }
  // From a = 0, (1 - a) = exp(-s) at t = T (2 s - 1.5 a), T = 0.01 s; the integral of 1 - a over
  // all times is T (2 - 1.5/2).
  const double lost = 0.01 * (2.0 - 0.75);
  CHECK(impulse == Approx(-3.0 * (0.5 - lost)).epsilon(2e-3));
}

TEST_CASE("A servo along a path damps by the inertia that it moves at qpos0") {
  // A mass of 2 kg on a slide, a turning disc with a moment arm of 0.3 m, and a free box.
  const Scene scene = load_text(R"(<worldbody><site name='hook' pos='-1 0 0'/>
      <body><joint name='x' type='slide' axis='1 0 0'/><geom size='0.1' mass='2'/><site name='s'/>
      </body>
      <body pos='0 0 2'><joint name='t' axis='0 1 0'/>
        <inertial pos='0 0 0' mass='1' diaginertia='0.5 0.7 0.9'/><site name='r' pos='0 0 0.3'/>
      </body><site name='level' pos='-1 0 2.3'/>
      <body pos='0 0 5' euler='0 0 90'><freejoint/>
        <inertial pos='0 0 0' mass='3' diaginertia='0.5 0.7 0.9'/><site name='f' pos='0 0 0.2'/>
      </body><site name='high' pos='-1 0 5.2'/></worldbody>
    <tendon><spatial name='a'><site site='hook'/><site site='s'/></spatial>
      <spatial name='b'><site site='level'/><site site='r'/></spatial>
      <spatial name='c'><site site='high'/><site site='f'/></spatial></tendon>
    <actuator><position tendon='a' kp='50' dampratio='1'/>
      <position tendon='b' kp='50' dampratio='0.5' gear='2'/>
      <position tendon='c' kp='50' dampratio='1'/></actuator>)");
  REQUIRE(scene.models[0].servos.size() == 3);
  CHECK(scene.models[0].servos[0].kd == Approx(2.0 * std::sqrt(50.0 * 2.0)).epsilon(1e-9));
  // Along the gear the inertia is I/(gear r)^2, and the damping gear^2 times as large.
  const double inertia = 0.7 / (0.3 * 0.3) / 4.0;
  CHECK(scene.models[0].servos[1].kd == Approx(4.0 * std::sqrt(50.0 * inertia)).epsilon(1e-9));
  // The box turns about its own x axis, which lies along y.
  CHECK(scene.models[0].servos[2].kd ==
        Approx(2.0 * std::sqrt(50.0 * (3.0 + 0.5 / (0.2 * 0.2)))).epsilon(1e-9));
}

TEST_CASE("Equalities keep tendons in space at their lengths at qpos0, and couple them") {
  const Scene scene = load_text(R"(<worldbody><site name='hook' pos='0 0 2'/>
      <body pos='0.6 0 1.2'><joint name='x' type='slide' axis='1 0 0'/>
        <joint name='z' type='slide' axis='0 0 1'/><geom size='0.1' mass='2'/><site name='s'/></body>
      <body pos='0 0.5 1'><joint name='y' type='slide' axis='0 0 1' ref='0.1'/>
        <geom size='0.1' mass='1'/><site name='u'/></body></worldbody>
    <tendon><spatial name='rod'><site site='hook'/><site site='s'/></spatial>
      <spatial name='lift'><site site='hook'/><site site='u'/></spatial></tendon>
    <equality><tendon tendon1='rod'/></equality>)",
                                "[0, 0, -9.81]", 0.001, 1.0);
  REQUIRE(scene.models[0].couplings.size() == 1);
  CHECK(scene.models[0].couplings[0].curve.offset == Approx(1.0).epsilon(1e-12));
  CHECK(scene.ledger.findings().empty());
  Simulator simulator(scene);
  double longest = 0.0, shortest = 2.0, lost = 0.0;
  while (!simulator.finished()) {
    const StepReport& report = simulator.step();
    CHECK(report.certificate.holds);
    const double length = first_length(simulator.system(), simulator.state());
    longest = std::max(longest, length);
    shortest = std::min(shortest, length);
    lost = std::abs(report.energy.unexplained);
  }
  // A pendulum of length 1 m that falls from 0.8 m below its hook; the way is linear in a step.
  CHECK(longest - shortest < 1e-4);
  CHECK(lost < 1e-9);
}

TEST_CASE("The ledger of spatial tendons says what acts and what is derived") {
  const Scene scene = load_text(R"(<worldbody><site name='hook'/><site name='nail' pos='1 0 0'/>
      <body><joint name='j' axis='0 1 0' range='-30 40'/><geom name='g' size='0.1'/>
        <site name='s' pos='0 0 1'/></body>
      <geom name='drum' type='cylinder' size='0.1 0.1' contype='0' conaffinity='0' mass='0'/>
    </worldbody><tendon>
      <spatial name='cord' damping='1'><site site='hook'/><geom geom='drum' sidesite='nail'/>
        <site site='s'/><pulley divisor='2'/><site site='s'/><site site='nail'/></spatial>
      <spatial name='ruler' stiffness='3'><site site='hook'/><site site='nail'/></spatial></tendon>
    <actuator><muscle name='biceps' joint='j' tausmooth='0.1'/>
      <position name='servo' tendon='cord' kp='1' dampratio='1'/></actuator>)");
  CHECK(entry_of(scene, "spatial 'cord'").fate == ImportFate::Applied);
  CHECK(entry_of(scene, "spatial 'cord': damping").fate == ImportFate::Applied);
  CHECK(entry_of(scene, "geom 'drum'").fate == ImportFate::Applied);
  CHECK(entry_of(scene, "spatial 'ruler'").fate == ImportFate::Ignored);
  CHECK(entry_of(scene, "muscle 'biceps'").fate == ImportFate::Approximated);
  CHECK(entry_of(scene, "muscle 'biceps': tausmooth").fate == ImportFate::Approximated);
  CHECK(entry_of(scene, "position 'servo': dampratio").fate == ImportFate::Applied);
  REQUIRE(scene.models[0].muscles.size() == 1);
  const Muscle& muscle = scene.models[0].muscles[0].muscle;
  CHECK(muscle.optimal_length == Approx(70.0 * std::numbers::pi / 180.0 / 0.3));
}

}  // namespace amontons::test

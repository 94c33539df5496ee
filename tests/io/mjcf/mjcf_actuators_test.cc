#include "amontons/simulation/simulator.h"
#include "tests/io/ledger_entry.h"
#include "tests/io/mjcf/mjcf_forces.h"

#include <algorithm>
#include <cmath>
#include <numbers>

// Tendons and actuators of MJCF against MuJoCo 2.2, and over time against closed forms.

namespace amontons::test {
namespace {

namespace fs = std::filesystem;

const fs::path kOwn = fs::path(AMONTONS_SOURCE_DIR) / "tests/io/mjcf";

Scene load_text(const std::string& text, const std::string& keys = "", double duration = 1.0) {
  io::MemoryFiles files;
  files.add("m.xml", text);
  return io::parse_scene("amontons: 1\ngravity: [0, 0, 0]\nsimulation: {step: 0.001, duration: " +
                             std::to_string(duration) + "}\nmodels: [{name: m, file: m.xml" + keys +
                             "}]\n",
                         "scene.yaml", files);
}

/// Runs a model whose only joint `j` moves 2 kg along x, with an actuator; returns x and its rate.
Eigen::Vector2d run_slide(const std::string& actuator, const std::string& keyframe = "",
                          double duration = 1.0) {
  const Scene scene = load_text(
      "<mujoco><worldbody><body name='b'><joint name='j' type='slide' axis='1 0 0'/>"
      "<geom size='0.1' mass='2'/></body></worldbody><actuator>" +
          actuator + "</actuator><keyframe><key name='home' " + keyframe + "/></keyframe></mujoco>",
      "", duration);
  Simulator simulator(scene);
  while (!simulator.finished()) CHECK(simulator.step().certificate.holds);
  return {simulator.state().q[0], simulator.state().v[0]};
}

}  // namespace

TEST_CASE(
    "Actuators of MJCF exert at their keyframe what they exert in MuJoCo, on joints, tendons, "
    "sites and balls, and by the defaults of their classes") {
  for (const char* file : {"tendons.xml", "defaults.xml"}) {
    MujocoTwin twin(kOwn / file);
    INFO(twin.error);
    REQUIRE(twin.model);
    set_key(twin, "home");
    twin.update();
    check_actuators(twin, 11, 5);
  }
}

TEST_CASE("Tendons of MJCF have the lengths, springs, dampers and limits that MuJoCo gives them") {
  MujocoTwin twin(kOwn / "tendons.xml");
  REQUIRE(twin.model);
  const mjModel& m = *twin.model;
  std::mt19937 engine(13);
  for (int k = 0; k < 5; ++k) {
    twin.randomize(engine);
    for (int t = 0; t < m.ntendon; ++t) {
      const ModelTendon& ours = twin.ours().tendons[static_cast<std::size_t>(t)];
      CAPTURE(ours.name);
      const Along at = along(twin, ours.name);
      CHECK(at.position == Approx(twin.data->ten_length[t]).margin(1e-12));
      CHECK(at.rate == Approx(twin.data->ten_velocity[t]).margin(1e-12));
      CHECK(ours.dynamics.coulomb_friction == m.tendon_frictionloss[t]);
      REQUIRE(ours.dynamics.limits.has_value() == (m.tendon_limited[t] != 0));
      if (!ours.dynamics.limits) continue;
      CHECK((*ours.dynamics.limits)[0] == m.tendon_range[2 * t]);
      CHECK((*ours.dynamics.limits)[1] == m.tendon_range[2 * t + 1]);
    }
    const Eigen::VectorXd theirs = twin.to_mujoco.transpose() *
                                   Eigen::Map<const Eigen::VectorXd>(twin.data->qfrc_passive, m.nv);
    CHECK((our_springs(twin) - theirs).norm() < 1e-9 * (1.0 + theirs.norm()));
  }
}

TEST_CASE("Constraints of tendons and of one joint hold where MuJoCo's do") {
  MujocoTwin twin(kOwn / "tendons.xml");
  REQUIRE(twin.model);
  REQUIRE(twin.ours().couplings.size() == 2);
  std::mt19937 engine(17);
  for (int k = 0; k < 5; ++k) {
    twin.randomize(engine);
    for (std::size_t c = 0; c < 2; ++c) {
      const JointCoupling& coupling = twin.ours().couplings[c];
      double error = along(twin, coupling.joint).position - coupling.curve.offset;
      if (!coupling.reference.empty()) {
        error -= coupling.curve.multiplier * along(twin, coupling.reference).position;
      }
      CHECK(error == Approx(twin.data->efc_pos[c]).margin(1e-9));
    }
  }
}

TEST_CASE("A model of MJCF starts with the velocities of its keyframe") {
  MujocoTwin twin(kOwn / "tendons.xml");
  REQUIRE(twin.model);
  const int home = mj_name2id(twin.model.get(), mjOBJ_KEY, "home");
  const State start = twin.system->initial_state();
  twin.q = start.q;
  twin.v = start.v;
  twin.update();
  for (int i = 0; i < twin.model->nq; ++i) {
    CHECK(twin.data->qpos[i] ==
          Approx(twin.model->key_qpos[home * twin.model->nq + i]).margin(1e-12));
  }
  for (int i = 0; i < twin.model->nv; ++i) {
    CHECK(twin.data->qvel[i] ==
          Approx(twin.model->key_qvel[home * twin.model->nv + i]).margin(1e-12));
  }
}

TEST_CASE("A motor on a tendon accelerates joints by its coefficients") {
  // Two slides of 2 kg and 3 kg; L = x - 2 y, force 6 N: x'' = 6/2, y'' = -12/3.
  const Scene scene = load_text(R"(<mujoco><worldbody>
      <body><joint name='x' type='slide' axis='1 0 0'/><geom size='0.1' mass='2'/></body>
      <body pos='0 1 0'><joint name='y' type='slide' axis='1 0 0'/><geom size='0.1' mass='3'/></body>
    </worldbody>
    <tendon><fixed name='t'><joint joint='x' coef='1'/><joint joint='y' coef='-2'/></fixed></tendon>
    <actuator><motor name='pull' tendon='t' gear='3'/></actuator>
    <keyframe><key name='home' ctrl='2'/></keyframe></mujoco>)");
  Simulator simulator(scene);
  while (!simulator.finished()) CHECK(simulator.step().certificate.holds);
  CHECK(simulator.state().v[0] == Approx(3.0));
  CHECK(simulator.state().v[1] == Approx(-4.0));
  // A program may command the tendon by its name.
  simulator.set_effort("m/t", -12.0);
  const Eigen::VectorXd before = simulator.state().v;
  simulator.step();
  CHECK(simulator.state().v[0] - before[0] == Approx(-0.003));
  CHECK(simulator.state().v[1] - before[1] == Approx(0.004));
}

TEST_CASE("A tendon stops at its limits, and a constraint of tendons holds to rounding") {
  const std::string bodies = R"(<mujoco><worldbody>
      <body><joint name='x' type='slide' axis='1 0 0'/><geom size='0.1' mass='2'/></body>
      <body pos='0 1 0'><joint name='y' axis='0 0 1'/><geom type='box' size='0.3 0.1 0.1' mass='3'/></body>
    </worldbody>)";
  Simulator limited(load_text(bodies + R"(
    <tendon><fixed name='t' limited='true' range='-0.1 0.2'><joint joint='x' coef='1'/>
      <joint joint='y' coef='0.5'/></fixed></tendon>
    <actuator><motor joint='x'/><motor joint='y'/></actuator>
    <keyframe><key name='home' ctrl='3 1'/></keyframe></mujoco>)"));
  while (!limited.finished()) CHECK(limited.step().certificate.holds);
  CHECK(limited.state().q[0] + 0.5 * limited.state().q[1] == Approx(0.2).margin(1e-9));
  CHECK(limited.state().q[0] > 0.1);  // it slides on along the limit: 3 N against 1 N m

  Simulator coupled(load_text(bodies + R"(
    <tendon><fixed name='s'><joint joint='x' coef='2'/></fixed>
      <fixed name='t'><joint joint='y' coef='0.5'/></fixed></tendon>
    <equality><tendon tendon1='s' tendon2='t' polycoef='0 3 0 0 0'/></equality>
    <actuator><motor joint='x'/></actuator>
    <keyframe><key name='home' ctrl='3'/></keyframe></mujoco>)"));
  while (!coupled.finished()) CHECK(coupled.step().certificate.holds);
  CHECK(coupled.state().q[0] > 0.05);
  CHECK(2.0 * coupled.state().q[0] == Approx(1.5 * coupled.state().q[1]).margin(1e-9));
}

TEST_CASE("Activations follow their controls as the differential equations say") {
  // Filter: f = 4 (1 - e^(-t/0.2)), so that 2 v(1) = 4 (1 - 0.2 (1 - e^-5)).
  const Eigen::Vector2d filter =
      run_slide("<general joint='j' dyntype='filter' dynprm='0.2' gainprm='4'/>", "ctrl='1'");
  CHECK(filter[1] == Approx(2.0 * (1.0 - 0.2 * (1.0 - std::exp(-5.0)))).epsilon(1e-9));
  // Integrator, bounded at 0.5: f = 3 t up to t = 0.5, then 1.5.
  const Eigen::Vector2d integrator = run_slide(
      "<general joint='j' dyntype='integrator' gainprm='3' actlimited='true' actrange='-1 0.5'/>",
      "ctrl='1'");
  CHECK(integrator[1] == Approx(0.5 * (3.0 * 0.125 + 1.5 * 0.5)).epsilon(1e-9));
  // A filter is bounded, too: f = 4 (1 - e^(-t/0.2)) up to 2, reached at 0.2 ln 2.
  const Eigen::Vector2d bounded = run_slide(
      "<general joint='j' dyntype='filter' dynprm='0.2' gainprm='4' actlimited='true' "
      "actrange='-1 0.5'/>",
      "ctrl='1'");
  const double met = 0.2 * std::log(2.0);
  CHECK(bounded[1] == Approx(2.0 * (met - 0.1) + (1.0 - met)).epsilon(1e-5));
  // The force is cut at its own limit, too: 3 t up to 0.9, reached at 0.3 s.
  const Eigen::Vector2d cut = run_slide(
      "<general joint='j' dyntype='integrator' gainprm='3' forcelimited='true' "
      "forcerange='-5 0.9'/>",
      "ctrl='1'");
  CHECK(cut[1] == Approx(0.5 * (3.0 * 0.045 + 0.9 * 0.7)).epsilon(1e-9));
  // A gain without measure crosses both limits at one instant, 0.25 s: f = -1, then 1.
  const Eigen::Vector2d jump = run_slide(
      "<general joint='j' dyntype='integrator' gainprm='1e100' forcelimited='true' "
      "forcerange='-1 1'/>",
      "ctrl='1' act='-0.25'");
  CHECK(jump[1] == Approx(0.5 * (-0.25 + 0.75)).epsilon(1e-9));
  // A control so small that the time to its bound overflows moves nothing.
  const Eigen::Vector2d still = run_slide(
      "<general joint='j' dyntype='integrator' gainprm='1' actlimited='true' actrange='-1 1e100'/>",
      "ctrl='1e-300' act='0'");
  CHECK(std::abs(still[1]) < 1e-290);
  // Cylinder: from an activation in the keyframe; area pi/4 d^2.
  const Eigen::Vector2d cylinder =
      run_slide("<cylinder joint='j' area='2' timeconst='0.1'/>", "ctrl='0' act='1.5'");
  CHECK(cylinder[1] == Approx(0.5 * 3.0 * 0.1 * (1.0 - std::exp(-10.0))).epsilon(1e-9));
}

TEST_CASE("An integrated velocity servo follows its ramp, with the lag of a spring and damper") {
  // Overdamped servo at 200 N/m on 2 kg: after the transient x = 0.3 t - 0.3 kd/kp.
  const Eigen::Vector2d ramp = run_slide(
      "<intvelocity joint='j' kp='2000' actlimited='true' actrange='-9 9'/>"
      "<general joint='j' biastype='affine' biasprm='0 0 -200'/>",
      "ctrl='0.3 0'", 4.0);
  CHECK(ramp[1] == Approx(0.3).epsilon(1e-6));
  CHECK(ramp[0] == Approx(0.3 * 4.0 - 0.3 * 200.0 / 2000.0).epsilon(1e-3));
}

TEST_CASE("Feedback of an actuator with an activation damps against rest, not its moving target") {
  // 2 x'' = 2 a - 2 x - 2 x'. A filter of 1 s: a = 1 - e^-t, so that x'' + x' + x = 1 - e^-t has
  // x = 1 - e^-t - e^(-t/2) (2/sqrt 3) sin(w t), w = sqrt(3)/2.
  const double w = 0.5 * std::sqrt(3.0), decay = std::exp(-0.5);
  const double filtered = std::exp(-1.0) + decay * (std::sin(w) / std::sqrt(3.0) - std::cos(w));
  // An integrator: a = t, x = t - 1 + e^(-t/2) (cos(w t) - sin(w t)/sqrt 3).
  const double integrated =
      1.0 - 2.0 / std::sqrt(3.0) * decay * std::sin(w + std::numbers::pi / 3.0);
  const auto rate = [](const std::string& actuator) {
    return run_slide(actuator, "ctrl='1' act='0'")[1];
  };
  // The step is of first order: 1e-3 s.
  CHECK(rate("<general joint='j' dyntype='filter' dynprm='1' gainprm='2' biastype='affine' "
             "biasprm='0 -2 -2'/>") == Approx(filtered).epsilon(2e-3));
  CHECK(rate("<position joint='j' kp='2' kv='2' timeconst='1'/>") ==
        Approx(filtered).epsilon(2e-3));
  CHECK(rate("<cylinder joint='j' area='2' timeconst='1' bias='0 -2 -2'/>") ==
        Approx(filtered).epsilon(2e-3));
  CHECK(rate("<intvelocity joint='j' kp='2' kv='2' actlimited='true' actrange='-9 9'/>") ==
        Approx(integrated).epsilon(2e-3));
  // With a limit of its force it damps against the rate of its target, which is a finding.
  const Scene limited = load_text(
      "<mujoco><worldbody><body><joint name='j' type='slide'/><geom size='0.1'/></body></worldbody>"
      "<actuator><position name='p' joint='j' kp='2' kv='2' timeconst='1' forcerange='-1 1'/>"
      "</actuator><keyframe><key name='home' ctrl='1'/></keyframe></mujoco>");
  CHECK(entry_of(limited, "position 'p'").fate == ImportFate::Refused);
}

TEST_CASE("A damping ratio damps by the inertia at qpos0") {
  const Scene scene = load_text(R"(<mujoco><worldbody>
      <body><joint name='j' type='slide' axis='1 0 0'/><geom size='0.1' mass='2'/></body></worldbody>
    <actuator><position joint='j' kp='50' dampratio='0.7' gear='3'/></actuator></mujoco>)");
  REQUIRE(scene.models[0].servos.size() == 1);
  CHECK(scene.models[0].servos[0].kp == Approx(450.0));
  // kd = 2 ratio sqrt(kp m) along the slide.
  CHECK(scene.models[0].servos[0].kd == Approx(2.0 * 0.7 * std::sqrt(450.0 * 2.0)));
}

TEST_CASE("gravcomp carries its share of the weight") {
  const Scene scene = load_text(R"(<mujoco><worldbody>
      <body gravcomp='1'><freejoint/><geom size='0.1'/></body>
      <body pos='1 0 0' gravcomp='0.25'><freejoint/><geom size='0.1' pos='0 0 0.05'/></body>
      <body pos='2 0 0' gravcomp='0'><freejoint/><geom size='0.1'/></body></worldbody></mujoco>)");
  Scene falling = scene;
  falling.gravity = {0.0, 0.0, -9.81};
  Simulator simulator(falling);
  while (!simulator.finished()) CHECK(simulator.step().certificate.holds);
  const Eigen::VectorXd& v = simulator.state().v;
  CHECK(v[5] == Approx(0.0).margin(1e-12));
  CHECK(v[11] == Approx(-0.75 * 9.81));
  CHECK(v[17] == Approx(-9.81));
}

TEST_CASE("An actuator that cannot act is a finding, whatever its control") {
  const Scene scene = load_text(R"(<mujoco><worldbody>
      <body name='a'><joint name='j' axis='0 1 0'/><geom size='0.1'/><site name='s'/>
        <body name='b' pos='1 0 0'><joint name='ball' type='ball'/><geom size='0.1'/><site name='t'/>
        </body></body></worldbody>
    <actuator><muscle name='biceps' joint='j'/>
      <position name='turn' joint='ball'/><motor name='jet' site='s' refsite='t'/>
      <adhesion name='stick' body='a' ctrlrange='0 1'/>
      <general name='plug' joint='j' dyntype='user'/>
      <position name='odd' joint='j' kp='-3'/><motor name='fine' joint='j'/></actuator></mujoco>)");
  for (const char* name : {"muscle 'biceps'", "position 'turn'", "motor 'jet'", "adhesion 'stick'",
                           "general 'plug'", "position 'odd'"}) {
    CAPTURE(name);
    CHECK(entry_of(scene, name).fate == ImportFate::Refused);
  }
  CHECK(entry_of(scene, "motor 'fine'").fate == ImportFate::Applied);
}

TEST_CASE("A limit of the sum of several actuators is a finding, one of a single actuator acts") {
  const auto load = [](const std::string& actuators) {
    return load_text(
        "<mujoco><worldbody><body><joint name='j' type='slide' axis='1 0 0' "
        "actuatorfrcrange='-0.3 0.3'/><geom size='0.1'/></body><body><joint name='k' type='slide'/>"
        "<geom size='0.1'/></body></worldbody><tendon><fixed name='t' actuatorfrcrange='-0.2 0.2'>"
        "<joint joint='k' coef='1'/></fixed><fixed name='s'><joint joint='j' coef='1'/></fixed>"
        "</tendon><actuator>" +
        actuators + "</actuator><keyframe><key name='home' ctrl='5 -8'/></keyframe></mujoco>");
  };
  const Scene single = load("<motor joint='j'/><motor tendon='t'/>");
  CHECK(single.ledger.findings().empty());
  REQUIRE(single.models[0].efforts.size() == 2);
  CHECK(single.models[0].efforts[0].effort == 0.3);
  CHECK(single.models[0].efforts[1].effort == -0.2);
  const std::string of_joint = "joint 'j': actuatorfrcrange";
  const std::string of_tendon = "fixed 't': actuatorfrcrange";
  CHECK(entry_of(load("<motor joint='j'/><motor joint='j'/>"), of_joint).fate ==
        ImportFate::Refused);
  CHECK(entry_of(load("<motor joint='j'/><motor tendon='s'/>"), of_joint).fate ==
        ImportFate::Refused);
  CHECK(entry_of(load("<motor tendon='t'/><motor tendon='t'/>"), of_tendon).fate ==
        ImportFate::Refused);
}

TEST_CASE("Only a spring length of -1 is that at springref; a sum of coordinates may be negative") {
  // MuJoCo 3 takes other negative lengths as such; 2.2 does not.
  const Scene scene = load_text(
      "<mujoco><compiler angle='radian'/><worldbody><body><joint name='j' springref='0.3'/>"
      "<geom size='0.1'/></body></worldbody><tendon>"
      "<fixed stiffness='1' springlength='-0.5'><joint joint='j' coef='2'/></fixed>"
      "<fixed stiffness='1' springlength='-1'><joint joint='j' coef='2'/></fixed>"
      "<fixed stiffness='1' springlength='-1 0.5'><joint joint='j' coef='2'/></fixed>"
      "<fixed stiffness='1'><joint joint='j' coef='2'/></fixed></tendon></mujoco>");
  const std::vector<ModelTendon>& tendons = scene.models[0].tendons;
  const std::vector<double> rest{-0.5, 0.6, -1.0, 0.6};
  for (std::size_t i = 0; i < rest.size(); ++i) {
    CHECK(tendons[i].dynamics.rest_position == Approx(rest[i]));
  }
  CHECK(tendons[2].dynamics.slack == 1.5);
}

TEST_CASE("An actuator that exerts nothing keeps its place among the activations") {
  const Scene scene = load_text(
      "<mujoco><worldbody><body><joint name='j' type='slide'/><geom size='0.1'/></body></worldbody>"
      "<actuator><general joint='j' dyntype='filter' gaintype='user'/>"
      "<general joint='j' dyntype='integrator'/></actuator>"
      "<keyframe><key name='home' ctrl='0 0' act='0.5 0.3'/></keyframe></mujoco>");
  REQUIRE(scene.models[0].efforts.size() == 1);
  CHECK(scene.models[0].efforts[0].effort == 0.3);
}

TEST_CASE("Of a polynomial spring the linear part acts, and the rest is a finding") {
  const Scene scene = load_text(R"(<mujoco><worldbody>
      <body><joint name='j' axis='0 1 0' stiffness='3 0.5' damping='2 0'/><geom size='0.1'/></body>
    </worldbody><tendon><fixed name='t' stiffness='0 7'><joint joint='j' coef='1'/></fixed></tendon>
    </mujoco>)");
  CHECK(scene.models[0].joints[0].dynamics.stiffness == 3.0);
  CHECK(entry_of(scene, "joint 'j': stiffness").fate == ImportFate::Refused);
  CHECK(entry_of(scene, "joint 'j': damping").fate == ImportFate::Applied);
  CHECK(entry_of(scene, "fixed 't': stiffness").fate == ImportFate::Refused);
}

TEST_CASE("A published car has its two motors, on tendons of its wheels") {
  const fs::path shared = fs::path(AMONTONS_SOURCE_DIR) / "../shared/data/robots/mujoco/car.xml";
  if (!fs::exists(shared)) {
    WARN("SKIPPED: there is no " << shared.string());
    return;
  }
  const Scene scene = load_mjcf(shared);
  REQUIRE(scene.models[0].tendons.size() == 2);
  CHECK(scene.models[0].tendons[0].name == "forward");
  CHECK(scene.models[0].frames.size() == 4);
  Simulator simulator(scene);
  simulator.set_effort("m/forward", 1.0);
  for (int k = 0; k < 200; ++k) CHECK(simulator.step().certificate.holds);
  const auto rate = [&](const char* name) {
    const System& system = simulator.system();
    const int index = system.find_joint(std::string("m/") + name);
    return simulator.state().v[system.joints()[static_cast<std::size_t>(index)].v_offset];
  };
  CHECK(rate("left") > 0.0);
  CHECK(rate("left") == Approx(rate("right")).epsilon(1e-6));
}

}  // namespace amontons::test

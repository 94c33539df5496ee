#include "amontons/geometry/shapes/mass_properties.h"
#include "amontons/io/common/parse_error.h"
#include "amontons/io/scene/scene_file.h"
#include "amontons/io/scene/start_check.h"
#include "amontons/simulation/simulator.h"
#include "tests/io/ledger_entry.h"
#include "tests/io/mjcf/mjcf_text.h"

#include <catch2/catch.hpp>

#include <string>

// Options, flags and attributes of MJCF that change what acts: closed forms, by MuJoCo's reference.

namespace amontons::test {
namespace {

Scene load_options_model(const std::string& text, const std::string& gravity = "[0, 0, -10]") {
  io::MemoryFiles files;
  files.add("m.xml", "<mujoco>" + text + "</mujoco>");
  return io::parse_scene("amontons: 1\ngravity: " + gravity +
                             "\nsimulation: {step: 0.001, duration: 0.5}\n"
                             "models: [{name: m, file: m.xml}]\n",
                         "scene.yaml", files);
}

/// Returns the first position and rate after 0.5 s of steps that are all certified.
Eigen::Vector2d run_options_model(const std::string& text,
                                  const std::string& gravity = "[0, 0, -10]") {
  Simulator simulator(load_options_model(text, gravity));
  while (!simulator.finished()) CHECK(simulator.step().certificate.holds);
  return {simulator.state().q[0], simulator.state().v[0]};
}

/// Returns a slide of 2 kg along x with actuators and more, without gravity.
std::string slide_with(const std::string& joint, const std::string& rest) {
  return "<option gravity='0 0 0'/><worldbody><body name='b'><joint name='j' type='slide' "
         "axis='1 0 0' " +
         joint + "/><geom size='0.1' mass='2'/></body></worldbody>" + rest;
}

Eigen::Vector2d run_slide_with(const std::string& joint, const std::string& rest) {
  return run_options_model(slide_with(joint, rest), "[0, 0, 0]");
}

bool is_unsupported(const Scene& scene, const std::string& element, const std::string& reason) {
  const LedgerEntry entry = entry_of(scene, element);
  return entry.fate == ImportFate::Refused && entry.reason.find(reason) != std::string::npos;
}

SpatialInertia inertia_of_second_link(const Scene& scene) {
  return scene.models.at(0).links.at(1).inertia;
}

}  // namespace

TEST_CASE("A servo of MJCF pushes and pulls by different limits") {
  const std::string servo = "<actuator><position joint='j' kp='1e4' forcerange='-1 3'/></actuator>";
  const auto start = [](double target) {
    return "<keyframe><key name='home' ctrl='" + std::to_string(target) + "'/></keyframe>";
  };
  // Far from its target its force is a limit: a = 3/2 and -1/2 m/s^2.
  CHECK(run_slide_with("", servo + start(10.0))[1] == Approx(0.75));
  CHECK(run_slide_with("", servo + start(-10.0))[1] == Approx(-0.25));
  // The limits of the joint count, too, and those of the gear's other direction.
  CHECK(run_slide_with("actuatorfrcrange='-5 2'", servo + start(10.0))[1] == Approx(0.5));
  const std::string geared =
      "<actuator><position joint='j' gear='-2' kp='1e4' forcerange='-1 3'/></actuator>";
  CHECK(run_slide_with("", geared + start(-10.0))[1] == Approx(0.5));
  CHECK(run_slide_with("", geared + start(10.0))[1] == Approx(-1.5));
  // A servo that may only push leaves what lies beyond its target alone.
  const std::string pushes = "<actuator><position joint='j' kp='1e4' forcerange='0 3'/></actuator>";
  CHECK(run_slide_with("", pushes + start(-10.0))[1] == 0.0);
  CHECK(run_slide_with("", pushes + start(10.0))[1] == Approx(0.75));
}

TEST_CASE("The limits of a motor's joint in MJCF may differ from way to way") {
  const auto rate = [](const std::string& ctrl) {
    return run_slide_with("actuatorfrcrange='-1 5'",
                          "<actuator><motor joint='j'/></actuator>"
                          "<keyframe><key name='home' ctrl='" +
                              ctrl + "'/></keyframe>")[1];
  };
  CHECK(rate("9") == Approx(0.5 * 5.0 / 2.0));
  CHECK(rate("-9") == Approx(-0.5 * 1.0 / 2.0));
}

TEST_CASE("Actuators of a group that MJCF disables exert nothing") {
  const std::string motors =
      "<actuator><motor group='1' joint='j' gear='7'/><motor group='2' joint='j'/></actuator>"
      "<keyframe><key name='home' ctrl='1 1'/></keyframe>";
  CHECK(run_slide_with("", motors)[1] == Approx(0.5 * 8.0 / 2.0));
  CHECK(run_slide_with("", "<option actuatorgroupdisable='1 5'/>" + motors)[1] ==
        Approx(0.5 * 1.0 / 2.0));
}

TEST_CASE("Without clampctrl the controls of MJCF may leave their ranges") {
  const std::string motor =
      "<actuator><motor joint='j' ctrllimited='true' ctrlrange='-1 1'/></actuator>"
      "<keyframe><key name='home' ctrl='3'/></keyframe>";
  CHECK(run_slide_with("", motor)[1] == Approx(0.25));
  CHECK(run_slide_with("", "<option><flag clampctrl='disable'/></option>" + motor)[1] ==
        Approx(0.75));
}

TEST_CASE("The flags spring and damper of MJCF switch off springs and dampers") {
  const auto model = [](const std::string& flag) {
    return scene_of_mjcf("<option><flag " + flag +
                         "/></option><worldbody><body gravcomp='.5'><joint name='j' stiffness='3' "
                         "damping='2'/><geom size='.1'/></body><body><joint name='k' "
                         "springdamper='.2 1'/><geom size='.1'/></body></worldbody><tendon><fixed "
                         "name='t' stiffness='5' damping='4'><joint joint='j' coef='2'/></fixed>"
                         "</tendon>")
        .models.at(0);
  };
  for (const auto& [flag, springs, dampers] :
       {std::tuple{"spring='disable'", false, true}, std::tuple{"damper='disable'", true, false},
        std::tuple{"spring='disable' damper='disable'", false, false},
        std::tuple{"passive='disable'", false, false}, std::tuple{"spring='enable'", true, true}}) {
    CAPTURE(flag);
    const SceneModel own = model(flag);
    for (const JointDynamics* dynamics :
         {&own.joints[0].dynamics, &own.joints[1].dynamics, &own.tendons[0].dynamics}) {
      CHECK((dynamics->stiffness > 0.0) == springs);
      CHECK((dynamics->viscous_friction > 0.0) == dampers);
    }
    // Without either there are no passive forces at all.
    CHECK((own.links[1].weight_support > 0.0) == (springs || dampers));
  }
}

TEST_CASE("The flag override of MJCF gives all contacts the friction o_friction") {
  // A box that slides at 1 m/s under 10 m/s^2; geoms would have friction 1.
  const auto rate = [](const std::string& option) {
    const Scene scene = load_options_model(
        option +
        "<worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 0.1'><freejoint/>"
        "<geom name='g' type='box' size='0.1 0.1 0.1'/></body></worldbody>"
        "<keyframe><key name='home' qvel='1 0 0 0 0 0'/></keyframe>");
    Simulator simulator(scene);
    for (int i = 0; i < 100; ++i) CHECK(simulator.step().certificate.holds);
    return simulator.state().v[3];
  };
  CHECK(rate("<option o_friction='0.01 0.01'><flag override='enable'/></option>") ==
        Approx(1.0 - 0.01 * 10.0 * 0.1));
  CHECK(rate("<option o_friction='0.01 0.01'/>") == Approx(0.0).margin(1e-9));
}

TEST_CASE("A weld of MJCF without torque holds a point, about which the body swings") {
  const auto load = [](const std::string& scale) {
    return load_options_model(
        "<worldbody><body name='a' pos='0 0 1'><freejoint/><geom type='box' size='.1 .1 .1' "
        "pos='.2 0 0'/></body></worldbody><equality><weld body1='a' anchor='0.1 0 1' " +
        scale + "/></equality>");
  };
  CHECK(load("torquescale='0.5'").models[0].loops.at(0).type == JointType::Fixed);
  const Scene scene = load("torquescale='0'");
  const ModelLoop& loop = scene.models[0].loops.at(0);
  CHECK(loop.type == JointType::Spherical);
  // The anchor is given in body 2, the world; the body lies at (0, 0, 1).
  CHECK((loop.X_AF.translation - Eigen::Vector3d(0.1, 0.0, 0.0)).norm() < 1e-15);
  CHECK((loop.X_BM.translation - Eigen::Vector3d(0.1, 0.0, 1.0)).norm() < 1e-15);
  Simulator simulator(scene);
  for (int i = 0; i < 100; ++i) CHECK(simulator.step().certificate.holds);
  CHECK(simulator.state().v.head<3>().norm() > 0.1);
}

TEST_CASE("Meshes of MJCF have the mass of their volume, their hull or their surface, as asked") {
  // A unit cube with a pyramid of height 0.5 taken out of its top.
  const auto mass = [](const std::string& inertia) {
    return inertia_of_second_link(load_options_model(
        "<asset><mesh name='t' inertia='" + inertia +
        "' vertex='0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1 .5 .5 .5' face='0 2 1 0 3 2 "
        "0 1 5 0 5 4 1 2 6 1 6 5 2 3 7 2 7 6 3 0 4 3 4 7 4 5 8 5 6 8 6 7 8 7 4 8'/></asset>"
        "<worldbody><body><joint/><geom type='mesh' mesh='t' density='10'/></body></worldbody>"));
  };
  CHECK(mass("exact").mass == Approx(10.0 * (1.0 - 0.5 / 3.0)));
  const SpatialInertia hull = mass("convex");
  CHECK(hull.mass == Approx(10.0));
  CHECK(hull.inertia(0, 0) == Approx(10.0 / 6.0));
  // Five faces, and four triangles of height sqrt(1/2).
  const SpatialInertia shell = mass("shell");
  CHECK(shell.mass == Approx(10.0 * (5.0 + 4.0 * 0.5 * std::sqrt(0.5))));
  CHECK(shell.center_of_mass.x() == Approx(0.5));
}

TEST_CASE("The hull of a mesh of MJCF is weighed where its frame and scales put it") {
  // A box of 0.2, 0.4 and 0.6 m, turned by 30 degrees in its file and back by its frame.
  const auto inertia = [](const std::string& kind) {
    return inertia_of_second_link(load_options_model(
        "<asset><mesh name='t' inertia='" + kind +
        "' scale='1 2 3' refpos='0.1 0 0' refquat='0.9659258262890683 0 0 0.25881904510252074' "
        "vertex='0.1 0 0 0.27320508 0.1 0 0 0.17320508 0 0.17320508 0.27320508 0 "
        "0.1 0 0.2 0.27320508 0.1 0.2 0 0.17320508 0.2 0.17320508 0.27320508 0.2'/></asset>"
        "<worldbody><body><joint/><geom type='mesh' mesh='t' density='1000'/></body>"
        "</worldbody>"));
  };
  const SpatialInertia hull = inertia("convex"), own = inertia("exact");
  CHECK(hull.mass == Approx(own.mass));
  CHECK((hull.center_of_mass - own.center_of_mass).norm() < 1e-9);
  CHECK((hull.inertia - own.inertia).norm() < 1e-9 * own.inertia.norm());
}

TEST_CASE("A geom of MJCF with shellinertia has its mass on its surface") {
  const SpatialInertia shell = inertia_of_second_link(load_options_model(
      "<worldbody><body><joint/><geom size='0.1' shellinertia='true'/></body></worldbody>"));
  const double mass = 1000.0 * 4.0 * 3.14159265358979323846 * 0.01;
  CHECK(shell.mass == Approx(mass));
  CHECK(shell.inertia(0, 0) == Approx(2.0 / 3.0 * mass * 0.01));
}

TEST_CASE("The density of a shell of MJCF is one per area, which contradicts no volume") {
  const auto findings = [](const std::string& geom) {
    return scene_of_mjcf(
               "<asset><mesh name='tip' inertia='shell' vertex='0 0 0 .1 0 0 0 .1 0 0 0 "
               ".1' face='0 2 1 0 1 3 0 3 2 1 2 3'/></asset><worldbody><body><freejoint/>"
               "<body><geom " +
               geom + "/></body></body></worldbody>")
        .ledger.findings()
        .size();
  };
  CHECK(findings("size='.1' shellinertia='true'") == 0);
  CHECK(findings("type='mesh' mesh='tip'") == 0);
  CHECK(findings("size='.1' density='30000'") == 1);
  CHECK(findings("size='.1' shellinertia='true' mass='200'") == 1);
}

TEST_CASE("What MJCF asks for and does not act here is a finding, or a warning at its line") {
  const Scene compensated = load_options_model(
      "<worldbody><body name='a' gravcomp='1'><joint name='j' actuatorgravcomp='true' "
      "actuatorfrcrange='-1 1'/><geom size='.1'/></body></worldbody>");
  CHECK(is_unsupported(compensated, "body 'a' joint 'j': actuatorgravcomp",
                       "actuatorfrcrange does not bound it"));
  const Scene cable = load_options_model(
      "<extension><plugin plugin='mujoco.elasticity.cable'><instance name='c'/></plugin>"
      "</extension><worldbody><body name='a'><joint/><geom size='.1'/><plugin instance='c'/>"
      "</body></worldbody>");
  CHECK(is_unsupported(cable, "body 'a': plugin", "forces of a plugin"));
  const Scene tendon = load_options_model(
      "<worldbody><body><joint name='j' type='slide'/><geom size='.1'/></body></worldbody>"
      "<tendon><fixed name='t' limited='true' range='.5 1'><joint joint='j' coef='1'/></fixed>"
      "</tendon>");
  CHECK(entry_of(tendon, "tendon 't': start position").fate == ImportFate::Warning);
  const Scene one_sided = load_options_model(slide_with(
      "", "<actuator><position name='p' joint='j' kp='1' forcerange='1 3'/></actuator>"));
  CHECK(one_sided.ledger.findings().empty());
}

TEST_CASE("A loop of MJCF that starts open is warned of at its own line") {
  Scene scene = load_options_model(
      "<worldbody><body name='a'><freejoint/><geom size='.1'/></body></worldbody>\n"
      "<equality><weld name='w' body1='a' relpose='0.1 0 0 1 0 0 0'/></equality>");
  io::check_initial_state(System(scene), scene);
  const LedgerEntry entry = entry_of(scene, "joint 'm/w': start position");
  CHECK(entry.where.file == "m.xml");
  CHECK(entry.where.line == 2);
}

TEST_CASE("The relative pose of a weld with an anchor says where the anchor is in body 1") {
  const Scene scene = load_options_model(
      "<worldbody><body name='a'><freejoint/><geom size='.1'/></body>"
      "<body name='b' pos='1 0 0'><freejoint/><geom size='.1'/></body></worldbody>"
      "<equality><weld body1='a' body2='b' relpose='1 0 0 1 0 0 0' anchor='-.5 0 0'/></equality>");
  const ModelLoop& loop = scene.models[0].loops.at(0);
  CHECK(loop.X_AF.translation == Eigen::Vector3d(1.0, 0.0, 0.0));
  CHECK(loop.X_BM.translation == Eigen::Vector3d(-0.5, 0.0, 0.0));
}

TEST_CASE("A geom of an unknown class does not hide the faults of what follows it") {
  CHECK_THROWS_WITH(
      load_options_model("<worldbody><body name='a'><joint name='j'/><geom size='.1' class='nope'/>"
                         "</body></worldbody>\n<actuator><motor joint='k'/></actuator>\n"
                         "<tendon><fixed><joint joint='q' coef='1'/></fixed></tendon>"),
      Catch::Contains("'nope'") && Catch::Contains("'k'") && Catch::Contains("'q'"));
}

TEST_CASE("A file whose elements are nested too deep says so at its line") {
  std::string bodies;
  for (int i = 0; i < 150; ++i) bodies += "<body><joint/><geom size='.1'/>\n";
  for (int i = 0; i < 150; ++i) bodies += "</body>";
  CHECK_THROWS_WITH(load_options_model("<worldbody>" + bodies + "</worldbody>"),
                    Catch::Contains("m.xml:") && Catch::Contains("100 levels"));
}

}  // namespace amontons::test

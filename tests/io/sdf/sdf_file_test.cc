#include "amontons/io/scene/model_file.h"
#include "amontons/io/scene/model_scene.h"
#include "amontons/io/scene/scene_file.h"
#include "amontons/math/rotation.h"
#include "amontons/simulation/simulator.h"
#include "amontons/simulation/system/kinematics.h"
#include "amontons/simulation/system/system.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <filesystem>
#include <random>
#include <string>

using namespace amontons;
namespace fs = std::filesystem;

namespace {

const fs::path kExamples = fs::path(AMONTONS_SOURCE_DIR) / "examples";
constexpr const char* kUnit =
    "<inertial><mass>2</mass><inertia><ixx>0.1</ixx><iyy>0.2</iyy><izz>0.25</izz></inertia>"
    "</inertial>";

std::string make_link(const std::string& name, const std::string& content) {
  return "<link name='" + name + "'>" + kUnit + content + "</link>\n";
}

std::string model(const std::string& content, const std::string& version = "1.9") {
  return "<sdf version='" + version + "'><model name='m'>\n" + content + "</model></sdf>\n";
}

Scene load(const std::string& sdf, const std::string& keys = "", io::MemoryFiles files = {}) {
  files.add("x.sdf", sdf);
  return io::parse_scene(
      "amontons: 1\nsimulation: {step: 0.01, duration: 1}\nmodels:\n  - {name: r, "
      "file: x.sdf" +
          keys + "}\n",
      "scene.yaml", files);
}

const ModelJoint& joint_of(const SceneModel& model, const std::string& name) {
  for (const ModelJoint& joint : model.joints) {
    if (joint.name == name) return joint;
  }
  FAIL("no joint " << name);
  return model.joints.front();
}

/// Holds M and C(q, v) v of all articulations at a state, in the order of the system.
struct Dynamics {
  Eigen::MatrixXd M;
  Eigen::VectorXd bias;
};

Dynamics dynamics_at(const System& system, const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
  Dynamics result{Eigen::MatrixXd::Zero(system.num_velocities(), system.num_velocities()),
                  Eigen::VectorXd::Zero(system.num_velocities())};
  for (std::size_t a = 0; a < system.articulations().size(); ++a) {
    const Articulation& tree = system.articulations()[a];
    const int at = system.v_offset(static_cast<int>(a)), n = tree.num_velocities();
    ArticulationKinematics kinematics;
    tree.compute_kinematics(q.segment(system.q_offset(static_cast<int>(a)), tree.num_positions()),
                            v.segment(at, n), kinematics);
    result.M.block(at, at, n, n) = tree.mass_matrix(kinematics);
    result.bias.segment(at, n) = tree.bias_forces(kinematics, v.segment(at, n));
  }
  return result;
}

void check_same_dynamics(const Scene& a, const Scene& b) {
  const System first(a), second(b);
  REQUIRE(first.num_velocities() == second.num_velocities());
  std::mt19937 random(7);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  for (int k = 0; k < 20; ++k) {
    Eigen::VectorXd q = first.initial_state().q, v(first.num_velocities());
    for (const JointCoordinate& joint : first.joints()) {
      const JointCoordinate& twin =
          second.joints().at(static_cast<std::size_t>(second.find_joint(joint.name)));
      CHECK(twin.q_offset == joint.q_offset);
      if (joint.num_q == 1) q[joint.q_offset] = unit(random);
    }
    for (double& rate : v) rate = unit(random);
    const Dynamics x = dynamics_at(first, q, v), y = dynamics_at(second, q, v);
    CHECK((x.M - y.M).cwiseAbs().maxCoeff() <= 1e-9 * x.M.cwiseAbs().maxCoeff());
    CHECK((x.bias - y.bias).norm() <= 1e-9 * x.bias.norm());
  }
}

}  // namespace

TEST_CASE("The quadruped and the arm have the same dynamics in URDF and in SDF") {
  for (const char* name : {"quadruped", "arm"}) {
    CAPTURE(name);
    const std::string folder = (kExamples / name / "scene.yaml").string();
    const io::DiskFiles disk(kExamples / name);
    const auto scene = [&](const std::string& extension) {
      const std::string base = std::string(name) == "arm" ? "fixed" : "free";
      return io::parse_scene(
          "amontons: 1\nsimulation: {step: 0.001, duration: 1}\nmodels: [{name: "
          "r, file: " +
              std::string(name) + extension + ", base: " + base + "}]\n",
          folder, disk);
    };
    const Scene urdf = scene(".urdf"), sdf = scene(".sdf");
    CHECK(sdf.ledger.findings().empty());
    check_same_dynamics(urdf, sdf);
    REQUIRE(urdf.models[0].joints.size() == sdf.models[0].joints.size());
    for (const ModelJoint& joint : urdf.models[0].joints) {
      const ModelJoint& twin = joint_of(sdf.models[0], joint.name);
      CHECK(twin.dynamics.limits == joint.dynamics.limits);
      CHECK(twin.dynamics.effort_limit == joint.dynamics.effort_limit);
      CHECK(twin.dynamics.coulomb_friction == joint.dynamics.coulomb_friction);
      CHECK(twin.dynamics.viscous_friction == joint.dynamics.viscous_friction);
    }
  }
}

TEST_CASE("A joint's frame may lie anywhere: the link turns about it and starts where it was") {
  const Scene scene =
      load(model(make_link("a", "") + make_link("b", "<pose>1 0 0 0 0 1.5707963267948966</pose>") +
                 "<joint name='j' type='revolute'><pose>0 0.25 0 0 0 0</pose><parent>a</parent>"
                 "<child>b</child><axis><xyz expressed_in='__model__'>0 1 0</xyz></axis></joint>"));
  const ModelJoint& joint = joint_of(scene.models.at(0), "j");
  // b's y axis is the model's -x axis, so that the joint is at (0.75, 0, 0).
  CHECK((joint.X_PJ.translation - Eigen::Vector3d(0.75, 0, 0)).norm() < 1e-15);
  CHECK((joint.X_PJ.rotation * joint.axis - Eigen::Vector3d::UnitY()).norm() < 1e-15);
  const Pose X_AB = joint.X_PJ * joint.X_JC;
  CHECK((X_AB.translation - Eigen::Vector3d(1, 0, 0)).norm() < 1e-15);
  CHECK((X_AB.rotation * Eigen::Vector3d::UnitX() - Eigen::Vector3d::UnitY()).norm() < 1e-15);
}

TEST_CASE("Before version 1.5 axes are those of the model unless the file says otherwise") {
  const std::string content =
      make_link("a", "") + make_link("b", "<pose>0 0 0 0 0 1.5707963267948966</pose>") +
      "<joint name='j' type='revolute'><parent>a</parent><child>b</child><axis><xyz>1 0 0</xyz>"
      "</axis></joint>";
  for (const auto& [version, axis] :
       {std::pair{"1.4", Eigen::Vector3d(1, 0, 0)}, std::pair{"1.6", Eigen::Vector3d(0, 1, 0)}}) {
    CAPTURE(version);
    const Scene scene = load(model(content, version));
    const ModelJoint& joint = joint_of(scene.models.at(0), "j");
    CHECK((joint.X_PJ.rotation * joint.axis - axis).norm() < 1e-15);
  }
}

TEST_CASE("Links that no joint carries are free, and collide with each other only on request") {
  const std::string balls =
      make_link("a",
                "<collision name='c'><geometry><sphere><radius>0.1</radius></sphere></geometry>"
                "</collision>") +
      make_link("b",
                "<pose>1 0 0 0 0 0</pose><collision name='c'><geometry><sphere><radius>0.1</radius>"
                "</sphere></geometry></collision>");
  const System apart(load(model(balls)));
  CHECK(apart.num_velocities() == 12);
  CHECK(apart.articulations().size() == 2);
  CHECK_FALSE(apart.may_collide(0, 1));
  CHECK(System(load(model("<self_collide>true</self_collide>" + balls))).may_collide(0, 1));
  CHECK(System(load(model(balls), ", self_collide: all")).may_collide(0, 1));
}

TEST_CASE("A joint on the world fixes the base, and a static model does not move at all") {
  const std::string arm =
      make_link("a", "") + make_link("b", "") +
      "<joint name='w' type='fixed'><parent>world</parent><child>a</child></joint>"
      "<joint name='j' type='revolute'><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz>"
      "</axis></joint>";
  CHECK(System(load(model(arm))).num_velocities() == 1);
  CHECK(System(load(model("<static>true</static>" + arm))).num_velocities() == 0);
}

TEST_CASE("A second joint to the same link closes a loop") {
  const std::string four_bar =
      make_link("a", "") + make_link("b", "<pose>1 0 0 0 0 0</pose>") +
      make_link("c", "<pose>0 0 1 0 0 0</pose>") +
      "<joint name='w' type='fixed'><parent>world</parent><child>a</child></joint>"
      "<joint name='j' type='ball'><parent>a</parent><child>b</child></joint>"
      "<joint name='k' type='ball'><parent>a</parent><child>c</child></joint>"
      "<joint name='l' type='fixed'><parent>b</parent><child>c</child></joint>";
  const SceneModel model_of = load(model(four_bar)).models.at(0);
  REQUIRE(model_of.loops.size() == 1);
  const ModelLoop& loop = model_of.loops[0];
  CHECK(loop.name == "l");
  CHECK(model_of.links[static_cast<std::size_t>(loop.link_a)].name == "b");
  CHECK(model_of.links[static_cast<std::size_t>(loop.link_b)].name == "c");
  CHECK((loop.X_AF.translation - Eigen::Vector3d(-1, 0, 1)).norm() < 1e-15);
  CHECK(loop.X_BM.translation.norm() < 1e-15);
}

TEST_CASE("What acts along a joint that closes a loop acts along its rows") {
  const auto hinge = [](const std::string& name, const std::string& parent,
                        const std::string& child, const std::string& keys) {
    return "<joint name='" + name + "' type='revolute'><parent>" + parent + "</parent><child>" +
           child + "</child><axis><xyz>0 1 0</xyz>" + keys + "</axis></joint>";
  };
  const std::string loop =
      make_link("a", "") + make_link("b", "<pose>1 0 0 0 0 0</pose>") +
      hinge("i", "world", "a", "") + hinge("j", "a", "b", "") +
      hinge("k", "world", "b",
            "<limit><lower>-1</lower><upper>0.5</upper></limit>"
            "<dynamics><damping>0.1</damping><friction>0.4</friction></dynamics>");
  const Scene scene = load(model(loop));
  REQUIRE(scene.models.at(0).loops.size() == 1);
  const JointDynamics& dynamics = scene.models[0].loops[0].dynamics;
  REQUIRE(dynamics.limits.has_value());
  CHECK((*dynamics.limits)[1] == 0.5);
  CHECK(dynamics.coulomb_friction == 0.4);
  CHECK(dynamics.viscous_friction == 0.1);
  const System system(scene);
  REQUIRE(system.loop_coordinates().size() == 1);
  CHECK(system.coordinate_dynamics().back().loop == 0);
}

TEST_CASE("A link without gravity stays where it is") {
  Scene scene = load(model(make_link("a", "<gravity>false</gravity>")));
  Simulator simulator(scene);
  while (!simulator.finished()) simulator.step();
  CHECK(simulator.state().q.tail<3>().norm() < 1e-13);
}

TEST_CASE("Friction and restitution of a collision become a material of its own") {
  const Scene scene = load(model(make_link(
      "a",
      "<collision name='c'><geometry><box><size>1 1 1</size></box></geometry><surface>"
      "<bounce><restitution_coefficient>0.25</restitution_coefficient></bounce>"
      "<friction><ode><mu>0.75</mu><mu2>0.5</mu2></ode></friction></surface></collision>")));
  CHECK(scene.models.at(0).links.at(0).shapes.at(0).material == "r/a/c");
  const Material& material = scene.materials.back();
  CHECK(material.name == "r/a/c");
  CHECK(material.friction == 0.75);
  CHECK(material.restitution == 0.25);
}

TEST_CASE("A world brings its models, its gravity and its step, and files that it includes") {
  io::MemoryFiles files;
  files.add("box/model.config",
            "<model><name>box</name><sdf version='1.4'>old.sdf</sdf>"
            "<sdf version='1.6'>box.sdf</sdf></model>");
  files.add("box/box.sdf", "<sdf version='1.6'><model name='box'><pose>0 0 5 0 0 0</pose>" +
                               make_link("body", "") + "</model></sdf>");
  const std::string world =
      "<sdf version='1.9'><world name='w'><gravity>0 0 -2</gravity>\n"
      "<physics type='ode'><max_step_size>0.02</max_step_size></physics>\n"
      "<include><uri>box</uri></include>\n"
      "<include><uri>box/box.sdf</uri><name>two</name><pose>3 0 0 0 0 0</pose></include>\n"
      "<model name='outer'><include><uri>box</uri><name>inner</name></include></model>\n"
      "</world></sdf>\n";
  const Scene scene = load(world, ", pose: {position: [0, 1, 0]}", files);
  REQUIRE(scene.models.size() == 3);
  CHECK(scene.models[0].name == "r/box");
  CHECK((scene.models[0].pose.translation - Eigen::Vector3d(0, 1, 5)).norm() == 0.0);
  CHECK((scene.models[1].pose.translation - Eigen::Vector3d(3, 1, 0)).norm() == 0.0);
  CHECK(System(scene).find_body("r/outer/inner::body") >= 0);
  CHECK(scene.gravity.z() == -9.81);  // the scene's own

  files.add("w.world", world);
  const Scene alone = io::load_model_scene("w.world", {.source = &files});
  CHECK(alone.gravity.z() == -2.0);
  CHECK(alone.simulation.steps == std::vector<double>{0.02});
  CHECK(alone.materials.at(0).friction == 1.0);
  const Scene again = io::parse_scene(alone.text, alone.file, io::MemoryFiles(alone.inputs));
  CHECK(again.gravity.z() == -2.0);
  CHECK(again.models.size() == 3);
}

TEST_CASE("A joint that mimics another is coupled to it") {
  const SceneModel model_of =
      load(model(make_link("a", "") + make_link("b", "") + make_link("c", "") +
                 "<joint name='j' type='revolute'><parent>a</parent><child>b</child><axis>"
                 "<xyz>0 0 1</xyz></axis></joint>"
                 "<joint name='k' type='revolute'><parent>b</parent><child>c</child><axis>"
                 "<xyz>0 0 1</xyz><mimic joint='j'><multiplier>2</multiplier><offset>1</offset>"
                 "<reference>0.25</reference></mimic></axis></joint>"))
          .models.at(0);
  REQUIRE(model_of.couplings.size() == 1);
  CHECK(model_of.couplings[0].joint == "k");
  CHECK(model_of.couplings[0].reference == "j");
  CHECK(model_of.couplings[0].curve.multiplier == 2.0);
  CHECK(model_of.couplings[0].curve.offset == 0.5);
}

TEST_CASE(
    "A motor without effort and a link a thousand times lighter than its neighbor are found") {
  const auto arm = [](const std::string& mass, const std::string& effort) {
    return model(make_link("a", "") + "<link name='b'><inertial><mass>" + mass +
                 "</mass><inertia><ixx>1e-6</ixx><iyy>1e-6</iyy><izz>1e-6</izz></inertia>"
                 "</inertial></link><joint name='j' type='revolute'><parent>a</parent><child>b"
                 "</child><axis><xyz>0 0 1</xyz><limit><lower>-1</lower><upper>1</upper><effort>" +
                 effort + "</effort></limit></axis></joint>");
  };
  CHECK(load(arm("0.0021", "5")).ledger.findings().empty());
  const auto light = load(arm("0.0019", "5")).ledger.findings();
  REQUIRE(light.size() == 1);
  CHECK_THAT(light[0].reason, Catch::Contains("2 kg and 0.0019 kg"));
  const auto weak = load(arm("0.0021", "0")).ledger.findings();
  REQUIRE(weak.size() == 1);
  CHECK(weak[0].element == "joint 'j': effort limit");
}

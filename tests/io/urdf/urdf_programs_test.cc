#include "amontons/io/common/parse_error.h"
#include "amontons/io/scene/model_scene.h"
#include "amontons/io/scene/scene_file.h"
#include "tests/io/ledger_entry.h"
#include "tests/io/xml/xml_account.h"

#include <catch2/catch.hpp>

#include <array>
#include <string>
#include <utility>
#include <vector>

// What Gazebo, MuJoCo and Bullet add to URDF for themselves.

namespace amontons::test {
namespace {

const std::string kInertial =
    "<inertial><mass value='2'/><inertia ixx='.07' ixy='0' ixz='0' iyy='.07' iyz='0' izz='.07'/>"
    "</inertial>";

/// Returns the file of a base, an upper arm and a hand, with more in the hand and the robot.
std::string arm(const std::string& more, const std::string& in_hand = "") {
  const std::string ball = "<collision><geometry><sphere radius='0.3'/></geometry></collision>";
  return "<robot name='arm'><link name='base'>" + kInertial + ball + "</link><link name='upper'>" +
         kInertial + ball + "</link><link name='hand'>" + kInertial + ball + in_hand +
         "</link><joint name='shoulder' type='continuous'><parent link='base'/><child "
         "link='upper'/><origin xyz='0 0 1'/></joint><joint name='wrist' type='prismatic'><parent "
         "link='upper'/><child link='hand'/><origin xyz='0 0 2'/><limit lower='-1' upper='1' "
         "effort='1' velocity='1'/></joint>" +
         more + "</robot>";
}

/// Returns a scene of a robot, each element of which has a record in the ledger.
Scene load(const std::string& robot, const std::string& keys = "") {
  io::MemoryFiles files;
  files.add("r.urdf", robot);
  Scene scene = io::parse_scene(
      "amontons: 1\nsimulation: {step: 0.01, duration: 1}\nmaterials: [{name: default, friction: "
      "0.4, restitution: 0.1}]\nmodels: [{name: r, file: r.urdf" +
          keys + "}]\n",
      "scene.yaml", files);
  CHECK(unaccounted(robot, "r.urdf", scene.ledger) == "");
  return scene;
}

/// Returns the scene that a robot file is by itself.
Scene load_alone(const std::string& robot) {
  io::MemoryFiles files;
  files.add("r.urdf", robot);
  io::LoadOptions options;
  options.source = &files;
  return io::load_model_scene("r.urdf", options);
}

const Material& material_of(const Scene& scene, std::size_t link) {
  const std::string& name = scene.models.at(0).links.at(link).shapes.at(0).material;
  for (const Material& material : scene.materials) {
    if (material.name == name) return material;
  }
  FAIL("no material " << name);
  return scene.materials.front();
}

bool excludes(const SceneModel& model, int a, int b) {
  for (const auto& pair : model.excluded) {
    if (pair == std::pair(a, b) || pair == std::pair(b, a)) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("mu1 of Gazebo is the friction of the link to which it refers") {
  const Scene scene =
      load(arm("<gazebo reference='hand'><mu1>0.9</mu1><mu2 value='0.9'/></gazebo>"
               "<gazebo reference='base'><mu1 value='0.2'/></gazebo>"));
  CHECK(material_of(scene, 0).friction == 0.2);
  CHECK(material_of(scene, 1).friction == 0.4);
  CHECK(material_of(scene, 2).friction == 0.9);
  CHECK(material_of(scene, 2).restitution == 0.1);
  CHECK(scene.ledger.findings().empty());
  CHECK(entry_of(scene, "<gazebo>: mu1").fate == ImportFate::Applied);
  // A scene may still replace it.
  const Scene changed = load(arm("<gazebo reference='hand'><mu1>0.9</mu1></gazebo>"),
                             ", links: {hand: {material: default}}");
  CHECK(material_of(changed, 2).friction == 0.4);
}

TEST_CASE("Bullet's contact gives a link friction and restitution, ahead of Gazebo's") {
  const Scene scene = load(arm("<gazebo reference='hand'><mu1>0.9</mu1></gazebo>",
                               "<contact><lateral_friction value='0.7'/><restitution value='0.6'/>"
                               "<rolling_friction value='0'/><stiffness value='3e4'/></contact>"));
  CHECK(material_of(scene, 2).friction == 0.7);
  CHECK(material_of(scene, 2).restitution == 0.6);
  CHECK(scene.ledger.findings().empty());
  CHECK(entry_of(scene, "<gazebo>: mu1").fate == ImportFate::Ignored);
  for (const char* acting : {"<rolling_friction value='0.01'/>", "<spinning_friction value='1'/>",
                             "<lateral_friction value='-1'/>", "<restitution value='2'/>",
                             "<inertia_scaling value='3'/>"}) {
    CAPTURE(acting);
    const Scene other = load(arm("", "<contact>" + std::string(acting) + "</contact>"));
    CHECK(other.ledger.findings().size() == 1);
    CHECK(material_of(other, 2).friction == 0.4);
  }
}

TEST_CASE("Gravity does not act on links for which Gazebo turns it off") {
  const Scene scene =
      load(arm("<gazebo reference='hand'><turnGravityOff>true</turnGravityOff></gazebo>"
               "<gazebo reference='base'><turnGravityOff> False </turnGravityOff></gazebo>"
               "<gazebo reference='upper'><gravity>0</gravity></gazebo>"));
  const auto& links = scene.models.at(0).links;
  CHECK(links.at(0).gravity);
  CHECK(!links.at(1).gravity);
  CHECK(!links.at(2).gravity);
  CHECK(scene.ledger.findings().empty());
}

TEST_CASE("A robot that is static in Gazebo does not move") {
  const Scene scene = load(arm("<gazebo><static>true</static></gazebo>"));
  CHECK(scene.models.at(0).base == BaseType::Fixed);
  for (const ModelJoint& joint : scene.models.at(0).joints) {
    CHECK(joint.type == JointType::Fixed);
    CHECK(!joint.dynamics.limits);
  }
  CHECK(scene.ledger.findings().empty());
  // Gazebo asks for it without a reference.
  const Scene moving =
      load(arm("<gazebo reference='hand'><static>true</static></gazebo>"
               "<gazebo><static>false</static></gazebo>"));
  CHECK(moving.models.at(0).base == BaseType::Free);
  CHECK(moving.models.at(0).joints.at(0).type == JointType::Continuous);
}

TEST_CASE("Springs of Gazebo act along joints of one coordinate") {
  const Scene scene =
      load(arm("<gazebo reference='wrist'><springStiffness>30</springStiffness>"
               "<springReference>0.25</springReference></gazebo>"));
  const JointDynamics& dynamics = scene.models.at(0).joints.at(1).dynamics;
  CHECK(dynamics.stiffness == 30.0);
  CHECK(dynamics.rest_position == 0.25);
  CHECK(scene.models.at(0).joints.at(0).dynamics.stiffness == 0.0);
  CHECK(scene.ledger.findings().empty());
}

TEST_CASE("Links do not collide with each other where Gazebo denies it for both") {
  const std::string deny = "<selfCollide>false</selfCollide></gazebo>";
  const std::string both = "<gazebo reference='hand'>" + deny + "<gazebo reference='base'>" + deny;
  const SceneModel model = load(arm(both)).models.at(0);
  CHECK(excludes(model, 0, 2));
  CHECK(!excludes(model, 1, 2));
  CHECK(!excludes(load(arm("<gazebo reference='hand'>" + deny)).models.at(0), 0, 2));
  CHECK(excludes(load(arm("<gazebo><self_collide>0</self_collide></gazebo>")).models.at(0), 0, 2));
  CHECK(!excludes(load(arm(both), ", self_collide: all").models.at(0), 0, 2));
}

TEST_CASE("What acts in Gazebo and not here is a finding") {
  const std::vector<std::string> acting{
      "<gazebo reference='hand'><mu1>0.9</mu1><mu2>0.1</mu2></gazebo>",
      "<gazebo reference='hand'><mu1>high</mu1></gazebo>",
      "<gazebo reference='wrist'><springStiffness>-3</springStiffness></gazebo>",
      "<gazebo reference='hand'><dampingFactor>0.01</dampingFactor></gazebo>",
      "<gazebo reference='hand'><velocity_decay><linear>0.1</linear></velocity_decay></gazebo>",
      "<gazebo reference='hand'><kinematic>true</kinematic></gazebo>",
      "<gazebo reference='hand'><collision><surface><friction><ode><mu>2</mu></ode></friction>"
      "</surface></collision></gazebo>",
      "<gazebo reference='hand'><inertial><mass>3</mass></inertial></gazebo>",
      "<gazebo><joint name='loop' type='revolute'><parent>base</parent><child>hand</child></joint>"
      "</gazebo>",
      "<gazebo><plugin name='drive' filename='libgazebo_ros_diff_drive.so'/></gazebo>",
      "<gazebo><plugin name='p' filename='libroboticsgroup_gazebo_mimic_joint_plugin.so'>"
      "<joint>gone</joint><mimicJoint>wrist</mimicJoint></plugin></gazebo>"};
  for (const std::string& block : acting) {
    CAPTURE(block);
    CHECK(load(arm(block)).ledger.findings().size() == 1);
  }
}

TEST_CASE("What moves nothing in Gazebo is no finding") {
  const std::vector<std::string> idle{
      "<gazebo reference='hand'><material>Gazebo/Grey</material></gazebo>",
      "<gazebo reference='hand'><sensor type='camera' name='c'><plugin name='p' "
      "filename='libgazebo_ros_camera.so'/></sensor></gazebo>",
      "<gazebo reference='hand'><kp>1e6</kp><kd>1</kd><minDepth>0.001</minDepth></gazebo>",
      "<gazebo reference='hand'><dampingFactor>0</dampingFactor></gazebo>",
      "<gazebo reference='wrist'><provideFeedback>true</provideFeedback></gazebo>",
      "<gazebo reference='gone'><mu1>0.9</mu1><dampingFactor>1</dampingFactor></gazebo>",
      "<gazebo><plugin name='c' filename='libgazebo_ros_control.so'/></gazebo>"};
  for (const std::string& block : idle) {
    CAPTURE(block);
    CHECK(load(arm(block)).ledger.findings().empty());
  }
  const Scene lost = load(arm("<gazebo reference='hond'><mu1>0.9</mu1></gazebo>"));
  CHECK_THAT(entry_of(lost, "<gazebo>").reason, Catch::Contains("did you mean 'hand'"));
}

TEST_CASE("A plugin of Gazebo lets a joint follow another by its multiplier and offset") {
  const Scene scene =
      load(arm("<gazebo><plugin name='p' filename='libroboticsgroup_gazebo_mimic_joint_plugin.so'>"
               "<joint>shoulder</joint><mimicJoint>wrist</mimicJoint><multiplier>-0.5</multiplier>"
               "<offset>0.2</offset><hasPID/><sensitiveness>0</sensitiveness></plugin></gazebo>"));
  CHECK(scene.ledger.findings().empty());
  REQUIRE(scene.models.at(0).couplings.size() == 1);
  const JointCoupling& coupling = scene.models.at(0).couplings.front();
  CHECK(coupling.joint == "wrist");
  CHECK(coupling.reference == "shoulder");
  CHECK(coupling.curve.value(0.6) == Approx(-0.1).epsilon(1e-14));
}

TEST_CASE("A plugin for the mimic that the joint has itself is no finding") {
  std::string robot =
      arm("<gazebo><plugin name='p' filename='libgazebo_mimic_joint_plugin.so'>"
          "<joint>shoulder</joint><mimicJoint>wrist</mimicJoint></plugin></gazebo>");
  robot.insert(robot.find("<limit"), "<mimic joint='shoulder' multiplier='0.1'/>");
  const Scene scene = load(robot);
  CHECK(scene.ledger.findings().empty());
  CHECK(scene.models.at(0).couplings.size() == 1);
}

TEST_CASE("settotalmass of MuJoCo scales all masses and inertias of a URDF") {
  const Scene scene = load(arm("<mujoco><compiler settotalmass='15'/></mujoco>"));
  for (const ModelLink& link : scene.models.at(0).links) {
    CHECK(link.inertia.mass == Approx(5.0).epsilon(1e-15));
    CHECK(link.inertia.inertia(0, 0) == Approx(0.175).epsilon(1e-15));
  }
  CHECK(load(arm("<mujoco><compiler settotalmass='-1'/></mujoco>"))
            .models.at(0)
            .links.at(0)
            .inertia.mass == 2.0);
}

TEST_CASE("What is fixed to the world has no part in settotalmass unless fusestatic denies it") {
  const auto masses = [](const std::string& settings) {
    std::string robot =
        arm("<link name='world'/><joint name='bolt' type='fixed'><parent "
            "link='world'/><child link='base'/></joint><mujoco><compiler "
            "settotalmass='24' " +
            settings + "/></mujoco>");
    const auto& links = load(robot).models.at(0).links;
    return std::array{links.at(1).inertia.mass, links.at(2).inertia.mass};
  };
  // As MuJoCo 2.2 has it: two links of 12 kg, or three of 8 kg.
  CHECK(masses("") == std::array{12.0, 12.0});
  CHECK(masses("fusestatic='true'") == std::array{12.0, 12.0});
  CHECK(masses("fusestatic='false'") == std::array{8.0, 8.0});
}

TEST_CASE("Gravity and step of <mujoco> count where the URDF is the scene") {
  const std::string robot =
      arm("<mujoco><option timestep='0.004' gravity='0 0 -1.6' iterations='50'/>"
          "<compiler fusestatic='false' discardvisual='true' strippath='false'/></mujoco>");
  const Scene alone = load_alone(robot), within = load(robot);
  CHECK(alone.simulation.steps.front() == 0.004);
  CHECK(alone.gravity == Eigen::Vector3d(0.0, 0.0, -1.6));
  CHECK(alone.ledger.findings().empty());
  CHECK(within.simulation.steps.front() == 0.01);
  CHECK(within.gravity.z() == -9.81);
}

TEST_CASE("An error in a setting of a model file by itself names no line of a scene") {
  io::MemoryFiles files;
  files.add("r.urdf", arm(""));
  files.add("m.xml", "<mujoco><worldbody/></mujoco>");
  files.add("o.xml", "\n<plant/>");
  io::LoadOptions options;
  options.source = &files;
  const auto error_of = [&](const char* file) -> std::string {
    try {
      io::load_model_scene(file, options);
    } catch (const io::ParseError& error) {
      return error.what();
    }
    return "";
  };
  options.overrides = {{"models.model.keyframe", "no"}};
  CHECK_THAT(error_of("m.xml"), Catch::StartsWith("m.xml: "));
  options.overrides = {};
  CHECK_THAT(error_of("o.xml"), Catch::StartsWith("o.xml:2: <plant> is the root element of no"));
  for (const LedgerEntry& entry : io::load_model_scene("r.urdf", options).ledger.entries) {
    CHECK(entry.where.column == 0);
  }
}

TEST_CASE("What acts in MuJoCo and not here is a finding") {
  for (const char* content :
       {"<option density='1.2'/>", "<option wind='0 1 0'/>", "<option collision='predefined'/>",
        "<option><flag contact='disable'/></option>", "<compiler boundmass='0.1'/>",
        "<compiler inertiafromgeom='true'/>"}) {
    CAPTURE(content);
    const Scene scene = load(arm("<mujoco>" + std::string(content) + "</mujoco>"));
    CHECK(scene.ledger.findings().size() == 1);
  }
  for (const char* content :
       {"<option density='0'/>", "<option><flag contact='enable'/></option>", "<size njmax='50'/>",
        "<compiler boundmass='0' balanceinertia='true' meshdir='m'/>"}) {
    CAPTURE(content);
    CHECK(load(arm("<mujoco>" + std::string(content) + "</mujoco>")).ledger.findings().empty());
  }
}

}  // namespace amontons::test

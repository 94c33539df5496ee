#include "amontons/io/common/parse_error.h"
#include "amontons/io/scene/scene_file.h"
#include "amontons/simulation/simulator.h"
#include "tests/io/ledger_entry.h"

#include <catch2/catch.hpp>

#include <string>
#include <utility>
#include <vector>

// Numbers of a model's joints and links that the scene gives in place of those of its file.

using namespace amontons;
using namespace amontons::test;

namespace {

using Overrides = std::vector<std::pair<std::string, std::string>>;

constexpr const char* kArm = R"(<robot name="r"><link name="base"/>
  <link name="upper"><inertial><origin xyz="0 0 -0.5"/><mass value="2"/>
    <inertia ixx="0.1" iyy="0.2" izz="0.25" ixy="0.01" ixz="0" iyz="0"/></inertial></link>
  <link name="fore"><inertial><origin xyz="0 0 -0.4"/><mass value="1"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="tool"/>
  <joint name="shoulder" type="continuous"><parent link="base"/><child link="upper"/>
    <axis xyz="0 1 0"/></joint>
  <joint name="elbow" type="revolute"><parent link="upper"/><child link="fore"/>
    <origin xyz="0 0 -1"/><axis xyz="0 1 0"/><limit lower="-1" upper="2" effort="9" velocity="9"/>
    <dynamics friction="0.3" damping="0.5"/></joint>
  <joint name="flange" type="fixed"><parent link="fore"/><child link="tool"/></joint>
</robot>)";

// Two models in one file: the same arm twice.
constexpr const char* kWorld = R"(<sdf version="1.9"><world name="w">
  <model name="a"><link name="l"/><link name="m"/>
    <joint name="j" type="revolute"><parent>l</parent><child>m</child>
    <axis><xyz>0 1 0</xyz></axis></joint></model>
  <model name="b"><pose>5 0 0 0 0 0</pose><link name="l"/><link name="m"/>
    <joint name="j" type="revolute"><parent>l</parent><child>m</child>
    <axis><xyz>0 1 0</xyz></axis></joint></model>
  </world></sdf>)";

constexpr const char* kTendon = R"(<mujoco><worldbody><body name="a"><joint name="p" type="slide"/>
  <geom size="0.1"/><body name="b" pos="0 0 1"><joint name="q" type="ball"/><geom size="0.1"/>
  </body></body></worldbody><tendon><fixed name="t"><joint joint="p" coef="2"/></fixed></tendon>
  </mujoco>)";

Scene load(const std::string& keys, const Overrides& overrides = {},
           const std::string& model = kArm) {
  io::MemoryFiles files;
  files.add("r.xml", model);
  return io::parse_scene(
      "amontons: 1\nsimulation: {step: 0.01, duration: 1}\nmodels:\n"
      "- {name: r, file: r.xml" +
          keys + "}\n",
      "scene.yaml", files, {.overrides = overrides});
}

const ModelLink& link_of(const Scene& scene, const std::string& name) {
  for (const ModelLink& link : scene.models.at(0).links) {
    if (link.name == name) return link;
  }
  throw std::invalid_argument(name);
}

const JointDynamics& joint_of(const Scene& scene, const std::string& name) {
  for (const ModelJoint& joint : scene.models.at(0).joints) {
    if (joint.name == name) return joint.dynamics;
  }
  throw std::invalid_argument(name);
}

}  // namespace

TEST_CASE("Numbers of joints and links in the scene replace those of the model's file") {
  const Scene scene = load(
      ", joints: {\"*\": {viscous_friction: 1}, elbow: {coulomb_friction: 0.1, armature: 0.02, "
      "stiffness: 3, rest_position: 0.4, limits: [-0.5, 1], limit_restitution: 0.25}},\n"
      "   links: {fore: {mass: 1.5, center_of_mass: [0.1, 0, -0.3]}, "
      "upper: {inertia: [0.4, 0.5, 0.6]}}");
  const JointDynamics& elbow = joint_of(scene, "elbow");
  CHECK(elbow.coulomb_friction == 0.1);
  CHECK(elbow.viscous_friction == 1.0);
  CHECK(elbow.armature == 0.02);
  CHECK(elbow.stiffness == 3.0);
  CHECK(elbow.rest_position == 0.4);
  CHECK((*elbow.limits)[0] == -0.5);
  CHECK((*elbow.limits)[1] == 1.0);
  CHECK(elbow.limit_restitution == 0.25);
  CHECK(joint_of(scene, "shoulder").viscous_friction == 1.0);
  CHECK(joint_of(scene, "flange").viscous_friction == 0.0);  // it has no coordinate
  // What is not given stays.
  const SpatialInertia& fore = link_of(scene, "fore").inertia;
  CHECK(fore.mass == 1.5);
  CHECK(fore.center_of_mass == Eigen::Vector3d(0.1, 0, -0.3));
  CHECK(fore.inertia.isApprox(0.1 * Eigen::Matrix3d::Identity()));
  const SpatialInertia& upper = link_of(scene, "upper").inertia;
  CHECK(upper.mass == 2.0);
  CHECK(upper.inertia.isApprox(Eigen::Vector3d(0.4, 0.5, 0.6).asDiagonal().toDenseMatrix()));
  // The ledger says what the file has.
  CHECK(entry_of(scene, "joint 'elbow': coulomb_friction").reason == "in place of 0.3 of the file");
  CHECK(entry_of(scene, "joint 'elbow': limits").reason == "in place of [-1, 2] of the file");
  CHECK(entry_of(scene, "link 'fore': mass").where.line == 5);
}

TEST_CASE("A model with the numbers of its file in the scene moves to the same bits") {
  const auto end_of = [](const Scene& scene) {
    Simulator simulator(scene);
    for (int i = 0; i < 50; ++i) simulator.step();
    return simulator.state().q;
  };
  const Overrides start{{"models.r.joint_positions.elbow", "1"}};
  const Eigen::VectorXd without = end_of(load("", start));
  CHECK(end_of(load(", joints: {elbow: {coulomb_friction: 0.3, viscous_friction: 0.5}}, links: "
                    "{upper: {mass: 2, inertia: [0.1, 0.2, 0.25, 0.01, 0, 0]}}",
                    start)) == without);
  CHECK(end_of(load(", links: {fore: {mass: 1.1}}", start)) != without);
}

TEST_CASE("Overrides reach numbers of a model that the scene does not give, and single items") {
  const Scene scene = load("", {{"models.r.joints.elbow.coulomb_friction", "0.2"},
                                {"models.r.joints.elbow.limits.1", "1.5"},
                                {"models.r.links.upper.mass", "3"},
                                {"models.r.links.upper.center_of_mass.0", "0.1"},
                                {"models.r.links.upper.inertia.5", "0.02"}});
  CHECK(joint_of(scene, "elbow").coulomb_friction == 0.2);
  CHECK((*joint_of(scene, "elbow").limits)[0] == -1.0);
  CHECK((*joint_of(scene, "elbow").limits)[1] == 1.5);
  const SpatialInertia& upper = link_of(scene, "upper").inertia;
  CHECK(upper.mass == 3.0);
  CHECK(upper.center_of_mass == Eigen::Vector3d(0.1, 0, -0.5));
  Eigen::Matrix3d inertia;
  inertia << 0.1, 0.01, 0, 0.01, 0.2, 0.02, 0, 0.02, 0.25;
  CHECK(upper.inertia.isApprox(inertia));
}

TEST_CASE("An override of a model's part under the scene's own names says where it is") {
  CHECK_THROWS_WITH(load("", {{"joints.r/elbow.coulomb_friction", "1"}}),
                    Catch::Contains("write models.r.joints.elbow.coulomb_friction"));
  CHECK_THROWS_WITH(load("", {{"bodies.r/upper.mass", "1"}}),
                    Catch::Contains("write models.r.links.upper.mass"));
  CHECK_THROWS_WITH(load("", {{"bodies.q/upper.mass", "1"}}), !Catch::Contains("write models"));
  CHECK_THROWS_WITH(load("", {{"bodies.r/upper.pose", "{}"}}), !Catch::Contains("write models"));
}

TEST_CASE("Tendons, ball joints and models of a world have numbers of their own") {
  const Scene tendon =
      load(", joints: {t: {coulomb_friction: 2, stiffness: 5}, q: {viscous_friction: 0.1}}", {},
           kTendon);
  CHECK(tendon.models.at(0).tendons.at(0).dynamics.coulomb_friction == 2.0);
  CHECK(tendon.models.at(0).tendons.at(0).dynamics.stiffness == 5.0);
  CHECK(joint_of(tendon, "q").viscous_friction == 0.1);
  const Scene world =
      load(", joints: {b/j: {viscous_friction: 4}}, links: {\"*/m\": {mass: 7}}", {}, kWorld);
  CHECK(world.models.at(0).joints.at(0).dynamics.viscous_friction == 0.0);
  CHECK(world.models.at(1).joints.at(0).dynamics.viscous_friction == 4.0);
  for (const SceneModel& model : world.models) CHECK(model.links.at(1).inertia.mass == 7.0);
}

TEST_CASE("A link has a material of the scene in place of its friction in the file") {
  constexpr const char* kFoot = R"(<mujoco><worldbody><body name="leg"><freejoint/>
    <geom size="0.1" friction="0.9"/><body name="foot" pos="0 0 -1"><joint type="hinge"/>
    <geom size="0.1" friction="0.9"/></body></body></worldbody></mujoco>)";
  const std::string materials = "materials: [{name: ice, friction: 0.05}]\n";
  io::MemoryFiles files;
  files.add("r.xml", kFoot);
  const auto parse = [&](const std::string& material) {
    return io::parse_scene(
        "amontons: 1\nsimulation: {step: 0.01, duration: 1}\n" + materials +
            "models: [{name: r, file: r.xml, links: {foot: {material: " + material + "}}}]\n",
        "scene.yaml", files);
  };
  const Scene scene = parse("ice");
  CHECK(link_of(scene, "foot").shapes.at(0).material == "ice");
  CHECK(link_of(scene, "leg").shapes.at(0).material == "r/friction 0.9");
  CHECK_THROWS_WITH(parse("ise"), Catch::Contains("did you mean 'ice'"));
}

TEST_CASE("A number that a model has no place for is an error at its line") {
  struct Case {
    const char* keys;
    const char* message;
  };
  const Case cases[] = {
      {", joints: {elbo: {armature: 1}}", "no joint 'elbo'; did you mean 'elbow'?"},
      {", links: {fort: {mass: 1}}", "no link 'fort'; did you mean 'fore'?"},
      {", joints: {flange: {armature: 1}}", "takes no 'armature': only joints that move"},
      {", joints: {shoulder: {limits: [0, 1]}}", "only revolute, prismatic and screw joints"},
      {", joints: {shoulder: {limit_restitution: 1}}", "only revolute, prismatic and screw"},
      {", joints: {shoulder: {rest_position: 1}}", "has no spring"},
      {", joints: {elbow: {limits: [1, 0]}}", "must be [lower, upper]"},
      {", joints: {elbow: {armature: -1}}", "must not be negative"},
      {", joints: {elbow: {friction: 1}}", "unknown key 'friction'"},
      {", joints: {elbow: {}}", "has no numbers"},
      {", links: {fore: {mass: 0}}", "must be positive"},
      {", links: {fore: {inertia: [1, 1, 9]}}", "inertia of link 'fore'"},
      {", links: {tool: {inertia: [1, 1, 1]}}", "gives link 'tool' no mass; give 'mass', too"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.keys);
    try {
      load(c.keys);
      FAIL("no error");
    } catch (const io::ParseError& error) {
      CHECK_THAT(error.what(), Catch::Contains(c.message));
      CHECK_THAT(error.what(), Catch::Contains("scene.yaml:4"));
    }
  }
}

#include "amontons/io/scene/scene_file.h"
#include "tests/io/ledger_entry.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

using namespace amontons;

namespace {

Scene parse(const std::string& rest) {
  return io::parse_scene(
      "amontons: 1\n"
      "simulation: {step: 0.01, duration: 1}\n"
      "bodies:\n"
      "  - {name: ground, fixed: true}\n"
      "  - {name: a, mass: 1, shapes: [{sphere: 1}], pose: {position: [1, 2, 3]}}\n"
      "  - {name: b, mass: 1, shapes: [{sphere: 1}], pose: {position: [4, 5, 6]}}\n" +
          rest,
      "scene.yaml", io::MemoryFiles());
}

SceneJoint parse_joint(const std::string& keys) {
  return parse("joints:\n  - {name: j, parent: a, child: b, " + keys + "}\n").joints.at(0);
}

}  // namespace

TEST_CASE("A joint has the type, axis and center of its entry") {
  const SceneJoint joint = parse_joint("type: revolute, axis: [0, 3, 4], at: [7, 8, 9]");
  CHECK(joint.name == "j");
  CHECK(joint.type == JointType::Revolute);
  CHECK(joint.parent == "a");
  CHECK(joint.child == "b");
  CHECK((joint.axis_W - Eigen::Vector3d(0, 0.6, 0.8)).norm() < 1e-15);
  CHECK(joint.at_W == Eigen::Vector3d(7, 8, 9));
  CHECK(joint.coordinates == Coordinates::Reduced);
  CHECK_FALSE(joint.dynamics.limits.has_value());
  CHECK(joint.where.line == 8);
  CHECK(joint.where.column == 5);

  CHECK(parse_joint("type: continuous, axis: [0, 0, 1], at: [0, 0, 0]").type ==
        JointType::Continuous);
  CHECK(parse_joint("type: spherical, at: [0, 0, 0]").type == JointType::Spherical);
}

TEST_CASE("Joints that do not turn about a point have it at the child's origin") {
  const Eigen::Vector3d origin(4, 5, 6);
  CHECK(parse_joint("type: prismatic, axis: [1, 0, 0]").at_W == origin);
  CHECK(parse_joint("type: fixed").at_W == origin);
  CHECK(parse_joint("type: planar").at_W == origin);
  CHECK(parse_joint("type: planar").axis_W == Eigen::Vector3d::UnitY());
}

TEST_CASE("A distance joint has two points and, unless given, their distance as its length") {
  const SceneJoint both = parse_joint("type: distance, at: [[1, 2, 3], [1, 2, 5]]");
  CHECK(both.at_W == Eigen::Vector3d(1, 2, 3));
  CHECK(both.child_at_W == Eigen::Vector3d(1, 2, 5));
  CHECK(both.length == 2.0);
  const SceneJoint to = parse_joint("type: distance, at: [1, 2, 3], to: [1, 2, 5], length: 7");
  CHECK(to.child_at_W == Eigen::Vector3d(1, 2, 5));
  CHECK(to.length == 7.0);
}

TEST_CASE("Start, coordinates and error of a joint are as given") {
  const SceneJoint joint = parse_joint(
      "type: prismatic, axis: [1, 0, 0], position: 0.5, rate: -2, coordinates: maximal, "
      "error: [0.1, 0.2, 0.3]");
  CHECK(joint.position == 0.5);
  CHECK(joint.rate == -2.0);
  CHECK(joint.coordinates == Coordinates::Maximal);
  CHECK(joint.error == Eigen::Vector3d(0.1, 0.2, 0.3));
}

TEST_CASE(
    "Joints of several coordinates have a list of start rates, and limits their restitution") {
  CHECK(parse_joint("type: spherical, at: [0, 0, 0], rate: [1, -2, 3]").rates ==
        Eigen::Vector3d(1, -2, 3));
  CHECK(parse_joint("type: planar, rate: [4, 5, 6]").rates == Eigen::Vector3d(4, 5, 6));
  CHECK(parse_joint("type: universal, axis: [1, 0, 0], axis2: [0, 1, 0], at: [0, 0, 0], "
                    "rate: [7, 8]")
            .rates == Eigen::Vector2d(7, 8));
  CHECK_THROWS_WITH(parse_joint("type: spherical, at: [0, 0, 0], rate: 1"),
                    Catch::Contains("rate of joint 'j'"));
  CHECK_THROWS_WITH(parse_joint("type: fixed, rate: [1]"), Catch::Contains("no coordinate"));

  const std::string slide = "type: prismatic, axis: [1, 0, 0], ";
  CHECK(parse_joint(slide + "limits: [-1, 1], limit_restitution: 0.4").dynamics.limit_restitution ==
        0.4);
  CHECK_THROWS_WITH(parse_joint(slide + "limit_restitution: 0.4"), Catch::Contains("'limits'"));
  CHECK_THROWS_WITH(parse_joint(slide + "limits: [-1, 1], limit_restitution: 1.1"),
                    Catch::Contains("limit_restitution"));
}

TEST_CASE("Universal and screw joints, springs, dampers and rotors are as given") {
  const SceneJoint cross = parse_joint(
      "type: universal, axis: [1, 0, 0], axis2: [0, 2, 0], at: [0, 0, 0], stiffness: 5, "
      "viscous_friction: 6");
  CHECK(cross.type == JointType::Universal);
  CHECK(cross.axis2_W == Eigen::Vector3d::UnitY());
  CHECK(cross.dynamics.stiffness == 5.0);
  CHECK(cross.dynamics2.stiffness == 5.0);
  CHECK(cross.dynamics2.viscous_friction == 6.0);
  const SceneJoint screw = parse_joint(
      "type: screw, axis: [0, 0, 1], at: [0, 0, 0], pitch: -0.2, stiffness: 5, rest_position: 1, "
      "armature: 0.3");
  CHECK(screw.type == JointType::Screw);
  CHECK(screw.pitch == -0.2);
  CHECK(screw.dynamics.rest_position == 1.0);
  CHECK(screw.dynamics.armature == 0.3);
}

TEST_CASE("A joint that follows another starts where its coupling wants it, in any order") {
  const auto scene_with = [](const std::string& start_of_a) {
    return parse(
        "joints:\n"
        "  - {name: a, parent: world, child: a, type: prismatic, axis: [1, 0, 0]" +
        start_of_a +
        "}\n"
        "  - {name: b, parent: world, child: b, type: prismatic, axis: [1, 0, 0], position: 0.5}\n"
        "couplings:\n"
        "  - {name: gear, joint: a, reference: b, multiplier: 3, offset: 0.25}\n");
  };
  const Scene scene = scene_with("");
  CHECK(scene.joints[0].position == 1.75);
  REQUIRE(scene.couplings.size() == 1);
  CHECK(scene.couplings[0].curve.multiplier == 3.0);
  const LedgerEntry* entry = test::find_entry(scene, "joint 'a': start position");
  REQUIRE(entry != nullptr);
  CHECK(entry->fate == ImportFate::Applied);
  // The scene's own position is used, and reported.
  const Scene contrary = scene_with(", position: 1");
  CHECK(contrary.joints[0].position == 1.0);
  const LedgerEntry* warning = test::find_entry(contrary, "joint 'a': start position");
  REQUIRE(warning != nullptr);
  CHECK(warning->fate == ImportFate::Warning);
}

TEST_CASE("Limits and dry friction act in either coordinates, and the ledger says so") {
  const Scene scene = parse(
      "joints:\n"
      "  - {name: j, parent: world, child: b, type: prismatic, axis: [1, 0, 0], limits: [-1, 2],\n"
      "     coulomb_friction: 0.3, viscous_friction: 0.4}\n");
  const Scene rows = parse(
      "joints:\n"
      "  - {name: j, parent: world, child: b, type: prismatic, axis: [1, 0, 0], limits: [-1, 2],\n"
      "     coulomb_friction: 0.3, coordinates: maximal}\n");
  const SceneJoint& joint = scene.joints.at(0);
  REQUIRE(joint.dynamics.limits.has_value());
  CHECK((*joint.dynamics.limits)[0] == -1.0);
  CHECK((*joint.dynamics.limits)[1] == 2.0);
  CHECK(joint.dynamics.coulomb_friction == 0.3);
  CHECK(joint.dynamics.viscous_friction == 0.4);
  for (const char* key : {"limits", "coulomb_friction"}) {
    const LedgerEntry* entry = test::find_entry(scene, std::string(key) + " of joint 'j'");
    REQUIRE(entry != nullptr);
    CHECK(entry->fate == ImportFate::Applied);
    entry = test::find_entry(rows, std::string(key) + " of joint 'j'");
    REQUIRE(entry != nullptr);
    CHECK(entry->fate == ImportFate::Applied);
  }
}

TEST_CASE("Servos, efforts, motions and forces are as given") {
  const Scene scene = parse(
      "joints:\n"
      "  - {name: hinge, type: revolute, parent: world, child: a, axis: [0, 1, 0], at: [0, 0, 0]}\n"
      "actuators:\n"
      "  - {joint: hinge, position: {target: 0.5, kp: 100, kd: 10, effort: 50}}\n"
      "  - {joint: hinge, position: {target: -1, kp: 3}}\n"
      "  - {joint: hinge, velocity: {target: 2, kd: 7, effort: [-9, 3]}}\n"
      "  - {joint: hinge, effort: -1.5}\n"
      "  - {body: ground, motion: {sinusoid: {axis: [0, 0, 2], amplitude: 0.01, period: 1.25}}}\n"
      "  - {body: b, force: [1, 2, 3], torque: [4, 5, 6], at: [7, 8, 9]}\n");
  REQUIRE(scene.servos.size() == 3);
  CHECK(scene.servos[0].joint == "hinge");
  CHECK(scene.servos[0].target == 0.5);
  CHECK(scene.servos[0].kp == 100.0);
  CHECK(scene.servos[0].kd == 10.0);
  CHECK(scene.servos[0].effort.symmetric_limit() == 50.0);
  CHECK(!scene.servos[1].effort.is_limited());
  CHECK(scene.servos[2].kp == 0.0);
  CHECK(scene.servos[2].target_rate == 2.0);
  CHECK(scene.servos[2].kd == 7.0);
  CHECK(scene.servos[2].effort.least == -9.0);
  CHECK(scene.servos[2].effort.largest == 3.0);
  REQUIRE(scene.efforts.size() == 1);
  CHECK(scene.efforts[0].effort == -1.5);
  REQUIRE(scene.motions.size() == 1);
  CHECK(scene.motions[0].body == "ground");
  CHECK(scene.motions[0].axis == Eigen::Vector3d::UnitZ());
  CHECK(scene.motions[0].amplitude == 0.01);
  CHECK(scene.motions[0].period == 1.25);
  REQUIRE(scene.wrenches.size() == 1);
  CHECK(scene.wrenches[0].force_W == Eigen::Vector3d(1, 2, 3));
  CHECK(scene.wrenches[0].torque_W == Eigen::Vector3d(4, 5, 6));
  CHECK(scene.wrenches[0].at_B == Eigen::Vector3d(7, 8, 9));
}

TEST_CASE("Copies of a body can be joined and driven by their names") {
  const Scene scene = parse(
      "repeat: [{body: a, grid: [2, 1, 1], spacing: [3, 0, 0]}]\n"
      "joints:\n"
      "  - {name: rod, type: distance, parent: a/0, child: a/1, at: [[1, 2, 3], [4, 2, 3]]}\n"
      "actuators: [{body: a/1, force: [1, 0, 0]}]\n");
  CHECK(scene.joints.at(0).child == "a/1");
  CHECK(scene.wrenches.at(0).body == "a/1");
}

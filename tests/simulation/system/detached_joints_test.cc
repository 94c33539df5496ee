#include "amontons/simulation/property_changes.h"
#include "amontons/simulation/stepping/joint_rank.h"
#include "tests/simulation/joint_scenes.h"

#include <catch2/catch.hpp>

// Joints of a scene that begin detached.

namespace amontons::test {
namespace {

/// Returns two free bodies, of which the second moves, and a hinge between them.
Scene hinged_pair(bool attached) {
  Scene scene = empty_scene(0.001, 1.0, "coulomb");
  scene.gravity.setZero();
  add_mass(scene, "a", 1.0, {0.1, 0.1, 0.1}, {0.0, 0.0, 0.0});
  add_mass(scene, "b", 1.0, {0.1, 0.1, 0.1}, {1.0, 0.0, 0.0});
  SceneJoint& joint = add_joint(scene, "hinge", JointType::Revolute, "a", "b",
                                Eigen::Vector3d::UnitZ(), {0.5, 0.0, 0.0});
  joint.coordinates = Coordinates::Maximal;
  joint.is_attached = attached;
  joint.dynamics.stiffness = 3.0;
  joint.dynamics.rest_position = 0.5;
  return scene;
}

}  // namespace

TEST_CASE("A joint that begins detached leaves its child the velocity that the scene gives") {
  Scene scene = hinged_pair(false);
  scene.bodies[0].linear_velocity = {0.0, 0.0, 2.0};
  scene.bodies[1].linear_velocity = {0.0, 0.3, 0.0};
  Simulator simulator(scene);
  const Eigen::VectorXd before = simulator.state().v;
  CHECK(before.tail<3>().isApprox(Eigen::Vector3d(0.0, 0.3, 0.0)));
  CHECK(before.segment<3>(6).isZero(0.0));
  for (int k = 0; k < 20; ++k) CHECK(simulator.step().certificate.holds);
  CHECK((simulator.state().v - before).norm() < 1e-12);
  const JointRank rank = compute_joint_rank(simulator.system(), simulator.state());
  CHECK(rank.rows == 0);
  CHECK(rank.redundant_joints.empty());
}

TEST_CASE("A joint that is attached moves by the bits of one that was from the start") {
  Simulator late(hinged_pair(false)), early(hinged_pair(true));
  late.change(attachment_change(late, "hinge", true));
  for (int k = 0; k < 200; ++k) {
    CHECK(late.step().certificate.holds);
    early.step();
    REQUIRE(late.state().q == early.state().q);
    REQUIRE(late.state().v == early.state().v);
  }
  CHECK(std::abs(early.state().v[2]) > 0.1);  // the spring has turned it
  late.reset();
  late.step();
  CHECK(late.state().v.isZero(0.0));
}

TEST_CASE("A joint whose friction acts in trees alone is not attached") {
  Scene scene = hinged_pair(false);
  scene.joints[0].dynamics.coulomb_friction = 0.5;
  scene.simulation.joint_friction = JointFriction::Explicit;
  Simulator simulator(scene);
  CHECK_THROWS_WITH(simulator.change(attachment_change(simulator, "hinge", true)),
                    Catch::Contains("joint_friction must be coupled"));
  CHECK(simulator.step().certificate.holds);
}

TEST_CASE("A joint with a coupling or a prescribed motion does not begin detached") {
  Scene geared = hinged_pair(false);
  add_mass(geared, "c", 1.0, {0.1, 0.1, 0.1}, {0.0, 3.0, 0.0});
  add_joint(geared, "wheel", JointType::Continuous, "world", "c", Eigen::Vector3d::UnitZ(),
            {0.0, 3.0, 0.0});
  geared.couplings.push_back({"gear", "wheel", "hinge", {2.0}, {}});
  CHECK_THROWS_WITH(System(geared),
                    Catch::Contains("'hinge' begins detached") && Catch::Contains("coupling"));
  Scene driven = hinged_pair(false);
  JointMotion motion;
  motion.joint = "hinge";
  driven.joint_motions.push_back(motion);
  CHECK_THROWS_WITH(System(driven), Catch::Contains("prescribed motion"));
}

}  // namespace amontons::test

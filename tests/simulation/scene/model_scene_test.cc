#include "amontons/math/rotation.h"
#include "amontons/simulation/system/kinematics.h"
#include "tests/simulation/scenes.h"

#include <catch2/catch.hpp>

// Parts that models of robots bring into a scene besides joints: filters and bodies that fly on
// their own.

namespace amontons::test {
namespace {

constexpr CollisionFilter kNothing{0, 0};

Pose pose_of(const Simulator& simulator, const std::string& body) {
  SystemKinematics kinematics;
  compute_kinematics(simulator.system(), simulator.state().q, simulator.state().v, simulator.time(),
                     kinematics);
  return kinematics.X_WB[static_cast<std::size_t>(simulator.system().find_body(body))];
}

ModelLink box_link(const std::string& name, const Eigen::Vector3d& size, double mass) {
  ModelLink link;
  link.name = name;
  link.inertia = with_mass(shape_properties(Box{size}), mass);
  link.shapes.push_back({Box{size}, Pose{}, "default"});
  return link;
}

/// Makes a fixed root `world` that carries two links on free joints.
SceneModel two_free_links() {
  SceneModel model;
  model.name = "m";
  model.base = BaseType::Fixed;
  model.links = {ModelLink{}, box_link("a", {0.1, 0.2, 0.3}, 1.0),
                 box_link("b", {0.2, 0.1, 0.2}, 2.0)};
  model.links[0].name = "world";
  for (int child = 1; child < 3; ++child) {
    ModelJoint joint;
    joint.name = child == 1 ? "free_a" : "free_b";
    joint.type = JointType::Free;
    joint.parent = 0;
    joint.child = child;
    joint.start_pose.translation = {1.0 * child, 0.0, 2.0};
    joint.start_pose.rotation = rotation_from_rpy(0.1 * child, 0.2, -0.4);
    model.joints.push_back(joint);
  }
  return model;
}

}  // namespace

TEST_CASE("Shapes touch if the category of one is in the mask of the other, whichever way") {
  struct Case {
    CollisionFilter ground, ball;
    bool touch;
  };
  const std::vector<Case> cases{{{1, 1}, {1, 1}, true},   {{1, 0}, {0, 1}, true},
                                {{0, 1}, {1, 0}, true},   {{1, 2}, {1, 2}, false},
                                {{2, 1}, {4, 1}, false},  {{6, 1}, {8, 2}, true},
                                {kNothing, {1, 1}, false}};
  for (const Case& c : cases) {
    CAPTURE(c.ground.category, c.ground.mask, c.ball.category, c.ball.mask);
    Scene scene = empty_scene(0.01, 0.5);
    add_ground(scene).shapes[0].filter = c.ground;
    add_body(scene, "ball", Sphere{0.1}, 1.0, {0.0, 0.0, 0.1}).shapes[0].filter = c.ball;
    Simulator simulator(scene);
    run(simulator);
    const double height = pose_of(simulator, "ball").translation.z();
    if (c.touch) {
      CHECK(height == Approx(0.1).margin(1e-9));
    } else {
      CHECK(height < 0.1 - 0.5 * kGravity * 0.5 * 0.5);
    }
  }
}

TEST_CASE("Links that a model excludes pass through each other, even where all else collides") {
  for (const bool excluded : {true, false}) {
    CAPTURE(excluded);
    Scene scene = empty_scene(0.01, 0.2);
    SceneModel model = two_free_links();
    model.self_collide = ModelCollisions::All;
    if (excluded) model.excluded = {{2, 1}};
    scene.models.push_back(model);
    CHECK(System(scene).may_collide(0, 1) == !excluded);
  }
}

TEST_CASE("Links on free joints collide unless they overlap at the start") {
  for (const bool overlap : {true, false}) {
    CAPTURE(overlap);
    Scene scene = empty_scene(0.01, 0.2);
    SceneModel model = two_free_links();
    if (overlap) model.joints[0].start_pose = model.joints[1].start_pose;
    scene.models.push_back(model);
    CHECK(System(scene).may_collide(0, 1) == !overlap);
  }
}

TEST_CASE("Links on free joints of a fixed root fly as free bodies do, however the root lies") {
  Scene free = empty_scene(0.005, 0.5), carried = free;
  SceneModel model = two_free_links();
  model.pose.rotation = rotation_from_rpy(0.7, -0.3, 1.1);
  model.pose.translation = {3.0, -2.0, 0.5};
  for (int child = 1; child < 3; ++child) {
    const ModelJoint& joint = model.joints[static_cast<std::size_t>(child) - 1];
    SceneBody body;
    body.name = "body" + std::to_string(child);
    body.inertia = model.links[static_cast<std::size_t>(child)].inertia;
    body.pose = model.pose * joint.start_pose;
    body.angular_velocity = {3.0, -8.0, 0.5 * child};
    body.linear_velocity = {0.1, 0.2, 3.0};
    free.bodies.push_back(body);
  }
  carried.models.push_back(model);
  const System system(carried);
  REQUIRE(system.articulations().size() == 2);

  // The same twist, in the axes of the joints' frames.
  Simulator flown(free), simulator(carried);
  State state = system.initial_state();
  const Eigen::Matrix3d R_FW = model.pose.rotation.transpose();
  for (Eigen::Index i = 0; i < 4; ++i) {
    state.v.segment<3>(3 * i) = R_FW * flown.state().v.segment<3>(3 * i);
  }
  simulator.set_state(state);
  run(flown);
  run(simulator);
  for (int child = 1; child < 3; ++child) {
    const Pose X = pose_of(flown, "body" + std::to_string(child));
    const Pose Y = pose_of(simulator, child == 1 ? "m/a" : "m/b");
    CHECK((X.rotation - Y.rotation).norm() < 1e-12);
    CHECK((X.translation - Y.translation).norm() < 1e-12);
  }
}

}  // namespace amontons::test

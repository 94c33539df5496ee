#include "amontons/models/common/contact_model.h"
#include "amontons/models/reactions/self_loading.h"
#include "amontons/simulation/system/kinematics.h"
#include "tests/simulation/joint_scenes.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

// A box between two fingers: normal forces that are not determined, and solutions of Coulomb's law
// that slide beside one that sticks.

namespace amontons::test {
namespace {

constexpr double kFriction = 0.5, kHalf = 0.03, kPad = 0.01;

SceneBody& add_finger(Scene& scene, const std::string& name, double side) {
  SceneBody& finger = add_mass(scene, name, 0.1, Eigen::Vector3d::Constant(1e-5),
                               {0.0, side * (kHalf + kPad), kHalf});
  finger.shapes.push_back({Box{Eigen::Vector3d::Constant(2.0 * kPad)}, {}});
  return finger;
}

/// Makes fingers on a carriage that rises and shakes. They press with `share` of the force that
/// holds the box of 1 kg at rest; it lies on the ground at the start.
Scene grip_scene(double step, double share) {
  Scene scene = empty_scene(step, 2.0, "coulomb");
  scene.materials = {{"default", kFriction, 0.0, 0.0}};
  SceneBody ground;
  ground.name = "ground";
  ground.base = BaseType::Fixed;
  ground.shapes.push_back({HalfSpace{Eigen::Vector3d::UnitZ(), 0.0}, {}});
  scene.bodies.push_back(ground);
  SceneBody& box = add_mass(scene, "box", 1.0, Eigen::Vector3d::Constant(6e-4), {0.0, 0.0, kHalf});
  box.shapes.push_back({Box{Eigen::Vector3d::Constant(2.0 * kHalf)}, {}});
  add_mass(scene, "post", 1.0, Eigen::Vector3d::Constant(0.01), {0.0, 0.0, 0.3});
  add_mass(scene, "palm", 1.0, Eigen::Vector3d::Constant(0.01), {0.0, 0.0, 0.2});
  add_finger(scene, "left", 1.0);
  add_finger(scene, "right", -1.0);
  const Eigen::Vector3d zero = Eigen::Vector3d::Zero(), y = Eigen::Vector3d::UnitY();
  add_joint(scene, "lift", JointType::Prismatic, "world", "post", Eigen::Vector3d::UnitZ(), zero);
  add_joint(scene, "shake", JointType::Prismatic, "post", "palm", Eigen::Vector3d::UnitX(), zero);
  add_joint(scene, "close-left", JointType::Prismatic, "palm", "left", -y, zero);
  add_joint(scene, "close-right", JointType::Prismatic, "palm", "right", y, zero);
  JointMotion lift, shake;
  lift.joint = "lift";
  // At rest while the fingers close, and again at the end.
  lift.trajectory = Trajectory({0.0, 0.3, 0.8, 1.05, 1.3, 1.55, 1.8, 2.0},
                               {0.0, 0.0, 0.1, 0.13, 0.1, 0.13, 0.1, 0.1}, Interpolation::Cubic);
  shake.joint = "shake";
  shake.trajectory = Trajectory({0.0, 0.8, 1.05, 1.3, 1.55, 1.8},
                                {0.0, 0.0, 0.015, 0.015, -0.015, -0.015}, Interpolation::Cubic);
  scene.joint_motions = {lift, shake};
  for (const char* joint : {"close-left", "close-right"}) {
    JointServo servo;
    servo.joint = joint;
    servo.kp = 2000.0;
    servo.kd = 40.0;
    servo.target = share * kGravity / (2.0 * kFriction) / servo.kp;
    scene.servos.push_back(servo);
  }
  return scene;
}

/// Makes the box in the air from the first step on, between fingers on fixed rails.
Scene hanging_scene(double step, double share) {
  Scene scene = empty_scene(step, 0.5, "coulomb");
  scene.materials = {{"default", kFriction, 0.0, 0.0}};
  SceneBody ground;
  ground.name = "ground";
  ground.base = BaseType::Fixed;
  scene.bodies.push_back(ground);
  SceneBody& box = add_mass(scene, "box", 1.0, Eigen::Vector3d::Constant(6e-4), {0.0, 0.0, kHalf});
  box.shapes.push_back({Box{Eigen::Vector3d::Constant(2.0 * kHalf)}, {}});
  for (const double side : {1.0, -1.0}) {
    const std::string name = side > 0.0 ? "left" : "right";
    add_finger(scene, name, side);
    add_joint(scene, "close-" + name, JointType::Prismatic, "world", name,
              -side * Eigen::Vector3d::UnitY(), Eigen::Vector3d::Zero());
    JointServo servo;
    servo.joint = "close-" + name;
    servo.kp = 2000.0;
    servo.kd = 40.0;
    servo.target = share * kGravity / (2.0 * kFriction) / servo.kp;
    scene.servos.push_back(servo);
  }
  return scene;
}

struct Held {
  double slip = 0.0;    // largest tangential speed at the fingers [m/s]
  double height = 0.0;  // height of the box, over the ground [m]
  int missed = 0;
};

Held hold(const Scene& scene) {
  Simulator simulator(scene);
  const int ground = simulator.system().find_body("ground");
  const int box = simulator.system().find_body("box");
  Held held;
  while (!simulator.finished()) {
    const StepReport& report = simulator.step();
    held.missed += report.certificate.holds ? 0 : 1;
    const Eigen::VectorXd u = report.problem.contact_velocities(report.solution.velocity);
    for (std::size_t i = 0; i < report.problem.num_contacts(); ++i) {
      const Contact& contact = report.problem.contacts[i];
      if (contact.body_a == ground || contact.body_b == ground) continue;
      held.slip = std::max(held.slip, u.segment<2>(ContactProblem::row(i)).norm());
    }
  }
  SystemKinematics kinematics;
  compute_kinematics(simulator.system(), simulator.state().q, simulator.state().v, 0.0, kinematics);
  held.height = kinematics.X_WB[static_cast<std::size_t>(box)].translation.z() - kHalf;
  return held;
}

/// Makes a ball between two V jaws of 60 degrees that are pushed together, each `gap` away from it
/// along the rails.
Scene jaws_scene(double step, double gap) {
  Scene scene = empty_scene(step, 0.3, "no-slip");
  constexpr double kBall = 0.05, kPlate = 0.02, kSlope = std::numbers::pi / 6.0;
  for (const double side : {1.0, -1.0}) {
    const std::string name = side > 0.0 ? "right" : "left";
    SceneBody& jaw =
        add_mass(scene, name, 1.0, Eigen::Vector3d::Constant(0.01), Eigen::Vector3d::Zero());
    for (const double half : {1.0, -1.0}) {
      // The face of the plate touches the ball where its normal points at the center.
      const Eigen::Vector3d normal(side * std::cos(kSlope), half * std::sin(kSlope), 0.0);
      Pose X_BG;
      X_BG.translation = (kBall + 0.5 * kPlate) * normal;
      X_BG.translation.x() += side * gap;
      X_BG.rotation =
          Eigen::AngleAxisd(side * half * kSlope, Eigen::Vector3d::UnitZ()).toRotationMatrix();
      jaw.shapes.push_back({Box{Eigen::Vector3d(kPlate, 0.06, 0.2)}, X_BG});
    }
    add_joint(scene, "rail-" + name, JointType::Prismatic, "world", name,
              -side * Eigen::Vector3d::UnitX(), Eigen::Vector3d::Zero());
    scene.efforts.push_back({"rail-" + name, 50.0, {}});
  }
  SceneBody& ball =
      add_mass(scene, "ball", 0.5, Eigen::Vector3d::Constant(5e-4), Eigen::Vector3d::Zero());
  ball.shapes.push_back({Sphere{kBall}, {}});
  return scene;
}

}  // namespace

TEST_CASE("V jaws that are pushed together hold a ball, however far they start from it") {
  const double step = GENERATE(1e-3, 2e-3, 5e-3);
  const double gap = GENERATE(0.0, 5e-7, 5e-4, 3e-3, 8e-3);
  CAPTURE(step, gap);
  Simulator simulator(jaws_scene(step, gap));
  CHECK(run(simulator, [](const StepReport& report) {
          CHECK(report.solution.status == SolveStatus::Converged);
        }) == 0);
  // The ball falls until the jaws have come to it, for sqrt(2 gap m / F).
  SystemKinematics kinematics;
  compute_kinematics(simulator.system(), simulator.state().q, simulator.state().v, 0.0, kinematics);
  const auto ball = static_cast<std::size_t>(simulator.system().find_body("ball"));
  const double fallen = -kinematics.X_WB[ball].translation.z();
  CHECK(fallen <= 0.5 * kGravity * std::pow(std::sqrt(2.0 * gap / 50.0) + 2.0 * step, 2));
  CHECK(simulator.state().v.norm() <= 1e-9);
}

TEST_CASE("A grip that can go on sticking does so, at any step") {
  const double step = GENERATE(1e-3, 1.25e-3, 2e-3, 4e-3, 5e-3, 0.01);
  CAPTURE(step);
  // The motion demands up to 1.35 m g.
  const Held held = hold(grip_scene(step, 1.5));
  CHECK(held.missed == 0);
  CHECK(held.slip <= 1e-9);
  CHECK(std::abs(held.height - 0.1) <= 1e-9);
}

TEST_CASE("A box gripped in the air at the start does not slip in the first step") {
  const double step = GENERATE(1e-3, 2e-3, 5e-3, 0.01);
  const double share = GENERATE(1.1, 1.5, 2.0);
  CAPTURE(step, share);
  const Held held = hold(hanging_scene(step, share));
  CHECK(held.missed == 0);
  CHECK(held.slip <= 1e-9);
  CHECK(std::abs(held.height) <= 1e-9);
}

// Nothing but the servo moves here: neither gravity nor a speed gives contacts a scale.
TEST_CASE("A finger that a saturated servo presses on a wall rests there with the law asked") {
  const Coordinates coordinates = GENERATE(Coordinates::Reduced, Coordinates::Maximal);
  const std::string method = GENERATE("time-stepping", "event-driven");
  const double kp = GENERATE(400.0, 4000.0);
  for (const std::string& model : model_names()) {
    Scene scene = empty_scene(0.002, 0.1, model);
    scene.gravity.setZero();
    scene.simulation.method = method;
    default_material(scene, kFriction);
    add_half_space(scene, "wall", Eigen::Vector3d::UnitY(), -0.015 - kPad);
    add_finger(scene, "finger", -1.0).pose.translation.setZero();
    SceneJoint& slide = add_joint(scene, "slide", JointType::Prismatic, "world", "finger",
                                  -Eigen::Vector3d::UnitY(), Eigen::Vector3d::Zero());
    slide.coordinates = coordinates;
    JointServo servo;
    servo.joint = "slide";
    servo.target = 0.1;
    servo.kp = kp;
    servo.kd = 10.0;
    servo.effort = EffortRange::symmetric(20.0);
    scene.servos.push_back(servo);
    Simulator simulator(scene);
    CAPTURE(model, method, coordinates == Coordinates::Reduced, kp);
    double load = 0.0;
    CHECK(run(simulator, [&](const StepReport& report) {
            CHECK(report.solution.status == SolveStatus::Converged);
            load = 0.0;
            for (Eigen::Index i = 2; i < report.solution.impulses.size(); i += 3)
              load += report.solution.impulses(i) / report.step;
          }) == 0);
    CHECK(load == Approx(20.0).epsilon(1e-6));
  }
}

TEST_CASE("A motor that closes jaws through racks loads what they hold: nothing loads itself") {
  const double pinion = GENERATE(0.01, 0.0005);  // radius [m]
  Scene scene = empty_scene(1e-3, 0.5, "coulomb");
  scene.gravity.setZero();
  default_material(scene, 0.8);
  add_mass(scene, "motor", 0.1, Eigen::Vector3d::Constant(1e-4), {0.0, 0.0, 0.1});
  add_joint(scene, "spin", JointType::Revolute, "world", "motor", Eigen::Vector3d::UnitY(),
            {0.0, 0.0, 0.1});
  add_body(scene, "cube", Box{{0.04, 0.03, 0.03}}, 0.01, Eigen::Vector3d::Zero());
  for (const double side : {-1.0, 1.0}) {
    const std::string name = side < 0.0 ? "left" : "right";
    add_body(scene, name, Box{{0.01, 0.04, 0.04}}, 0.1, {0.026 * side, 0.0, 0.0});
    add_joint(scene, "slide-" + name, JointType::Prismatic, "world", name,
              -side * Eigen::Vector3d::UnitX(), Eigen::Vector3d::Zero());
    scene.couplings.push_back({"rack-" + name, "slide-" + name, "spin", {pinion, 0.0}, {}});
  }
  JointEffort effort;
  effort.joint = "spin";
  effort.effort = 40.0 * pinion;  // 20 N on each jaw
  scene.efforts.push_back(effort);
  Simulator simulator(scene);
  double worst = 0.0, squeeze = 0.0;
  CHECK(run(simulator, [&](const StepReport& report) {
          worst = std::max(worst, self_loading(report.problem, report.solution).ratio);
          squeeze = report.solution.impulses.sum();
        }) == 0);
  CAPTURE(pinion, worst);
  CHECK(squeeze > 0.01);
  CHECK(worst < 20.0);
}

TEST_CASE("A grip of less than the weight leaves the box where it is") {
  const Held held = hold(grip_scene(2e-3, 0.9));
  CHECK(held.missed == 0);
  CHECK(held.slip >= 0.05);
  CHECK(std::abs(held.height) <= 1e-9);
}

}  // namespace amontons::test

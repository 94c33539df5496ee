#include "amontons/simulation/system/kinematics.h"
#include "tests/simulation/joint_scenes.h"

#include <catch2/catch.hpp>

#include <cmath>

namespace amontons::test {
namespace {

// Holds the height of the origin of a body and its rate, in either coordinates.
struct Height {
  double z = 0.0, rate = 0.0;
};

Height height_of(const Simulator& simulator, const std::string& name) {
  const System& system = simulator.system();
  SystemKinematics kinematics;
  compute_kinematics(system, simulator.state().q, simulator.state().v, 0.0, kinematics);
  const int body = system.find_body(name);
  const Eigen::Vector3d p = kinematics.X_WB[static_cast<std::size_t>(body)].translation;
  return {p.z(), body_velocity(system, kinematics, body, p, simulator.state().v)[5]};
}

}  // namespace

TEST_CASE("A nut on a vertical screw falls at g m / (m + I / pitch^2), in either coordinates") {
  const Coordinates coordinates = GENERATE(Coordinates::Reduced, Coordinates::Maximal);
  constexpr double kMass = 0.7, kInertia = 0.02, kPitch = 0.3, kStep = 0.01, kDuration = 1.0;
  Scene scene = empty_scene(kStep, kDuration, "coulomb");
  add_mass(scene, "nut", kMass, Eigen::Vector3d(0.01, 0.015, kInertia), {0.2, -0.1, 0.5});
  SceneJoint& screw = add_joint(scene, "screw", JointType::Screw, "world", "nut",
                                Eigen::Vector3d::UnitZ(), {0.2, -0.1, 0.0});
  screw.pitch = kPitch;
  screw.coordinates = coordinates;
  Simulator simulator(scene);
  CHECK(run(simulator) == 0);
  const double acceleration = -kGravity * kMass / (kMass + kInertia / (kPitch * kPitch));
  // Both momenta grow by the same each step: v = a t, z = a t (t + h) / 2. At the end the nut has
  // turned by almost two turns.
  const Height nut = height_of(simulator, "nut");
  CHECK(std::abs(nut.rate - acceleration * kDuration) <= 1e-12);
  CHECK(std::abs(nut.z - 0.5 - 0.5 * acceleration * kDuration * (kDuration + kStep)) <= 1e-12);
  CHECK(std::abs(nut.z - 0.5) > 1.9 * 2.0 * kPi * kPitch);
}

TEST_CASE("A body on a universal joint moves alike in reduced and maximal coordinates, to O(h)") {
  const auto tip_after = [](Coordinates coordinates, double step) -> Eigen::Vector3d {
    Scene scene = empty_scene(step, 0.5, "coulomb");
    add_mass(scene, "rod", 1.3, Eigen::Vector3d(0.02, 0.03, 0.01), {0.3, 0.1, -0.2});
    SceneJoint& joint = add_joint(scene, "cross", JointType::Universal, "world", "rod",
                                  Eigen::Vector3d::UnitX(), Eigen::Vector3d::Zero());
    joint.axis2_W = Eigen::Vector3d(0.0, 0.8, 0.6);
    joint.coordinates = coordinates;
    Simulator simulator(scene);
    CHECK(run(simulator) == 0);
    const System& system = simulator.system();
    CHECK(joint_of(system, "cross").num_v == (coordinates == Coordinates::Reduced ? 2 : 0));
    CHECK(system.num_joint_rows() == (coordinates == Coordinates::Reduced ? 0 : 4));
    SystemKinematics kinematics;
    compute_kinematics(system, simulator.state().q, simulator.state().v, 0.0, kinematics);
    return kinematics.X_WB[0].translation;
  };
  double previous = 0.0;
  for (const double step : {0.002, 0.001, 0.0005}) {
    const double difference =
        (tip_after(Coordinates::Reduced, step) - tip_after(Coordinates::Maximal, step)).norm();
    CHECK(difference < 3.0 * step);
    if (previous > 0.0) CHECK(std::log2(previous / difference) > 0.9);
    previous = difference;
  }
}

TEST_CASE("Shafts on a universal joint turn in the ratio cos b / (1 - sin^2 b cos^2 q)") {
  // Both shafts have bearings, so that the joint closes a loop whose three rows of the point are
  // redundant. The cross's first axis starts normal to the plane of the shafts.
  constexpr double kBend = 0.6, kStep = 0.01;
  const Eigen::Vector3d driven(std::cos(kBend), std::sin(kBend), 0.0);
  Scene scene = empty_scene(kStep, 3.0, "coulomb");
  scene.simulation.projection = true;
  add_mass(scene, "input", 1.0, Eigen::Vector3d(0.02, 0.03, 0.03), Eigen::Vector3d::Zero());
  add_mass(scene, "output", 1.0, Eigen::Vector3d(0.02, 0.03, 0.03), Eigen::Vector3d::Zero());
  add_joint(scene, "input", JointType::Continuous, "world", "input", Eigen::Vector3d::UnitX(),
            Eigen::Vector3d::Zero());
  add_joint(scene, "output", JointType::Continuous, "world", "output", driven,
            Eigen::Vector3d::Zero());
  SceneJoint& cross = add_joint(scene, "cross", JointType::Universal, "input", "output",
                                Eigen::Vector3d::UnitZ(), Eigen::Vector3d::Zero());
  cross.axis2_W = Eigen::Vector3d::UnitZ().cross(driven);
  JointServo& servo = scene.servos.emplace_back();
  servo.joint = "input";
  servo.target_rate = 2.0;
  servo.kd = 1000.0;
  Simulator simulator(scene);
  double least = 2.0, most = 0.0;
  for (int i = 0; i < 300; ++i) {
    // The rows of a step are those of its start.
    const double q = joint_position(simulator, "input");
    CHECK(simulator.step().certificate.holds);
    const double s = std::sin(kBend);
    // q counts from where the first axis is normal to the plane of the shafts.
    const double expected = std::cos(kBend) / (1.0 - s * s * std::pow(std::sin(q), 2));
    const double ratio = joint_rate(simulator, "output") / joint_rate(simulator, "input");
    CHECK(std::abs(ratio - expected) <= 1e-9);
    least = std::min(least, ratio);
    most = std::max(most, ratio);
  }
  CHECK(least < std::cos(kBend) * 1.001);
  CHECK(most > 0.999 / std::cos(kBend));
}

TEST_CASE("A rotor behind a gear adds n^2 times its inertia, like an armature of that size") {
  constexpr double kLoad = 0.3, kRotor = 0.004, kRatio = -9.0, kTorque = 0.2, kStep = 0.01;
  Scene geared = empty_scene(kStep, 1.0, "coulomb");
  Scene plain = geared;
  for (Scene* scene : {&geared, &plain}) {
    add_mass(*scene, "load", 1.0, Eigen::Vector3d(0.1, 0.1, kLoad), Eigen::Vector3d::Zero());
    add_joint(*scene, "load", JointType::Continuous, "world", "load", Eigen::Vector3d::UnitZ(),
              Eigen::Vector3d::Zero());
  }
  add_mass(geared, "rotor", 0.1, Eigen::Vector3d(0.01, 0.01, kRotor), {1.0, 0.0, 0.0});
  add_joint(geared, "motor", JointType::Continuous, "world", "rotor", Eigen::Vector3d::UnitZ(),
            {1.0, 0.0, 0.0});
  geared.couplings.push_back({"gear", "motor", "load", {kRatio, 0.0}, {}});
  geared.efforts.push_back({"motor", kTorque, {}});
  plain.joints[0].dynamics.armature = kRatio * kRatio * kRotor;
  plain.efforts.push_back({"load", kRatio * kTorque, {}});
  const double expected = kRatio * kTorque / (kLoad + kRatio * kRatio * kRotor);
  Simulator with_gear(geared), with_armature(plain);
  const auto closes = [](const StepReport& report) {
    CHECK(std::abs(report.energy.unexplained) <= 1e-13);
  };
  CHECK(run(with_gear, closes) == 0);
  CHECK(run(with_armature, closes) == 0);
  CHECK(std::abs(joint_rate(with_gear, "load") - expected) <= 1e-12);
  CHECK(std::abs(joint_rate(with_armature, "load") - expected) <= 1e-12);
  CHECK(std::abs(joint_position(with_gear, "motor") - kRatio * joint_position(with_gear, "load")) <=
        1e-12);
  CHECK(std::abs(with_gear.initial_report().energy.kinetic -
                 with_armature.initial_report().energy.kinetic) <= 1e-12);
}

TEST_CASE("A gear within one tree and a rack between two keep their positions, errors decay") {
  Scene scene = empty_scene(0.002, 1.0, "coulomb");
  add_mass(scene, "upper", 1.0, Eigen::Vector3d::Constant(0.05), {0.5, 0.0, 0.0});
  add_mass(scene, "lower", 1.0, Eigen::Vector3d::Constant(0.05), {1.5, 0.0, 0.0});
  add_mass(scene, "rack", 1.0, Eigen::Vector3d::Constant(0.05), {0.0, 1.0, 0.0});
  const Eigen::Vector3d y = Eigen::Vector3d::UnitY();
  add_joint(scene, "shoulder", JointType::Continuous, "world", "upper", y, {0.0, 0.0, 0.0});
  add_joint(scene, "elbow", JointType::Continuous, "upper", "lower", y, {1.0, 0.0, 0.0});
  // The rack starts 1e-3 m off: gamma = 1 takes it back in one step.
  add_joint(scene, "rack", JointType::Prismatic, "world", "rack", Eigen::Vector3d::UnitX(),
            {0.0, 1.0, 0.0})
      .position = 1e-3;
  scene.couplings.push_back({"gear", "elbow", "shoulder", {-2.0, 0.0}, {}});
  scene.couplings.push_back({"rack", "rack", "elbow", {0.1, 0.0}, {}});
  scene.simulation.gamma = 1.0;
  Simulator simulator(scene);
  CHECK(std::abs(simulator.initial_report().certificate.infeasibility - 1e-3) <= 1e-15);
  CHECK(run(simulator, [&](const StepReport&) {
          const double elbow = joint_position(simulator, "elbow");
          CHECK(std::abs(elbow + 2.0 * joint_position(simulator, "shoulder")) <= 1e-12);
          CHECK(std::abs(joint_position(simulator, "rack") - 0.1 * elbow) <= 1e-12);
        }) == 0);
  CHECK(std::abs(joint_position(simulator, "elbow")) > 0.1);
}

}  // namespace amontons::test

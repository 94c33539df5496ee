#include "amontons/simulation/sensors.h"
#include "tests/simulation/joint_scenes.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

// Motions, targets, efforts and wrenches that are prescribed over time.

namespace amontons::test {
namespace {

constexpr double kMass = 1.7;

/// Makes a body on a vertical rail.
Scene lift_scene(double step, double duration, const std::string& model = "coulomb") {
  Scene scene = empty_scene(step, duration, model);
  add_mass(scene, "load", kMass, {0.01, 0.02, 0.03}, {0.0, 0.0, 0.0});
  add_joint(scene, "lift", JointType::Prismatic, "world", "load", Eigen::Vector3d::UnitZ(),
            Eigen::Vector3d::Zero());
  return scene;
}

JointMotion sinusoid(const std::string& joint, double amplitude, double period) {
  JointMotion motion;
  motion.joint = joint;
  motion.amplitude = amplitude;
  motion.period = period;
  return motion;
}

JointServo servo_of_lift(double kp, double kd) {
  JointServo servo;
  servo.joint = "lift";
  servo.kp = kp;
  servo.kd = kd;
  return servo;
}

/// Makes a trajectory with instants that no step of the tests hits.
Trajectory bumpy(Interpolation interpolation) {
  return {{0.003, 0.11, 0.17, 0.43, 0.77}, {0.0, 3.0, -2.0, 5.0, 1.0}, interpolation};
}

}  // namespace

TEST_CASE("A joint with a prescribed motion is where the motion has it after every step") {
  const std::string model = GENERATE("coulomb", "stewart-trinkle", "maximum-dissipation");
  const bool is_sinusoid = GENERATE(true, false);
  Scene scene = lift_scene(0.01, 1.0, model);
  JointMotion motion = sinusoid("lift", 0.2, 0.37);
  if (!is_sinusoid) motion.trajectory = bumpy(Interpolation::Cubic);
  scene.joint_motions.push_back(motion);
  Simulator simulator(scene);
  CHECK(joint_rate(simulator, "lift") == motion.rate(0.0));
  double worst = 0.0;
  while (!simulator.finished()) {
    REQUIRE(simulator.step().certificate.holds);
    worst = std::max(
        worst, std::abs(joint_position(simulator, "lift") - motion.position(simulator.time())));
  }
  CHECK(worst <= 1e-13);
}

TEST_CASE("The reaction of a prescribed motion is what moves the load and bears its weight") {
  Scene scene = lift_scene(0.01, 0.5);
  scene.joint_motions.push_back(sinusoid("lift", 0.2, 0.37));
  Simulator simulator(scene);
  const JointCoordinate& row = joint_of(simulator.system(), "motion of lift");
  REQUIRE(row.num_rows == 1);
  while (!simulator.finished()) {
    const double before = joint_rate(simulator, "lift");
    const StepReport& report = simulator.step();
    const double expected =
        kMass * ((joint_rate(simulator, "lift") - before) / report.step + kGravity);
    CHECK(std::abs(joint_row_forces(report)[row.first_row] - expected) <= 1e-11);
    // Its work is the actuators', and nothing else's.
    const double gained =
        0.5 * kMass * (std::pow(joint_rate(simulator, "lift"), 2) - before * before);
    CHECK(std::abs(report.energy.actuators + report.energy.gravity + report.energy.integration -
                   gained) <= 1e-13);
    CHECK(std::abs(report.energy.stabilization) <= 1e-13);
    CHECK(std::abs(report.energy.unexplained) <= 1e-13);
  }
}

TEST_CASE("A joint that starts beside its motion is brought back as gamma says") {
  Scene scene = lift_scene(0.01, 0.2);
  scene.simulation.gamma = 0.2;
  scene.joints[0].position = 0.05;
  scene.joint_motions.push_back(sinusoid("lift", 0.1, 0.9));
  Simulator simulator(scene);
  double error = 0.05;
  while (!simulator.finished()) {
    REQUIRE(simulator.step().certificate.holds);
    error *= 0.8;
    const double left =
        joint_position(simulator, "lift") - scene.joint_motions[0].position(simulator.time());
    CHECK(std::abs(left - error) <= 1e-14);
  }
}

TEST_CASE("A coupled joint follows one whose motion is prescribed") {
  Scene scene = lift_scene(0.01, 0.5);
  add_mass(scene, "wheel", 1.0, {0.02, 0.02, 0.02}, {1.0, 0.0, 0.0});
  add_joint(scene, "axle", JointType::Revolute, "world", "wheel", Eigen::Vector3d::UnitX(),
            {1.0, 0.0, 0.0});
  scene.couplings.push_back({"rack", "axle", "lift", {4.0, 0.0}, {}});
  scene.joint_motions.push_back(sinusoid("lift", 0.2, 0.37));
  Simulator simulator(scene);
  CHECK(run(simulator) == 0);
  const double wanted = scene.joint_motions[0].position(simulator.time());
  CHECK(std::abs(joint_position(simulator, "lift") - wanted) <= 1e-13);
  CHECK(std::abs(joint_position(simulator, "axle") - 4.0 * wanted) <= 1e-12);
}

TEST_CASE("Two motions of a joint, or one of a joint that follows another, are refused") {
  Scene scene = lift_scene(0.01, 0.5);
  scene.joint_motions = {sinusoid("lift", 0.1, 1.0), sinusoid("lift", 0.1, 2.0)};
  CHECK_THROWS_WITH(Simulator(scene), Catch::Contains("two prescribed motions"));
  scene.joint_motions.pop_back();
  scene.couplings.push_back({"hold", "lift", "", {1.0, 0.0}, {}});
  CHECK_THROWS_WITH(Simulator(scene), Catch::Contains("follows a coupling"));
}

TEST_CASE("The impulse of an effort over time is its integral, whatever the steps") {
  const Interpolation interpolation = GENERATE(Interpolation::Linear, Interpolation::Cubic);
  const double step = GENERATE(0.01, 0.05, 0.2);
  Scene scene = lift_scene(step, 1.0);
  scene.gravity.setZero();
  scene.efforts.push_back({"lift", 0.0, {}, bumpy(interpolation)});
  Simulator simulator(scene);
  while (!simulator.finished()) {
    simulator.step();
    const double integral = simulator.time() * bumpy(interpolation).mean(0.0, simulator.time());
    CHECK(std::abs(kMass * joint_rate(simulator, "lift") - integral) <= 1e-12);
  }
}

TEST_CASE("A wrench over time gives a free body the momentum that it holds") {
  Scene scene = empty_scene(0.02, 1.0, "coulomb");
  scene.gravity.setZero();
  add_mass(scene, "ball", kMass, {0.3, 0.3, 0.3}, Eigen::Vector3d::Zero());
  BodyWrench wrench;
  wrench.body = "ball";
  // About a fixed axis, so that the angular velocity is the torque's integral over the inertia.
  for (int k = 0; k < 6; ++k) {
    const double scale = k == 3 || k == 4 ? 0.0 : 0.1 * (k + 1);
    std::vector<double> values;
    for (const double value : {0.0, 3.0, -2.0, 5.0, 1.0}) values.push_back(scale * value);
    wrench.table.emplace_back(std::vector<double>{0.003, 0.11, 0.17, 0.43, 0.77}, values,
                              Interpolation::Linear);
  }
  scene.wrenches.push_back(wrench);
  Simulator simulator(scene);
  while (!simulator.finished()) REQUIRE(simulator.step().certificate.holds);
  const double integral = bumpy(Interpolation::Linear).mean(0.0, 1.0);
  const Eigen::VectorXd& v = simulator.state().v;  // (w, v) of the body
  CHECK((v.tail<3>() - 0.1 * integral / kMass * Eigen::Vector3d(1, 2, 3)).norm() <= 1e-12);
  CHECK((v.head<3>() - 0.6 * integral / 0.3 * Eigen::Vector3d::UnitZ()).norm() <= 1e-12);
}

TEST_CASE("What stands still until then meets what begins later") {
  // At rest for half a second to the last bit, then driven away.
  const Trajectory late({0.5, 0.6}, {0.0, 5.0}, Interpolation::Linear);
  const int way = GENERATE(range(0, 4));
  Scene scene = lift_scene(0.01, 1.0);
  scene.gravity.setZero();
  scene.joints[0].dynamics.coulomb_friction = way == 2 ? 0.0 : 1.0;
  if (way == 0) scene.efforts.push_back({"lift", 0.0, {}, late});
  if (way == 1) {
    BodyWrench wrench;
    wrench.body = "load";
    wrench.table.assign(6, Trajectory({0.0}, {0.0}, Interpolation::Linear));
    wrench.table[2] = late;
    scene.wrenches.push_back(wrench);
  }
  if (way == 2) {
    JointMotion motion = sinusoid("lift", 0.0, 1.0);
    motion.trajectory = late;
    scene.joint_motions.push_back(motion);
  }
  if (way == 3) {
    JointServo servo = servo_of_lift(300.0, 0.0);
    servo.trajectory = late;
    scene.servos.push_back(servo);
  }
  Simulator simulator(scene);
  while (!simulator.finished()) {
    simulator.step();
    if (simulator.time() < 0.5 + 1e-9) CHECK(joint_position(simulator, "lift") == 0.0);
  }
  CHECK(joint_position(simulator, "lift") > 0.1);
}

TEST_CASE("A servo that is where its trajectory wants it gives nothing") {
  Scene scene = lift_scene(0.01, 0.5);
  scene.gravity.setZero();
  scene.joints[0].rate = 2.0;
  JointServo servo = servo_of_lift(1e6, 1e4);
  servo.trajectory = Trajectory({0.0, 0.1, 1.0}, {0.0, 0.2, 2.0}, Interpolation::Cubic);
  scene.servos.push_back(servo);
  Simulator simulator(scene);
  while (!simulator.finished()) {
    CHECK(std::abs(joint_efforts(simulator.step())[0]) <= 1e-8);
    CHECK(std::abs(joint_position(simulator, "lift") - 2.0 * simulator.time()) <= 1e-13);
  }
}

TEST_CASE("A servo acts on its trajectory as at the end of the step, within its effort") {
  const bool is_rate = GENERATE(false, true);
  const double limit = GENERATE(std::numeric_limits<double>::infinity(), 6.0);
  Scene scene = lift_scene(0.01, 0.6);
  scene.gravity.setZero();
  JointServo servo = servo_of_lift(is_rate ? 0.0 : 300.0, 40.0);
  servo.effort = EffortRange::symmetric(limit);
  servo.trajectory = bumpy(Interpolation::Cubic);
  scene.servos.push_back(servo);
  Simulator simulator(scene);
  int saturated = 0;
  while (!simulator.finished()) {
    const double before = joint_rate(simulator, "lift"), start = simulator.time();
    const StepReport& report = simulator.step();
    REQUIRE(report.certificate.holds);
    const double after = joint_rate(simulator, "lift"), end = simulator.time(), h = report.step;
    const double target = servo.trajectory->value(end);
    const double rate = is_rate ? target : (target - servo.trajectory->value(start)) / h;
    double expected = servo.kd * (rate - after);
    if (!is_rate) expected += servo.kp * (target - joint_position(simulator, "lift"));
    if (std::abs(expected) > limit) ++saturated;
    expected = std::clamp(expected, -limit, limit);
    CHECK(std::abs(kMass * (after - before) / h - expected) <= 1e-9);
  }
  CHECK((saturated > 0) == std::isfinite(limit));
}

TEST_CASE("A program cannot give a target to a servo that follows a trajectory") {
  Scene scene = lift_scene(0.01, 0.5);
  JointServo servo = servo_of_lift(300.0, 0.0);
  servo.trajectory = bumpy(Interpolation::Cubic);
  scene.servos.push_back(servo);
  Simulator simulator(scene);
  CHECK_THROWS_WITH(simulator.set_servo_target("lift", 1.0), Catch::Contains("trajectory"));
}

}  // namespace amontons::test

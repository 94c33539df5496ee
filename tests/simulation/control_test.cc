#include "amontons/simulation/forces/inverse_dynamics.h"
#include "amontons/simulation/sensors.h"
#include "amontons/simulation/system/kinematics.h"
#include "tests/simulation/joint_scenes.h"

#include <catch2/catch.hpp>

#include <cmath>

namespace amontons::test {
TEST_CASE("Gravity compensation holds an arm with springs still") {
  Simulator simulator(arm(0.01, 10.0));
  const Eigen::VectorXd start = simulator.state().q;
  simulator.set_controller(
      [](Simulator& sim) { sim.set_efforts(gravity_compensation(sim.system(), sim.state().q)); });
  CHECK(run(simulator) == 0);
  CHECK((simulator.state().q - start).norm() <= 1e-11);
  // Without it, it falls.
  simulator.reset();
  simulator.set_controller({});
  CHECK(simulator.state().q == start);
  for (int i = 0; i < 50; ++i) simulator.step();
  CHECK((simulator.state().q - start).norm() > 0.05);
}

TEST_CASE("Efforts of inverse dynamics give the acceleration that they were asked for, to O(h)") {
  double previous = 0.0;
  for (const double step : {1e-3, 5e-4, 2.5e-4}) {
    Simulator simulator(arm(step, 1.0));
    const Eigen::Vector3d v(0.5, -1.0, 2.0), vdot(3.0, -2.0, 1.0);
    simulator.set_state(simulator.state().q, v);
    simulator.set_efforts(inverse_dynamics(simulator.system(), simulator.state().q, v, vdot));
    simulator.step();
    const double error = ((simulator.state().v - v) / step - vdot).norm();
    CHECK(error < 400.0 * step);
    if (previous > 0.0) CHECK(std::log2(previous / error) > 0.9);
    previous = error;
  }
}

TEST_CASE("A controller that is called before each step gives the same bits each time") {
  const auto run_once = [](Simulator& simulator) {
    simulator.set_controller([](Simulator& sim) {
      sim.set_effort("shoulder", -20.0 * joint_position(sim, "shoulder") + std::sin(sim.time()));
      sim.set_wrench("lower", {0.0, 0.0, 2.0 * std::cos(3.0 * sim.time())}, {0.1, 0.0, 0.0});
    });
    CHECK(run(simulator) == 0);
    return simulator.state().q;
  };
  Simulator simulator(arm(0.005, 1.0));
  const Eigen::VectorXd first = run_once(simulator);
  simulator.reset();
  CHECK(simulator.time() == 0.0);
  CHECK(run_once(simulator) == first);
  Simulator another(arm(0.005, 1.0));
  CHECK(run_once(another) == first);
}

TEST_CASE("A commanded wrench moves a body as one of the scene does, and a target as its servo's") {
  Scene with_wrench = arm(0.005, 0.5), commanded = with_wrench;
  with_wrench.wrenches.push_back({"lower", {1.0, 2.0, 3.0}, {0.1, 0.2, 0.3}, {0.2, 0.0, 0.1}, {}});
  for (Scene* scene : {&with_wrench, &commanded}) {
    JointServo& servo = scene->servos.emplace_back();
    servo.joint = "yaw";
    servo.kp = 50.0;
    servo.kd = 5.0;
  }
  with_wrench.servos[0].target = 0.7;
  Simulator expected(with_wrench), actual(commanded);
  actual.set_wrench("lower", {1.0, 2.0, 3.0}, {0.1, 0.2, 0.3}, {0.2, 0.0, 0.1});
  actual.set_servo_target("yaw", 0.7);
  CHECK(run(expected) == 0);
  CHECK(run(actual) == 0);
  CHECK(actual.state().q == expected.state().q);
  CHECK_THROWS_WITH(actual.set_effort("wrist", 1.0), Catch::Contains("no joint 'wrist'"));
  CHECK_THROWS_WITH(actual.set_effort("shoulde", 1.0),
                    Catch::Contains("no joint 'shoulde'; did you mean 'shoulder'?"));
  CHECK_THROWS_WITH(actual.set_servo_target("elbow", 1.0), Catch::Contains("no servo"));
  CHECK_THROWS_WITH(actual.set_wrench("hand", {1.0, 0.0, 0.0}), Catch::Contains("no body 'hand'"));
  CHECK_THROWS_WITH(actual.set_effort("yaw", std::nan("")), Catch::Contains("finite"));
}

TEST_CASE("A command between steps gives the bits of a step that evaluates everything after it") {
  const auto follow = [](const char* model, bool evaluates_everything) {
    Scene scene = arm(0.005, 0.5);
    scene.simulation.model = model;
    default_material(scene, 0.4);
    add_ground(scene);
    add_body(scene, "ball", Sphere{0.1}, 0.5, {0.8, 0.0, 0.1});
    scene.couplings.push_back({"gear", "elbow", "shoulder", {.multiplier = -1.5}, {}});
    Simulator simulator(scene);
    while (!simulator.finished()) {
      simulator.set_effort("shoulder", 3.0 * std::sin(20.0 * simulator.time()));
      simulator.set_wrench("ball", {2.0 * std::cos(9.0 * simulator.time()), 0.5, 0.0});
      if (evaluates_everything) simulator.set_state(State(simulator.state()));
      simulator.step();
    }
    return simulator.state();
  };
  for (const char* model : {"coulomb", "stewart-trinkle"}) {
    CAPTURE(model);
    const State kept = follow(model, false), whole = follow(model, true);
    CHECK(kept.q == whole.q);
    CHECK(kept.v == whole.v);
  }
}

TEST_CASE("Sensors of a box at rest read its weight, g upwards, and no turning") {
  Scene scene = empty_scene(0.01, 0.1, "coulomb");
  add_ground(scene);
  add_body(scene, "box", Box{{0.4, 0.4, 0.2}}, 3.0, {0.1, 0.2, 0.1});
  Simulator simulator(scene);
  const StepReport& report = simulator.step();
  const int ground = simulator.system().find_body("ground"),
            box = simulator.system().find_body("box");
  const Eigen::Vector3d weight(0.0, 0.0, 3.0 * kGravity);
  CHECK((contact_force(report, ground, box) - weight).norm() <= 1e-9);
  CHECK((contact_force(report, box, ground) + weight).norm() <= 1e-9);
  const Wrench wrench = contact_wrench(simulator.system(), report, box);
  CHECK((wrench.force_W - weight).norm() <= 1e-9);
  CHECK(wrench.torque_W.norm() <= 1e-9);
  const ImuReading imu = imu_reading(simulator.system(), report, box);
  CHECK((imu.acceleration_B - Eigen::Vector3d(0.0, 0.0, kGravity)).norm() <= 1e-9);
  CHECK(imu.angular_velocity_B.norm() <= 1e-12);
  CHECK_THROWS_AS(contact_force(simulator.initial_report(), ground, box), std::invalid_argument);
}

TEST_CASE("An accelerometer in free fall reads nothing, on a turning arm the centripetal pull") {
  Scene falling = empty_scene(0.001, 0.1, "coulomb");
  add_mass(falling, "ball", 1.0, Eigen::Vector3d::Constant(0.1), Eigen::Vector3d::Zero());
  Simulator in_free_fall(falling);
  CHECK(imu_reading(in_free_fall.system(), in_free_fall.step(), 0).acceleration_B.norm() <= 1e-10);

  constexpr double kRadius = 0.8, kRate = 3.0, kStep = 1e-4;
  Scene turning = empty_scene(kStep, 0.1, "coulomb");
  turning.gravity.setZero();
  add_mass(turning, "bob", 1.0, Eigen::Vector3d::Constant(0.1), {kRadius, 0.0, 0.0});
  add_joint(turning, "hinge", JointType::Continuous, "world", "bob", Eigen::Vector3d::UnitZ(),
            Eigen::Vector3d::Zero())
      .rate = kRate;
  Simulator simulator(turning);
  const ImuReading imu = imu_reading(simulator.system(), simulator.step(), 0);
  CHECK((imu.acceleration_B + kRate * kRate * kRadius * Eigen::Vector3d::UnitX()).norm() <=
        kRate * kRate * kRate * kRadius * kStep);
  CHECK((imu.angular_velocity_B - kRate * Eigen::Vector3d::UnitZ()).norm() <= 1e-12);
}

TEST_CASE("A torque sensor reads what holds a joint: its servo, or the gear that it hangs on") {
  Scene scene = arm(0.01, 20.0);
  for (const char* joint : {"yaw", "shoulder", "elbow"}) {
    JointServo& servo = scene.servos.emplace_back();
    servo.joint = joint;
    servo.kp = 2000.0;
    servo.kd = 200.0;
  }
  scene.servos.pop_back();
  scene.couplings.push_back({"belt", "elbow", "shoulder", {1.0, -1.1}, {}});
  Simulator simulator(scene);
  CHECK(run(simulator) == 0);
  const StepReport& report = simulator.step();
  CHECK(simulator.state().v.norm() <= 1e-9);
  // Springs and dampers are part of the reading; what is left is gravity.
  Scene bare = scene;
  bare.joints[2].dynamics.stiffness = 0.0;
  const Eigen::VectorXd expected = gravity_compensation(System(bare), simulator.state().q);
  CHECK((joint_efforts(report) - expected).norm() <= 1e-6);
  CHECK(joint_row_forces(report).size() == 1);
  CHECK(std::abs(joint_row_forces(report)[0]) > 0.1);
}

}  // namespace amontons::test

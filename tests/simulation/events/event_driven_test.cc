#include "amontons/math/rotation.h"
#include "tests/simulation/scenes.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>

// Event-driven simulation [Drumwright, Shell 2010, sec. 2.4; docs/theory.md, section 10].

namespace amontons::test {
namespace {

constexpr double kRadius = 0.1, kDrop = 1.0;

Scene event_scene(double step, double duration) {
  Scene scene = empty_scene(step, duration, "coulomb");
  scene.simulation.method = "event-driven";
  scene.simulation.events.contact_tolerance = 1e-12;
  return scene;
}

Scene ball_scene(double step, double duration, double e, double mu = 0.3) {
  Scene scene = event_scene(step, duration);
  default_material(scene, mu, e);
  add_body(scene, "ball", Sphere{kRadius}, 1.0, {0.0, 0.0, kDrop + kRadius});
  add_ground(scene);
  return scene;
}

double energy(const StepReport& report) { return report.energy.kinetic + report.energy.potential; }

TEST_CASE("A ball of e = 1 bounces 1000 times and keeps its apex, event by event") {
  const double period = 2.0 * std::sqrt(2.0 * kDrop / kGravity);
  const int bounces = 1000;
  Simulator simulator(ball_scene(0.02, (bounces + 0.1) * period, 1.0));
  int impacts = 0;
  double worst = 0.0, last_impact = 0.0;
  const int missed = run(simulator, [&](const StepReport& report) {
    // The apex follows from any point of the flight.
    const double v = report.end->v[5], apex = report.end->q[6] - kRadius + v * v / (2.0 * kGravity);
    worst = std::max(worst, std::abs(apex - kDrop));
    CHECK(std::abs(report.energy.unexplained) < 1e-12);
    if (!report.events.impact) return;
    ++impacts;
    last_impact = simulator.time();
  });
  CHECK(missed == 0);
  CHECK(impacts == bounces);
  CHECK(worst < 1e-9);
  CHECK(last_impact == Approx((bounces - 0.5) * period).epsilon(1e-11));
}

TEST_CASE("R03: impacts, apexes and the Zeno time of a bouncing ball to 1e-9, event by event") {
  const double e = 0.9;
  Scene scene = ball_scene(0.05, 9.0, e);
  scene.simulation.events.minimum_step = 1e-3;
  scene.simulation.events.contact_tolerance = 1e-13;
  Simulator simulator(scene);
  const double fall = std::sqrt(2.0 * kDrop / kGravity), speed = kGravity * fall;
  // Time of impact k: fall (1 + 2 (e + ... + e^k)).
  const auto time_of = [&](int k) {
    return fall * (1.0 + 2.0 * e * (1.0 - std::pow(e, k)) / (1.0 - e));
  };
  const double zeno = fall * (1.0 + e) / (1.0 - e);
  int impacts = 0;
  double last_speed = 0.0, last_time = 0.0;
  bool ended = false;
  run(simulator, [&](const StepReport& report) {
    CHECK(report.certificate.holds);
    if (report.events.zeno) ended = true;
    if (!report.events.impact) return;
    last_time = simulator.time();
    last_speed = velocity(simulator).z();
    if (impacts < 30) {
      CHECK(std::abs(last_time - time_of(impacts)) < 1e-9);
      CHECK(std::abs(last_speed - speed * std::pow(e, impacts + 1)) < 1e-9);
    }
    if (impacts < 5) {
      const double apex = last_speed * last_speed / (2.0 * kGravity);
      CHECK(std::abs(apex - kDrop * std::pow(e, 2 * (impacts + 1))) < 1e-9);
    }
    ++impacts;
  });
  // Bounces end where one would take less than the minimum step; what the rest would take is known.
  CHECK(ended);
  CHECK(2.0 * last_speed / kGravity < 2e-3);
  CHECK(std::abs(last_time + 2.0 * last_speed / (kGravity * (1.0 - e)) - zeno) < 1e-9);
  CHECK(std::abs(position(simulator).z() - kRadius) < 1e-11);
  CHECK(velocity(simulator).norm() < 1e-11);
}

TEST_CASE("A ball at any speed does not pass a thin plate") {
  const double speed = GENERATE(10.0, 1e3, 1e5);
  Scene scene = event_scene(0.01, 0.05);
  default_material(scene, 0.3, 0.0);
  SceneBody& ball = add_body(scene, "ball", Sphere{0.01}, 1.0, {0.0, 0.0, 0.05});
  ball.linear_velocity = {0.0, 0.0, -speed};
  SceneBody plate;
  plate.name = "plate";
  plate.base = BaseType::Fixed;
  plate.shapes.push_back({Box{{1.0, 1.0, 0.001}}, Pose{}, "default"});
  scene.bodies.push_back(plate);
  Simulator simulator(scene);
  CHECK(run(simulator) == 0);
  CHECK(position(simulator).z() >= 0.0105 - 1e-11);
  CHECK(position(simulator).z() <= 0.0105 + 1e-11);
}

TEST_CASE("The integrators of event-driven simulation have their orders") {
  // A heavy asymmetric top on a spherical joint, 1 s.
  const auto run_with = [](Integrator integrator, double step) {
    Scene scene = event_scene(step, 1.0);
    scene.simulation.events.integrator = integrator;
    scene.simulation.events.integrator_tolerance = 1e-13;
    add_body(scene, "top", Box{{0.1, 0.2, 0.4}}, 1.0, {0.0, 0.0, 0.3});
    SceneJoint joint;
    joint.name = "tip";
    joint.type = JointType::Spherical;
    joint.parent = "world";
    joint.child = "top";
    scene.joints.push_back(joint);
    Simulator simulator(scene);
    simulator.set_state(simulator.state().q, Eigen::Vector3d(0.3, 1.0, 15.0));
    while (!simulator.finished()) {
      const StepReport& report = simulator.step();
      CHECK(std::abs(report.energy.unexplained) < 1e-11);
    }
    return Eigen::VectorXd(simulator.state().q);
  };
  const Eigen::VectorXd exact = run_with(Integrator::DormandPrince, 0.01);
  CHECK((run_with(Integrator::DormandPrince, 0.05) - exact).norm() < 1e-10);
  const auto order = [&](Integrator integrator, double step) {
    return std::log2((run_with(integrator, step) - exact).norm() /
                     (run_with(integrator, 0.5 * step) - exact).norm());
  };
  CHECK(order(Integrator::RungeKutta4, 0.01) == Approx(4.0).margin(0.3));
  CHECK(order(Integrator::SymplecticEuler, 0.001) == Approx(1.0).margin(0.2));
}

TEST_CASE("What slides or rolls in event-driven simulation moves as in time stepping") {
  const auto end_of = [](const std::string& method) {
    Scene scene = empty_scene(0.01, 1.0, "coulomb");
    scene.simulation.method = method;
    default_material(scene, 0.3);
    add_body(scene, "box", Box{{0.5, 0.5, 0.5}}, 1.0, {0.0, 0.0, 0.25}).linear_velocity = {2.0, 1.0,
                                                                                           0.0};
    add_body(scene, "ball", Sphere{0.1}, 1.0, {0.0, 3.0, 0.1}).linear_velocity = {1.0, 1.0, 0.0};
    add_ground(scene);
    Simulator simulator(scene);
    CHECK(run(simulator) == 0);
    return simulator.state();
  };
  const State stepped = end_of("time-stepping"), by_events = end_of("event-driven");
  CHECK((stepped.q - by_events.q).norm() < 1e-8);
  CHECK((stepped.v - by_events.v).norm() < 1e-8);
  CHECK(stepped.step_count == by_events.step_count);
}

TEST_CASE("Boxes tumble, land and rest without passing each other or gaining energy") {
  Scene scene = event_scene(0.01, 2.0);
  scene.simulation.events.contact_tolerance = 1e-9;
  default_material(scene, 0.4, 0.3);
  for (int i = 0; i < 3; ++i) {
    SceneBody& box = add_body(scene, "box" + std::to_string(i), Box{{0.2, 0.3, 0.1}}, 1.0,
                              {0.03 * i, 0.02 * i, 0.4 + 0.5 * i});
    box.pose.rotation = rotation_from_vector({0.3 + i, 0.5, 0.1 * i});
    box.angular_velocity = {3.0, -2.0, 1.0 + i};
  }
  add_ground(scene);
  Simulator simulator(scene);
  double before = energy(simulator.initial_report()), deepest = 0.0;
  int impacts = 0;
  const int missed = run(simulator, [&](const StepReport& report) {
    deepest = std::max(deepest, report.certificate.infeasibility);
    if (report.events.impact) {
      ++impacts;
      CHECK(energy(report) <= before + 1e-10);
    }
    CHECK(std::abs(report.energy.unexplained) < 1e-10);
    before = energy(report);
  });
  CAPTURE(impacts, deepest, before);
  CHECK(missed <= 2);
  CHECK(impacts >= 6);
  CHECK(deepest <= 1e-3);  // sustained contacts turn by w h: at the velocity level O(h^2)
  CHECK(simulator.time() == Approx(2.0));
}

}  // namespace
}  // namespace amontons::test

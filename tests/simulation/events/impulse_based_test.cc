#include "amontons/simulation/property_changes.h"
#include "amontons/simulation/simulator.h"
#include "tests/simulation/joint_scenes.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>

// Impulse-based simulation: all contact is collisions, also where bodies rest and roll.

namespace amontons::test {
namespace {

constexpr double kStep = 0.01, kRadius = 0.1;

Scene impulse_based_scene(double duration, double friction, double restitution) {
  Scene scene = empty_scene(kStep, duration, "mirtich");
  scene.simulation.method = "impulse-based";
  default_material(scene, friction, restitution);
  add_ground(scene);
  return scene;
}

double impulse_of(const StepReport& report) {
  return report.problem.num_contacts() > 0 ? report.solution.impulses(2) : 0.0;
}

TEST_CASE("By collisions alone a ball bounces for ever, and its impulses carry its weight") {
  const double e = GENERATE(0.2, 0.5, 0.9), mass = GENERATE(1.0, 1e-3);
  CAPTURE(e, mass);
  const double drop = 0.5, speed = std::sqrt(2.0 * kGravity * drop);
  Scene scene = impulse_based_scene(30.0, 0.3, e);
  add_body(scene, "ball", Sphere{kRadius}, mass, {0.0, 0.0, drop + kRadius});
  Simulator simulator(scene);
  int bounces = 0, late_collisions = 0;
  double gained = 0.0, impulse = 0.0, highest = 0.0;
  bool has_micro_collisions = false;
  const int missed = run(simulator, [&](const StepReport& report) {
    if (report.problem.num_contacts() > 0) {
      CHECK(report.solution.law.kind == LawKind::Impact);
      CHECK(report.problem.contacts[0].restitution == e);
    }
    CHECK_FALSE(report.events.zeno);
    // An impact that has its own instant leaves at e times its approach.
    has_micro_collisions = has_micro_collisions || (report.step > 0.0 && impulse_of(report) > 0.0);
    if (report.events.impact && !has_micro_collisions) {
      ++bounces;
      CHECK(velocity(simulator).z() == Approx(speed * std::pow(e, bounces)).epsilon(1e-6));
    }
    gained = std::max(gained, report.certificate.energy_gained);
    if (simulator.time() <= 29.0 || report.problem.num_contacts() == 0) return;
    late_collisions += impulse_of(report) > 0.0;
    impulse += impulse_of(report);
    highest = std::max(highest, position(simulator).z() - kRadius);
  });
  CHECK(missed == 0);
  CHECK(bounces >= 1);
  CHECK(late_collisions >= 10);
  CHECK(impulse == Approx(mass * kGravity).epsilon(0.05));
  // A rebound of at most 2 g h rises 2 g h^2, and a step may add its own way.
  CHECK(highest > 0.0);
  CHECK(highest <= 4.0 * kGravity * kStep * kStep);
  CHECK(gained <= 1e-12 * mass);
}

TEST_CASE("By collisions without restitution a ball rests, at m g h a step") {
  Scene scene = impulse_based_scene(1.0, 0.3, 0.0);
  add_body(scene, "ball", Sphere{kRadius}, 2.0, {0.0, 0.0, kRadius});
  Simulator simulator(scene);
  CHECK(run(simulator, [&](const StepReport& report) {
          REQUIRE(report.problem.num_contacts() == 1);
          CHECK(report.solution.impulses(2) == Approx(2.0 * kGravity * kStep));
        }) == 0);
  CHECK(std::abs(position(simulator).z() - kRadius) <= 1e-12);
}

TEST_CASE("Micro-collisions bring a sliding ball to roll at 5/7 of its speed") {
  const double e = GENERATE(0.0, 0.5);
  Scene scene = impulse_based_scene(3.0, 0.2, e);
  add_body(scene, "ball", Sphere{kRadius}, 1.0, {0.0, 0.0, kRadius}).linear_velocity = {1.0, 0.0,
                                                                                        0.0};
  Simulator simulator(scene);
  CHECK(run(simulator) == 0);
  // A collision acts across the gap that it closes, at most 2 g h^2, with that lever.
  const double lever = e > 0.0 ? 2.0 * kGravity * kStep * kStep / kRadius : 1e-9;
  CHECK(velocity(simulator).x() == Approx(5.0 / 7.0).epsilon(lever));
  CHECK(angular_velocity(simulator).y() == Approx(5.0 / 7.0 / kRadius).epsilon(2.0 * lever));
}

TEST_CASE("Stacked boxes stay where they are by micro-collisions, within a rebound's height") {
  const double e = GENERATE(0.0, 0.4);
  CAPTURE(e);
  Scene scene = impulse_based_scene(0.5, 0.5, e);
  add_body(scene, "lower", Box{{0.2, 0.2, 0.2}}, 1.0, {0.0, 0.0, 0.1});
  add_body(scene, "upper", Box{{0.2, 0.2, 0.2}}, 1.0, {0.03, 0.0, 0.3});
  Simulator simulator(scene);
  const Eigen::VectorXd q0 = simulator.state().q;
  CHECK(run(simulator) == 0);
  CHECK((simulator.state().q - q0).lpNorm<Eigen::Infinity>() <= 4.0 * kGravity * kStep * kStep);
}

TEST_CASE("Impulse-based simulation has one model, which no other method's steps have") {
  const auto make = [](const char* method, const char* model, const char* impacts) {
    Scene scene = impulse_based_scene(0.1, 0.3, 0.5);
    add_body(scene, "ball", Sphere{kRadius}, 1.0, {0.0, 0.0, 1.0});
    scene.simulation.method = method;
    scene.simulation.model = model;
    if (*impacts) scene.simulation.events.impact_model = impacts;
    return Simulator(scene).state().time;
  };
  CHECK(make("impulse-based", "mirtich", "") == 0.0);
  CHECK(make("impulse-based", "mirtich", "mirtich") == 0.0);
  CHECK_THROWS_AS(make("impulse-based", "coulomb", ""), std::invalid_argument);
  CHECK_THROWS_AS(make("impulse-based", "mirtich", "coulomb"), std::invalid_argument);
  CHECK_THROWS_AS(make("hybrid", "mirtich", ""), std::invalid_argument);
  CHECK_THROWS_AS(make("time-stepping", "mirtich", ""), std::invalid_argument);
}

TEST_CASE("Loops of joints close under collisions alone, which are the law of every step") {
  // Two balls on a rod fall, turn and land; stabilization of the rod adds energy at some steps.
  Scene scene = impulse_based_scene(0.5, 0.4, 0.1);
  scene.simulation.steps = {0.005};
  add_body(scene, "first", Sphere{kRadius}, 1.0, {0.0, 0.0, 0.3}).angular_velocity.y() = 2.0;
  add_body(scene, "second", Sphere{kRadius}, 2.0, {0.4, 0.0, 0.5}).linear_velocity.z() = 3.0;
  SceneJoint& rod = add_joint(scene, "rod", JointType::Distance, "first", "second",
                              Eigen::Vector3d::UnitZ(), {0.1, 0.0, 0.3});
  rod.child_at_W = {0.3, 0.0, 0.5};
  rod.length = std::hypot(0.2, 0.2);
  Simulator simulator(scene);
  int stabilized = 0;
  const int missed = run(simulator, [&](const StepReport& report) {
    stabilized += report.certificate.stabilization_work > 0.0;
    CHECK(report.solution.law.kind == LawKind::Impact);
  });
  CHECK(missed == 0);
  CHECK(stabilized >= 10);
}

TEST_CASE("Collisions take no time in which viscous friction could act, and refuse it") {
  Scene scene = impulse_based_scene(0.1, 0.3, 0.5);
  add_body(scene, "ball", Sphere{kRadius}, 1.0, {0.0, 0.0, 1.0});
  Simulator simulator(scene);
  const ContactChange drag{{}, {}, 0.5};
  CHECK_THROWS_WITH(simulator.change(material_change(simulator, "default", drag)),
                    Catch::Contains("no time to act"));
  // What was refused leaves the simulation as it was.
  CHECK(simulator.system().materials()[0].viscous_friction == 0.0);
  CHECK(run(simulator) == 0);
  scene.materials[0].viscous_friction = 0.5;
  CHECK_THROWS_WITH(Simulator(scene), Catch::Contains("no time to act"));
  scene.simulation.method = "hybrid";
  scene.simulation.model = "coulomb";
  Simulator hybrid(scene);
  CHECK(run(hybrid) == 0);
}

}  // namespace
}  // namespace amontons::test

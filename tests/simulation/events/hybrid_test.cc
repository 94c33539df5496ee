#include "amontons/simulation/simulator.h"
#include "tests/simulation/joint_scenes.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

// The hybrid method [Son, Trinkle, Amato 2001]: contacts bounce or are sustained, each by itself.

namespace amontons::test {
namespace {

constexpr double kStep = 0.01, kRadius = 0.1;

Scene hybrid_scene(double duration, double friction, double restitution,
                   const std::string& model = "coulomb") {
  Scene scene = empty_scene(kStep, duration, model);
  scene.simulation.method = "hybrid";
  default_material(scene, friction, restitution);
  add_ground(scene);
  return scene;
}

TEST_CASE("A ball bounces, then is steady, once, where its rebound falls below 2 g h") {
  const double e = 0.5, drop = 0.5;
  Scene scene = hybrid_scene(2.0, 0.3, e);
  add_body(scene, "ball", Sphere{kRadius}, 1.0, {0.0, 0.0, drop + kRadius});
  Simulator simulator(scene);
  const double rest = 2.0 * kGravity * kStep, speed = std::sqrt(2.0 * kGravity * drop);
  int bounces = 0, became_steady = 0, became_bouncing = 0;
  const int missed = run(simulator, [&](const StepReport& report) {
    became_steady += report.events.became_steady;
    became_bouncing += report.events.became_bouncing;
    if (!report.events.impact || report.events.steady) return;
    CHECK(report.solution.law.kind == LawKind::Impact);
    CHECK(report.solution.law.restitution == RestitutionLaw::Stronge);
    CHECK(report.solution.modes[0] == ContactMode::Impact);
    CHECK(velocity(simulator).z() == Approx(speed * std::pow(e, ++bounces)).epsilon(1e-6));
  });
  CHECK(missed == 0);
  CHECK(bounces == static_cast<int>(std::floor(std::log(speed / rest) / std::log(1.0 / e))));
  CHECK(became_steady == 1);
  CHECK(became_bouncing == 0);
  CHECK(std::abs(position(simulator).z() - kRadius) <= 1e-9);
  CHECK(std::abs(velocity(simulator).z()) <= 1e-9);
}

TEST_CASE("Where a lift meets a ball that is held, each step ends at once and says so") {
  const std::string method = GENERATE("hybrid", "event-driven", "impulse-based");
  Scene scene = hybrid_scene(0.05, 0.5, 0.0, method == "impulse-based" ? "mirtich" : "coulomb");
  scene.simulation.method = method;
  scene.simulation.steps = {0.001};
  add_body(scene, "ball", Sphere{kRadius}, 1.0, {0.0, 0.0, 0.31});
  add_body(scene, "plate", Box{{1.0, 1.0, 0.1}}, 1.0, {0.0, 0.0, 0.15});
  add_joint(scene, "weld", JointType::Fixed, "world", "ball", Eigen::Vector3d::UnitZ(),
            {0.0, 0.0, 0.31})
      .coordinates = Coordinates::Maximal;
  add_joint(scene, "lift", JointType::Prismatic, "world", "plate", Eigen::Vector3d::UnitZ(),
            Eigen::Vector3d::Zero());
  scene.joint_motions.push_back({.joint = "lift", .amplitude = 0.1, .period = 1.0, .where = {}});
  Simulator simulator(scene);
  int steps = 0, infeasible = 0;
  run(simulator, [&](const StepReport& report) {
    ++steps;
    infeasible += report.solution.status == SolveStatus::Infeasible ? 1 : 0;
  });
  CAPTURE(method, steps, infeasible);
  // The plate arrives after 16 ms; an impact and a motion in each step after that.
  CHECK(infeasible >= 34);
  CHECK(steps <= 50 + 36);
}

TEST_CASE("A ball that bounces on a box leaves the box where it stands") {
  Scene scene = hybrid_scene(1.0, 0.5, 0.0);
  scene.materials.push_back({"rubber", 0.5, 0.8, 0.0});
  scene.material_pairs.push_back({"default", "rubber", std::nullopt, 0.8, std::nullopt});
  add_body(scene, "box", Box{{0.5, 0.5, 0.2}}, 5.0, {0.0, 0.0, 0.1});
  add_body(scene, "ball", Sphere{kRadius}, 1.0, {0.0, 0.0, 0.7}).shapes[0].material = "rubber";
  Simulator simulator(scene);
  int impacts = 0, stops = 0;
  const int missed = run(simulator, [&](const StepReport& report) {
    if (!report.events.impact) return;
    if (!report.events.steady) {
      ++impacts;
      // The four contacts below take no part in what bounces.
      CHECK(report.problem.num_contacts() == 1);
      CHECK(report.end->v(5) < -0.1);
      return;
    }
    ++stops;
    CHECK(report.solution.law.kind == LawKind::Coulomb);
    for (const Contact& contact : report.problem.contacts) CHECK(contact.restitution == 0.0);
    CHECK(std::abs(report.end->v(5)) <= 1e-9);
  });
  CHECK(missed == 0);
  CHECK(impacts >= 2);
  // The last impacts press the box on the ground too softly to need a stop of their own.
  CHECK(stops >= 2);
  CHECK(simulator.state().q.segment<3>(4).isApprox(Eigen::Vector3d(0.0, 0.0, 0.1), 1e-7));
}

/// Makes a double pendulum that swings down on the ground with its tip.
Scene double_pendulum(Coordinates coordinates) {
  Scene scene = hybrid_scene(1.5, 0.4, 0.6);
  add_body(scene, "upper", Sphere{0.05}, 1.0, {0.5, 0.0, 1.0});
  add_body(scene, "lower", Sphere{0.05}, 1.0, {1.2, 0.0, 1.0});
  const auto add_hinge = [&](const char* name, const char* parent, const char* child, double x) {
    SceneJoint joint;
    joint.name = name;
    joint.parent = parent;
    joint.child = child;
    joint.axis_W = Eigen::Vector3d::UnitY();
    joint.at_W = {x, 0.0, 1.0};
    joint.coordinates = coordinates;
    scene.joints.push_back(joint);
  };
  add_hinge("shoulder", "world", "upper", 0.0);
  add_hinge("elbow", "upper", "lower", 0.5);
  return scene;
}

TEST_CASE("A double pendulum bounces on the ground, its joints keep and no energy is gained") {
  for (const Coordinates coordinates : {Coordinates::Reduced, Coordinates::Maximal}) {
    CAPTURE(coordinates == Coordinates::Reduced);
    Simulator simulator(double_pendulum(coordinates));
    int impacts = 0;
    double energy = 0.0, gained = 0.0, unexplained = 0.0, drift = 0.0;
    const int missed = run(simulator, [&](const StepReport& report) {
      const double now = report.energy.kinetic + report.energy.potential;
      if (report.events.impact) {
        ++impacts;
        gained = std::max(gained, now - energy);
      }
      energy = now;
      unexplained = std::max(unexplained, std::abs(report.energy.unexplained));
      drift = std::max(drift, report.certificate.infeasibility);
    });
    CHECK(missed == 0);
    CHECK(impacts >= 3);
    CHECK(gained <= 1e-10);
    CHECK(unexplained <= 1e-8);
    // gamma = 1 in time steps of joints that are rows: a step's own error.
    CHECK(drift <= (coordinates == Coordinates::Reduced ? 1e-6 : 0.02));
  }
}

TEST_CASE("A step whose answer will not do is halved, down to a sixteenth") {
  Scene scene = empty_scene(kStep, 0.02, "coulomb");
  scene.simulation.method = "hybrid";
  default_material(scene, 0.3);
  // No solution can reach this tolerance, because of rounding.
  scene.simulation.tolerance = 1e-300;
  const Eigen::Vector3d normal = Eigen::Vector3d(0.3, 0.2, 1.0).normalized();
  add_half_space(scene, "slope", normal);
  add_body(scene, "ball", Sphere{kRadius}, 1.0, kRadius * normal).angular_velocity.x() = 0.37;
  Simulator simulator(scene);
  const StepReport& report = simulator.step();
  CHECK_FALSE(report.certificate.holds);
  CHECK(report.step == Approx(kStep / 16.0));
  CHECK(report.events.arrival);
  run(simulator);
  CHECK(simulator.time() == Approx(0.02));
}

TEST_CASE("A crowd of balls bounces to rest by the hybrid, each step with the law asked") {
  Scene scene = empty_scene(0.005, 2.0, "coulomb");
  scene.simulation.method = "hybrid";
  default_material(scene, 0.3, 0.6);
  add_ground(scene);
  const double half = 0.26, radius = 0.05;
  for (const double side : {-1.0, 1.0}) {
    for (int axis = 0; axis < 2; ++axis) {
      const Eigen::Vector3d normal = side * Eigen::Vector3d::Unit(axis);
      add_half_space(scene, "wall" + std::to_string(scene.bodies.size()), normal, -half);
    }
  }
  for (int i = 0; i < 32; ++i) {
    // Positions that share no height and no row.
    const double x = 0.13 * (i % 4 - 1.5) + 0.01 * std::sin(7.0 * i);
    const double y = 0.13 * (i / 4 % 4 - 1.5) + 0.01 * std::cos(5.0 * i);
    const double z = 0.3 + 0.13 * (i / 16) + 0.01 * std::sin(3.0 * i);
    add_body(scene, "ball" + std::to_string(i), Sphere{radius}, 1.0, {x, y, z});
  }
  Simulator simulator(scene);
  int bounces = 0, steps = 0, other_laws = 0;
  double unexplained = 0.0;
  const int missed = run(simulator, [&](const StepReport& report) {
    ++steps;
    if (report.events.impact && !report.events.steady) ++bounces;
    if (report.solution.status != SolveStatus::Converged &&
        report.solution.status != SolveStatus::Acceptable) {
      ++other_laws;
    }
    unexplained = std::max(unexplained, std::abs(report.energy.unexplained));
  });
  CHECK(missed == 0);
  CHECK(other_laws == 0);
  CHECK(unexplained <= 1e-9);
  CHECK(bounces >= 150);
  // Two rows for each bounce and one for each instant, not one for each contact that comes or goes.
  CHECK(steps <= 400 + 4 * bounces);
}

TEST_CASE(
    "Between two instants the hybrid stops for two landings, the next ones land in the step") {
  Scene scene = hybrid_scene(0.5, 0.3, 0.0);
  const double drop = 0.1;
  // They land within one step, 1 ms apart.
  const double landing = std::sqrt(2.0 * drop / kGravity);
  for (int i = 0; i < 5; ++i) {
    const double fall = landing + 1e-3 * i;
    add_body(scene, "ball" + std::to_string(i), Sphere{kRadius}, 1.0,
             {static_cast<double>(i), 0.0, kRadius + 0.5 * kGravity * fall * fall});
  }
  Simulator simulator(scene);
  int arrivals = 0, stops = 0;
  const int missed = run(simulator, [&](const StepReport& report) {
    if (report.events.arrival) ++arrivals;
    if (report.events.impact) ++stops;
  });
  CHECK(missed == 0);
  CHECK(arrivals == 2);
  CHECK(stops == 2);
  for (Eigen::Index i = 0; i < 5; ++i) {
    CHECK(std::abs(simulator.state().q[7 * i + 6] - kRadius) <= 1e-9);
    CHECK(simulator.state().v.segment<6>(6 * i).norm() <= 1e-9);
  }
}

TEST_CASE("The hybrid takes a rebound for what the scene calls rest") {
  for (const double rest_speed : {0.1, 0.5, 2.0}) {
    Scene scene = hybrid_scene(1.2, 0.3, 0.5);
    scene.simulation.rest_speed = rest_speed;
    add_body(scene, "ball", Sphere{kRadius}, 1.0, {0.0, 0.0, 0.5 + kRadius});
    Simulator simulator(scene);
    double slowest = 10.0;
    run(simulator, [&](const StepReport& report) {
      if (report.events.impact && !report.events.steady) {
        slowest = std::min(slowest, velocity(simulator).z());
      }
    });
    CHECK(slowest > rest_speed);
    if (rest_speed < 1.5) CHECK(slowest <= 2.0 * rest_speed);
  }
}

TEST_CASE(
    "Overlaps in a crowd open over steps of the scene, however short a motion between events") {
  // Motions up to an event are as short as 1e-8 s. An overlap of a micrometre that opens within one
  // parts bodies at any speed.
  Scene scene = hybrid_scene(0.35, 0.3, 0.6);
  scene.simulation.steps = {0.005};
  for (const Eigen::Vector3d& inward : {Eigen::Vector3d(1, 0, 0), Eigen::Vector3d(-1, 0, 0),
                                        Eigen::Vector3d(0, 1, 0), Eigen::Vector3d(0, -1, 0)}) {
    add_half_space(scene, "wall" + std::to_string(scene.bodies.size()), inward, -0.3);
  }
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> offset(-0.01, 0.01);
  for (int k = 0; k < 48; ++k) {
    const Eigen::Vector3d place(-0.2 + 0.13 * (k / 4 % 4) + offset(random),
                                -0.2 + 0.13 * (k % 4) + offset(random), 0.1 + 0.14 * (k / 16));
    const Shape shape = k % 6 == 0 ? Shape(Box{{0.08, 0.07, 0.06}}) : Shape(Sphere{0.05});
    add_body(scene, "b" + std::to_string(k), shape, 1.0, place);
  }
  Simulator simulator(scene);
  double stabilization = 0.0;
  int other_laws = 0;
  const int missed = run(simulator, [&](const StepReport& report) {
    stabilization += report.energy.stabilization;
    other_laws += report.solution.status == SolveStatus::Converged ? 0 : 1;
  });
  CHECK(missed == 0);
  CHECK(other_laws == 0);
  // Removed motion by motion, they put half a joule into the bodies.
  CHECK(stabilization < 0.02);
}

}  // namespace
}  // namespace amontons::test

#include "amontons/simulation/stepping/correction_limits.h"
#include "amontons/simulation/system/kinematics.h"
#include "tests/simulation/joint_scenes.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <string>

// Loops that start open: they close at overlap_speed, and no point of a body moves faster.

namespace amontons::test {
namespace {

const Eigen::Vector3d kX = Eigen::Vector3d::UnitX(), kY = Eigen::Vector3d::UnitY();

// Adds a rod in the x-z plane without shapes.
void add_rod(Scene& scene, const std::string& name, const Eigen::Vector3d& from,
             const Eigen::Vector3d& to) {
  const double l = (to - from).norm();
  SceneBody& rod =
      add_mass(scene, name, l, {1e-3 * l, l * l * l / 12.0, l * l * l / 12.0}, 0.5 * (from + to));
  const Eigen::Vector3d x = (to - from) / l;
  rod.pose.rotation.col(0) = x;
  rod.pose.rotation.col(1) = kY;
  rod.pose.rotation.col(2) = x.cross(kY);
}

// Returns the largest speed of the ends of all rods of a length [m/s].
double fastest_end(const Simulator& simulator, double length) {
  const System& system = simulator.system();
  SystemKinematics at;
  compute_kinematics(system, simulator.state().q, simulator.state().v, 0.0, at);
  double fastest = 0.0;
  for (std::size_t body = 0; body < system.bodies().size(); ++body) {
    if (system.bodies()[body].articulation < 0) continue;
    for (const double x : {-0.5 * length, 0.5 * length}) {
      const Eigen::Vector3d p = at.X_WB[body] * Eigen::Vector3d(x, 0.0, 0.0);
      fastest = std::max(fastest,
                         body_velocity(system, at, static_cast<int>(body), p, simulator.state().v)
                             .tail<3>()
                             .norm());
    }
  }
  return fastest;
}

// Three bars between two pivots. The last joint starts open by an offset.
Scene three_bars(Coordinates coordinates, const Eigen::Vector3d& offset, double step) {
  Scene scene = empty_scene(step, 0.5, "coulomb");
  scene.gravity.setZero();
  const Eigen::Vector3d a(0.0, 0.0, 0.0), b(0.1, 0.0, 0.5), c(0.6, 0.0, 0.55), d(0.7, 0.0, 0.05);
  add_rod(scene, "left", a, b);
  add_rod(scene, "middle", b, c);
  add_rod(scene, "right", c + offset, d + offset);
  add_joint(scene, "A", JointType::Continuous, "world", "left", kY, a);
  add_joint(scene, "B", JointType::Continuous, "left", "middle", kY, b);
  add_joint(scene, "C", JointType::Continuous, "middle", "right", kY, c);
  add_joint(scene, "D", JointType::Continuous, "world", "right", kY, d + offset);
  for (SceneJoint& joint : scene.joints) joint.coordinates = coordinates;
  scene.joints[2].coordinates = Coordinates::Maximal;
  scene.joints[2].error = offset;
  return scene;
}

}  // namespace

TEST_CASE("Three bars that start open close at overlap_speed, and rest then") {
  for (const Coordinates coordinates : {Coordinates::Reduced, Coordinates::Maximal}) {
    for (const double step : {5e-3, 1e-3, 1e-4}) {
      Scene scene = three_bars(coordinates, {0.2, 0.0, 0.02}, step);
      scene.simulation.overlap_speed = 1.5;
      Simulator simulator(scene);
      double fastest = 0.0;
      int missed = 0;
      while (!simulator.finished()) {
        missed += simulator.step().certificate.holds ? 0 : 1;
        fastest = std::max(fastest, fastest_end(simulator, 0.5));
      }
      CAPTURE(coordinates == Coordinates::Reduced, step, fastest);
      CHECK(fastest > 0.3);  // the loop closes
      CHECK(fastest <= 1.6);
      CHECK(missed == 0);
      CHECK(simulator.last_report()->certificate.infeasibility <= 1e-6);
    }
  }
}

TEST_CASE("A distance joint that starts too long is no sling") {
  Scene scene = empty_scene(1e-3, 0.5, "coulomb");
  scene.gravity.setZero();
  add_mass(scene, "bob", 0.3, {1e-4, 1e-4, 1e-4}, {0.0, 0.0, -0.7});
  SceneJoint& rod =
      add_joint(scene, "rod", JointType::Distance, "world", "bob", kX, Eigen::Vector3d::Zero());
  rod.child_at_W = {0.0, 0.02, -0.72};
  rod.length = 0.5;
  Simulator simulator(scene);
  double fastest = 0.0;
  CHECK(run(simulator, [&](const StepReport& report) {
          fastest = std::max(fastest, report.solution.velocity.tail<3>().norm());
        }) == 0);
  CHECK(fastest <= 3.0 * (1.0 + 1e-9));
  CHECK(simulator.last_report()->certificate.infeasibility <= 1e-3);  // h^2 v^2 over an arm of 3 cm
}

// A long arm whose joint starts turned by one radian: the tip moves, not the joint.
TEST_CASE("An angle that starts wrong turns a long arm no faster than overlap_speed at its tip") {
  Scene scene = empty_scene(1e-3, 3.0, "coulomb");
  scene.gravity.setZero();
  const double length = 4.0;
  add_rod(scene, "arm", {0.0, 0.0, 0.0}, {length, 0.0, 0.0});
  add_joint(scene, "hinge", JointType::Revolute, "world", "arm", kY, Eigen::Vector3d::Zero());
  JointCoupling held;
  held.name = "held";
  held.joint = "hinge";
  held.curve.offset = 1.0;
  scene.couplings.push_back(held);
  scene.simulation.overlap_speed = 3.0;
  Simulator simulator(scene);
  double fastest = 0.0;
  int missed = 0;
  while (!simulator.finished()) {
    missed += simulator.step().certificate.holds ? 0 : 1;
    fastest = std::max(fastest, fastest_end(simulator, length));
  }
  CHECK(missed == 0);
  CHECK(fastest > 0.75);
  CHECK(fastest <= 3.0);
  CHECK(std::abs(joint_position(simulator, "hinge") - 1.0) <= 1e-9);
}

TEST_CASE("A coupling that limits hold open misses the certificate, for turns and for travels") {
  const bool turns = GENERATE(true, false);
  const std::string method = GENERATE("time-stepping", "event-driven");
  const double open = GENERATE(0.05, 0.5);  // of its lever
  Scene scene = empty_scene(0.002, 0.6, "coulomb");
  scene.simulation.method = method;
  scene.gravity.setZero();
  const double length = 0.2;  // radius of gyration [m]
  add_mass(scene, "bob", 1.0, Eigen::Vector3d::Constant(length * length), {0.0, 0.0, 0.0});
  const double unit = turns ? 1.0 : std::sqrt(1.5) * length;
  SceneJoint& joint = add_joint(scene, "joint", turns ? JointType::Revolute : JointType::Prismatic,
                                "world", "bob", kX, Eigen::Vector3d::Zero());
  joint.dynamics.limits = std::array{-0.1 * unit, 0.1 * unit};
  JointCoupling held;
  held.name = "held";
  held.joint = "joint";
  held.curve.offset = (0.1 + open) * unit;
  scene.couplings.push_back(held);
  Simulator simulator(scene);
  run(simulator);
  const Certificate& last = simulator.last_report()->certificate;
  CAPTURE(turns, method, open, last.loop.value);
  CHECK(last.loop.value == Approx(open).epsilon(1e-3));
  CHECK(last.holds == (open < 0.1));
}

TEST_CASE("A coupling whose curve a step leaves behind misses the certificate") {
  Scene scene = empty_scene(0.05, 0.1, "coulomb");
  scene.gravity.setZero();
  for (const std::string name : {"a", "b"}) {
    add_mass(scene, name, 1.0, Eigen::Vector3d::Constant(0.1), {0.0, name == "a" ? 0.0 : 2.0, 0.0});
    add_joint(scene, "joint-" + name, JointType::Revolute, "world", name, kX,
              Eigen::Vector3d(0.0, name == "a" ? 0.0 : 2.0, 0.0));
  }
  scene.joints.back().rate = 10.0;
  JointCoupling squared;
  squared.name = "squared";
  squared.joint = "joint-a";
  squared.reference = "joint-b";
  squared.curve.multiplier = 0.0;
  squared.curve.powers[0] = 1.0;
  scene.couplings.push_back(squared);
  Simulator simulator(scene);
  const StepReport& report = simulator.step();
  CAPTURE(report.certificate.loop.value);
  CHECK(report.certificate.loop.value > 0.1);
  CHECK(!report.certificate.holds);
}

// Two distance joints of different lengths between the same two points contradict each other.
TEST_CASE("Loops that contradict each other end between their targets, without energy") {
  Scene scene = empty_scene(1e-3, 1.0, "coulomb");
  scene.gravity.setZero();
  add_mass(scene, "bob", 0.3, {1e-4, 1e-4, 1e-4}, {0.3, 0.0, -0.4});
  for (const double length : {0.5, 0.6}) {
    SceneJoint& rod = add_joint(scene, "rod" + std::to_string(length), JointType::Distance, "world",
                                "bob", kX, Eigen::Vector3d::Zero());
    rod.child_at_W = {0.3, 0.0, -0.4};
    rod.length = length;
  }
  Simulator simulator(scene);
  CHECK(run(simulator) > 0);  // never closed, and never called so
  // Least squares of both errors.
  CHECK(position(simulator).norm() == Approx(0.55).epsilon(1e-6));
  CHECK(simulator.last_report()->energy.kinetic <= 1e-12);
}

TEST_CASE("overlap_speed is relative to the size of the bodies") {
  for (const double radius : {0.01, 0.1, 5.0}) {
    Scene scene = empty_scene(1e-3, 1.0);
    add_body(scene, "ball", Sphere{radius}, 1.0, {0.0, 0.0, radius});
    add_ground(scene);
    CHECK(default_overlap_speed(System(scene)) == Approx(std::min(3.0, 10.0 * radius)));
  }
}

TEST_CASE("A distance joint that no motion can close at first order starts, and is told") {
  // The rod is in line with the hinge and the anchor: at a dead center no velocity changes its
  // length, which is half a meter off.
  const std::string model = GENERATE("coulomb", "anitescu-hart", "no-slip");
  const int links = GENERATE(1, 2);
  CAPTURE(model, links);
  Scene scene = empty_scene(2e-3, 0.1, model);
  scene.gravity.setZero();
  for (int i = 0; i < links; ++i) {
    const Eigen::Vector3d from(static_cast<double>(i) / links, 0.0, 0.0);
    add_rod(scene, "rod" + std::to_string(i), from, from + kX / links);
    add_joint(scene, "hinge" + std::to_string(i), JointType::Revolute,
              i == 0 ? "world" : "rod" + std::to_string(i - 1), "rod" + std::to_string(i), kY,
              from);
  }
  SceneJoint& bar = add_joint(scene, "bar", JointType::Distance, "world",
                              "rod" + std::to_string(links - 1), kY, 2.0 * kX);
  bar.child_at_W = kX;
  bar.length = 0.5;
  Simulator simulator(scene);
  const StepReport& report = simulator.step();
  CHECK_FALSE(report.certificate.holds);
  CHECK(simulator.state().v.allFinite());
  CHECK(simulator.state().v.norm() <= 1e-9);
}

TEST_CASE("A joint that closes a loop has no start of its own") {
  const Scene whole = three_bars(Coordinates::Reduced, Eigen::Vector3d::Zero(), 2e-3);
  Scene scene = whole;
  scene.joints[3].error = {0.1, 0.0, 0.0};
  CHECK_THROWS_WITH(Simulator(scene), Catch::Contains("'error'") && Catch::Contains("'D'"));
  scene = whole;
  scene.joints[3].position = 0.4;
  CHECK_THROWS_WITH(Simulator(scene), Catch::Contains("'position'"));
  scene = whole;
  scene.joints[3].rate = 3.0;
  CHECK_THROWS_WITH(Simulator(scene), Catch::Contains("'rate'"));
}

}  // namespace amontons::test

#include "amontons/simulation/system/kinematics.h"
#include "tests/simulation/joint_scenes.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>

// Joint limits as events: arrivals are found in time, impacts take none.

namespace amontons {
namespace {

/// Makes a slider along z between limits, which falls from `height` above its lower one.
Scene falling_slider(const std::string& method, double height, double restitution) {
  Scene scene = test::empty_scene(0.01, 1.0, "coulomb");
  scene.simulation.method = method;
  test::add_mass(scene, "slider", 0.7, {0.01, 0.01, 0.01}, {0.0, 0.0, 1.0});
  SceneJoint& joint = test::add_joint(scene, "rail", JointType::Prismatic, "world", "slider",
                                      Eigen::Vector3d::UnitZ(), {0.0, 0.0, 1.0});
  joint.dynamics.limits = {-height, 10.0 * height};
  joint.dynamics.limit_restitution = restitution;
  return scene;
}

/// Returns the height above the stop at a time, of a fall from rest that bounces.
double bouncing_height(double time, double height, double restitution) {
  double fall = std::sqrt(2.0 * height / test::kGravity), start = -fall;
  for (double speed = test::kGravity * fall; speed > 1e-9; speed *= restitution) {
    // Each flight begins at the stop; the first began above it.
    const double duration = 2.0 * speed / test::kGravity;
    if (time < start + duration) {
      const double since = time - start;
      return speed * since - 0.5 * test::kGravity * since * since;
    }
    start += duration;
  }
  return 0.0;
}

/// Makes a body in space that carries an arm and a hand, whose joints run between elastic stops.
Scene floating_arm(const std::string& method) {
  const bool by_collisions = method == "impulse-based";
  Scene scene = test::empty_scene(0.005, 4.0, by_collisions ? "mirtich" : "coulomb");
  scene.simulation.method = method;
  scene.gravity.setZero();
  SceneBody& trunk = test::add_mass(scene, "trunk", 2.0, {0.013, 0.015, 0.011}, {0.0, 0.0, 1.0});
  trunk.angular_velocity = {0.3, -1.2, 0.5};
  trunk.linear_velocity = {0.1, 0.0, -0.2};
  test::add_mass(scene, "arm", 1.0, {0.002, 0.014, 0.014}, {0.4, 0.0, 1.0});
  test::add_mass(scene, "hand", 0.3, {0.0005, 0.0005, 0.0005}, {0.8, 0.0, 1.0});
  SceneJoint& hinge = test::add_joint(scene, "hinge", JointType::Revolute, "trunk", "arm",
                                      Eigen::Vector3d::UnitY(), {0.1, 0.0, 1.0});
  hinge.dynamics.limits = {-0.5, 0.5};
  hinge.dynamics.limit_restitution = 1.0;
  hinge.rate = 3.0;
  SceneJoint& wrist = test::add_joint(scene, "wrist", JointType::Revolute, "arm", "hand",
                                      Eigen::Vector3d::UnitZ(), {0.65, 0.0, 1.0});
  wrist.dynamics.limits = {-0.3, 0.4};
  wrist.dynamics.limit_restitution = 1.0;
  wrist.rate = -2.0;
  return scene;
}

double kinetic_energy_of(const Simulator& simulator) {
  const State& state = simulator.state();
  SystemKinematics kinematics;
  compute_kinematics(simulator.system(), state.q, state.v, state.time, kinematics);
  return kinetic_energy(simulator.system(), kinematics);
}

}  // namespace

TEST_CASE("A slider bounces on its stop as the closed form says") {
  // The hybrid method ends bounces sooner, at its rest_speed.
  for (const double height : {0.3, 3e-4}) {
    Simulator simulator(falling_slider("event-driven", height, 0.6));
    double worst = 0.0;
    int num_impacts = 0;
    const int missed = test::run(simulator, [&](const StepReport& report) {
      num_impacts += report.events.impact;
      const double found = test::joint_position(simulator, "rail") + height;
      worst = std::max(worst, std::abs(found - bouncing_height(report.end->time, height, 0.6)));
    });
    CAPTURE(height, worst, num_impacts);
    CHECK(missed == 0);
    CHECK(worst <= 1e-9);
    CHECK(num_impacts >= 10);
  }
}

TEST_CASE("Elastic stops within a floating tree keep its energy and its momentum") {
  for (const char* method : {"event-driven", "hybrid", "impulse-based"}) {
    Simulator simulator(floating_arm(method));
    const double before = kinetic_energy_of(simulator);
    int num_impacts = 0;
    double beyond = -1.0;
    const int missed = test::run(simulator, [&](const StepReport& report) {
      num_impacts += report.events.impact;
      for (const auto& [joint, lower, upper] :
           {std::tuple{"hinge", -0.5, 0.5}, std::tuple{"wrist", -0.3, 0.4}}) {
        const double position = test::joint_position(simulator, joint);
        beyond = std::max({beyond, lower - position, position - upper});
      }
    });
    const double after = kinetic_energy_of(simulator);
    CAPTURE(method, before, after, num_impacts, beyond);
    CHECK(missed == 0);
    CHECK(num_impacts >= 20);
    CHECK(std::abs(after - before) <= 1e-10 * before);
    CHECK(beyond <= 1e-11);
  }
}

TEST_CASE("A joint that turns back beyond its stop within a step strikes it") {
  // A spring throws the slider 1e-4 m beyond the stop, and back, within a tenth of a step.
  Scene scene = test::empty_scene(0.1, 0.6, "coulomb");
  scene.simulation.method = "event-driven";
  scene.simulation.events.integrator = Integrator::RungeKutta4;
  scene.gravity.setZero();
  test::add_mass(scene, "slider", 1.0, {0.01, 0.01, 0.01}, {0.0, 0.0, 0.0});
  SceneJoint& rail = test::add_joint(scene, "rail", JointType::Prismatic, "world", "slider",
                                     Eigen::Vector3d::UnitX(), Eigen::Vector3d::Zero());
  rail.dynamics.limits = {-1.0, 0.0999};
  rail.dynamics.stiffness = 25.0;
  rail.rate = 0.5;
  Simulator simulator(scene);
  int num_impacts = 0;
  double furthest = 0.0;
  test::run(simulator, [&](const StepReport& report) {
    num_impacts += report.events.impact;
    furthest = std::max(furthest, test::joint_position(simulator, "rail"));
  });
  CAPTURE(num_impacts, furthest);
  CHECK(num_impacts == 1);
  CHECK(furthest <= 0.0999 + 1e-11);
  CHECK(furthest >= 0.0999 - 1e-11);
}

TEST_CASE("Contacts that fix a joint do not collide by rounding while the bodies tumble") {
  // The arm's face lies on the trunk's, so that the hinge between them cannot turn.
  Scene scene = test::empty_scene(0.005, 1.0, "coulomb");
  scene.simulation.method = "event-driven";
  scene.gravity.setZero();
  test::add_body(scene, "trunk", Box{{0.2, 0.2, 0.2}}, 2.0, {0.0, 0.0, 1.0}).angular_velocity = {
      0.3, 0.2, 0.5};
  test::add_body(scene, "arm", Box{{0.4, 0.1, 0.1}}, 1.0, {0.3, 0.0, 1.0});
  test::add_joint(scene, "hinge", JointType::Revolute, "trunk", "arm", Eigen::Vector3d::UnitY(),
                  {0.1, 0.0, 1.0})
      .rate = 3.0;
  Simulator simulator(scene);
  int num_impacts = 0;
  const int missed = test::run(
      simulator, [&num_impacts](const StepReport& report) { num_impacts += report.events.impact; });
  CHECK(missed == 0);
  CHECK(num_impacts <= 2);
}

}  // namespace amontons

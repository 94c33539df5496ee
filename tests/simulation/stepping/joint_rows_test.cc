#include "amontons/models/common/contact_model.h"
#include "tests/simulation/scenes.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

// Dry friction, limits and effort bounds of joints in motion, with contacts and without.

namespace amontons::test {
namespace {

/// Makes a point-like bob of 1 kg on a rod of 1 m that starts level; positive angles are below.
Scene pendulum(double step, double duration, const std::string& model) {
  Scene scene = empty_scene(step, duration, model);
  SceneBody bob;
  bob.name = "bob";
  bob.inertia = {1.0, Eigen::Vector3d::Zero(), 1e-3 * Eigen::Matrix3d::Identity()};
  bob.pose.translation = {1.0, 0.0, 0.0};
  scene.bodies.push_back(bob);
  SceneJoint joint;
  joint.name = "hinge";
  joint.parent = "world";
  joint.child = "bob";
  joint.axis_W = Eigen::Vector3d::UnitY();
  scene.joints.push_back(joint);
  return scene;
}

/// Makes a cube of 1 kg and 0.2 m on a slider along x, starting at 0.
Scene slider(double step, double duration, const std::string& model) {
  Scene scene = empty_scene(step, duration, model);
  add_body(scene, "cube", Box{{0.2, 0.2, 0.2}}, 1.0, {0.0, 0.0, 1.0});
  SceneJoint joint;
  joint.name = "rail";
  joint.type = JointType::Prismatic;
  joint.parent = "world";
  joint.child = "cube";
  joint.axis_W = Eigen::Vector3d::UnitX();
  scene.joints.push_back(joint);
  return scene;
}

}  // namespace

TEST_CASE("A pendulum whose joint friction exceeds gravity's torque stays, whatever the step") {
  for (const double step : {1e-3, 1e-2, 1e-1}) {
    Scene scene = pendulum(step, 100.0 * step, "coulomb");
    scene.joints[0].dynamics.coulomb_friction = 10.0;
    Simulator simulator(scene);
    double work = 0.0;
    CHECK(run(simulator, [&](const StepReport& report) {
            work += std::abs(report.energy.joint_friction) + std::abs(report.energy.unexplained);
            CHECK(std::abs(report.solution.bounded_impulses(0) + step * kGravity) < 1e-14);
          }) == 0);
    CHECK(std::abs(simulator.state().q[0]) < 1e-15);
    CHECK(std::abs(simulator.state().v[0]) < 1e-15);
    CHECK(work < 1e-14);
  }
}

TEST_CASE("A rotor coasts down at the rate of its dry friction, stops, and stays") {
  const double h = 0.01, mu_c = 0.3;
  Scene scene = pendulum(h, 3.0, "coulomb");
  scene.gravity.setZero();
  scene.joints[0].rate = 0.5;
  scene.joints[0].dynamics.coulomb_friction = mu_c;
  Simulator simulator(scene);
  const double inertia = 1.0 + 1e-3;
  double lost = 0.0;
  int step = 0;
  CHECK(run(simulator, [&](const StepReport& report) {
          ++step;
          const double expected = std::max(0.0, 0.5 - step * h * mu_c / inertia);
          CHECK(std::abs(report.end->v[0] - expected) < 1e-13);
          lost -= report.energy.joint_friction;
        }) == 0);
  CHECK(std::abs(lost - 0.5 * inertia * 0.25) < 1e-12);
  CHECK(simulator.state().v[0] == 0.0);
}

TEST_CASE("A pendulum falls on its limit and rests there, under every model") {
  for (const std::string& model : model_names()) {
    Scene scene = pendulum(0.01, 2.0, model);
    scene.joints[0].dynamics.limits = {{-0.2, 0.7}};
    Simulator simulator(scene);
    double largest = 0.0;
    CAPTURE(model);
    CHECK(run(simulator, [&](const StepReport& report) {
            largest = std::max(largest, report.certificate.infeasibility);
          }) == 0);
    CHECK(largest < 1e-12);
    CHECK(std::abs(simulator.state().q[0] - 0.7) < 1e-12);
    CHECK(std::abs(simulator.state().v[0]) < 1e-12);
  }
}

TEST_CASE("A slider comes off its limit with the share of its speed that restitution gives") {
  for (const std::string& model : model_names()) {
    Scene scene = slider(0.01, 1.0, model);
    scene.gravity.setZero();
    scene.joints[0].rate = -1.0;
    scene.joints[0].dynamics.limits = {{-0.255, 10.0}};
    scene.joints[0].dynamics.limit_restitution = 0.5;
    Simulator simulator(scene);
    double impact = 0.0;
    CAPTURE(model);
    CHECK(run(simulator, [&](const StepReport& report) { impact += report.energy.impacts; }) == 0);
    CHECK(std::abs(simulator.state().v[0] - 0.5) < 1e-9);
    CHECK(std::abs(impact + 0.375) < 1e-9);
  }
}

TEST_CASE("A servo that a wall blocks pushes with its effort limit, and goes on when it is free") {
  for (const std::string& model : model_names()) {
    Scene scene = slider(0.01, 1.0, model);
    scene.gravity.setZero();
    default_material(scene, 0.3);
    add_half_space(scene, "wall", -Eigen::Vector3d::UnitX(), -0.15);
    // Free, the stiff servo would be at its target at once, with little effort.
    scene.servos.push_back({"rail", 0.5, 0.0, 4000.0, 200.0, EffortRange::symmetric(12.0), {}});
    Simulator simulator(scene);
    double push = 0.0, largest = 0.0;
    CAPTURE(model);
    CHECK(run(simulator, [&](const StepReport& report) {
            push = 0.0;
            for (std::size_t i = 0; i < report.problem.num_contacts(); ++i) {
              push += report.solution.impulses(ContactProblem::row(i) + 2) / report.step;
            }
            largest = std::max(largest, push);
          }) == 0);
    CHECK(std::abs(push - 12.0) < 1e-8);
    // Without stabilization the overlap of the first impact stays.
    const double overlap = model == "anitescu-potra" ? 0.01 : 1e-9;
    CHECK(std::abs(simulator.state().q[0] - 0.05) < overlap);
  }
}

TEST_CASE("A servo at its effort limit accelerates as a constant force, then is implicit again") {
  const double h = 0.01;
  Scene scene = slider(h, 4.0, "coulomb");
  scene.gravity.setZero();
  scene.servos.push_back({"rail", 1.0, 0.0, 100.0, 20.0, EffortRange::symmetric(2.0), {}});
  Simulator simulator(scene);
  int saturated = 0, implicit = 0;
  CHECK(run(simulator, [&](const StepReport& report) {
          const double change = report.end->v[0] - report.start->v[0];
          if (report.problem.bounded_rows.empty()) {
            ++implicit;
            const double effort = 100.0 * (1.0 - report.end->q[0]) - 20.0 * report.end->v[0];
            CHECK(std::abs(change - h * effort) < 1e-12);
            CHECK(std::abs(effort) <= 2.0 + 1e-9);
          } else if (std::abs(report.solution.bounded_impulses(0)) == h * 2.0) {
            ++saturated;
            CHECK(std::abs(std::abs(change) - h * 2.0) < 1e-13);
          }
        }) == 0);
  CHECK(saturated > 10);
  CHECK(implicit > 10);
  CHECK(std::abs(simulator.state().q[0] - 1.0) < 1e-3);
}

TEST_CASE("A box on a cart: the cart's rail friction holds both, or both slide as one") {
  for (const std::string& model : model_names()) {
    if (model == "frictionless" || model == "viscous") continue;  // nothing holds the box there
    for (const double rail_friction : {4.1, 3.0}) {
      Scene scene = slider(0.01, 0.5, model);
      scene.gravity = {2.0, 0.0, -9.6};
      default_material(scene, 0.6);
      add_body(scene, "box", Box{{0.1, 0.1, 0.1}}, 1.0, {0.0, 0.0, 1.15});
      scene.joints[0].dynamics.coulomb_friction = rail_friction;
      Simulator simulator(scene);
      CAPTURE(model, rail_friction);
      CHECK(run(simulator) == 0);
      const double speed = 0.5 * std::max(0.0, (4.0 - rail_friction) / 2.0);
      CHECK(std::abs(simulator.state().v[0] - speed) < 1e-8);
      CHECK(std::abs(simulator.state().v[4] - speed) < 1e-8);
    }
  }
}

}  // namespace amontons::test

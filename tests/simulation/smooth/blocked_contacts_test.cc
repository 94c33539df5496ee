#include "amontons/math/rotation.h"
#include "tests/simulation/joint_scenes.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>

// Contacts by forces [Drumwright 2015, secs. III-B and IV] whose normal or tangent lies along a
// direction that the joints block. Their rows of J_C are zero but for rounding, in any orientation.

namespace amontons::test {
namespace {

const Eigen::Vector3d kX = Eigen::Vector3d::UnitX(), kY = Eigen::Vector3d::UnitY(),
                      kZ = Eigen::Vector3d::UnitZ();

constexpr double kRadius = 0.1, kGroundSlope = 3.0;

/// Turns a scene that is written with the ground's normal along z.
struct Turned {
  Eigen::Matrix3d R;
  Scene scene;

  void turn() {
    scene.gravity = R * scene.gravity;
    for (SceneBody& body : scene.bodies) {
      body.pose = Pose{R, Eigen::Vector3d::Zero()} * body.pose;
    }
    for (SceneJoint& joint : scene.joints) {
      joint.axis_W = R * joint.axis_W;
      joint.at_W = R * joint.at_W;
    }
  }
};

/// Returns a rotation; the first is none, where rows vanish exactly.
Eigen::Matrix3d orientation(int k, std::mt19937& engine) {
  std::normal_distribution<double> normal;
  const Eigen::Vector3d w(normal(engine), normal(engine), normal(engine));
  return k == 0 ? Eigen::Matrix3d(Eigen::Matrix3d::Identity()) : rotation_from_vector(w);
}

/// Runs a scene in random orientations, by both laws and integrators.
/// @param fill   adds bodies and joints to a scene with the ground's normal along z.
/// @param check  checks a finished simulation.
void run_in_any_orientation(double mu, double viscous, const std::function<void(Scene&)>& fill,
                            const std::function<void(const Simulator&)>& check) {
  std::mt19937 engine(20);
  for (const SustainedContact law :
       {SustainedContact::CoulombAcceleration, SustainedContact::ViscousAcceleration}) {
    for (const Integrator integrator : {Integrator::RungeKutta4, Integrator::DormandPrince}) {
      for (int k = 0; k < 1 + num_cases(400); ++k) {
        const bool is_viscous = law == SustainedContact::ViscousAcceleration;
        CAPTURE(is_viscous, static_cast<int>(integrator), k);
        Turned turned{orientation(k, engine),
                      empty_scene(1e-3, 0.05, is_viscous ? "viscous" : "coulomb")};
        Scene& scene = turned.scene;
        scene.simulation.method = "event-driven";
        scene.simulation.events.integrator = integrator;
        scene.simulation.events.sustained = law;
        if (is_viscous) scene.simulation.events.impact_model = "viscous";
        scene.gravity = {kGroundSlope, 4.0, -9.0};
        scene.materials = {{"default", is_viscous ? 0.0 : mu, 0.0, viscous}};
        add_ground(scene);
        fill(scene);
        turned.turn();
        Simulator simulator(scene);
        CHECK(run(simulator, [](const StepReport& report) {
                CHECK(report.events.by_forces > 0);
                CHECK(std::abs(report.energy.integration) < 1e-10);
              }) == 0);
        check(simulator);
      }
    }
  }
}

/// Adds a ball that touches the ground above the origin, on a joint there.
SceneJoint& add_ball(Scene& scene, JointType type, const Eigen::Vector3d& axis) {
  add_body(scene, "ball", Sphere{kRadius}, 1.7, {0.0, 0.0, kRadius});
  return add_joint(scene, "joint", type, "world", "ball", axis, {0.0, 0.0, kRadius});
}

}  // namespace

TEST_CASE("A slider on a rail along a plane moves as without the plane") {
  const double mu = GENERATE(0.0, 0.4), viscous = GENERATE(0.0, 2.0), rate = GENERATE(1.0, 0.0);
  // The rail takes the load: on the plane there is neither load nor friction.
  const double angle = GENERATE(0.0, 0.7);
  run_in_any_orientation(
      mu, viscous,
      [&](Scene& scene) {
        add_ball(scene, JointType::Prismatic, {std::cos(angle), std::sin(angle), 0.0}).rate = rate;
      },
      [&](const Simulator& simulator) {
        const double a = kGroundSlope * std::cos(angle) + 4.0 * std::sin(angle);
        CHECK(joint_rate(simulator, "joint") == Approx(rate + 0.05 * a).epsilon(1e-12));
      });
}

TEST_CASE("A wheel on a fixed axle keeps its rate on the floor that it touches") {
  const double mu = GENERATE(0.0, 0.4), viscous = GENERATE(0.0, 2.0);
  run_in_any_orientation(
      mu, viscous, [](Scene& scene) { add_ball(scene, JointType::Continuous, kY).rate = 5.0; },
      [](const Simulator& simulator) {
        CHECK(joint_rate(simulator, "joint") == Approx(5.0).epsilon(1e-12));
      });
}

TEST_CASE("A puck on a planar joint along a plane moves and turns as without the plane") {
  const double mu = GENERATE(0.0, 0.4), viscous = GENERATE(0.0, 2.0);
  run_in_any_orientation(
      mu, viscous,
      [](Scene& scene) {
        scene.gravity.setZero();
        add_ball(scene, JointType::Planar, kZ).rates = Eigen::Vector3d(1.0, 0.5, 2.0);
      },
      [](const Simulator& simulator) {
        CHECK((simulator.state().v - Eigen::Vector3d(1.0, 0.5, 2.0)).norm() < 1e-12);
      });
}

TEST_CASE("A linkage that lies on a table keeps its energy") {
  // Boxes touch at four corners each, more contacts than are enumerated.
  const bool is_box = GENERATE(false, true);
  const double mu = GENERATE(0.0, 0.4);
  run_in_any_orientation(
      mu, 0.0,
      [&](Scene& scene) {
        scene.gravity.setZero();
        const Eigen::Matrix3d lying = rotation_from_vector(0.5 * kPi * kY);
        for (int i = 0; i < 3; ++i) {
          const std::string name(1, static_cast<char>('a' + i));
          const Eigen::Vector3d at(0.3 * i, 0.1 * i, 0.03);
          SceneBody& body = is_box ? add_body(scene, name, Box{{0.2, 0.05, 0.06}}, 1.0, at)
                                   : add_body(scene, name, Capsule{0.03, 0.1}, 1.0, at);
          if (!is_box) body.pose.rotation = lying;
          add_joint(scene, "joint-" + name, JointType::Continuous,
                    i == 0 ? "world" : std::string(1, static_cast<char>('a' + i - 1)), name, kZ,
                    at - Eigen::Vector3d(0.15, 0.05, 0.0))
              .rate = i == 1 ? -3.0 : 2.0;
        }
      },
      [](const Simulator& simulator) {
        CHECK(simulator.last_report()->energy.kinetic ==
              Approx(simulator.initial_report().energy.kinetic).epsilon(1e-9));
      });
}

TEST_CASE("Friction brakes a puck along the tangent that its joint leaves free") {
  // The other tangent is blocked. The ground carries the block, the rail the carriage.
  const double mu = GENERATE(0.2, 0.4), angle = GENERATE(0.0, 0.7);
  const Eigen::Vector3d free(std::cos(angle), std::sin(angle), 0.0);
  std::mt19937 engine(21);
  for (int k = 0; k < 1 + num_cases(1000); ++k) {
    CAPTURE(k);
    Turned turned{orientation(k, engine), empty_scene(1e-3, 0.05, "coulomb")};
    Scene& scene = turned.scene;
    scene.simulation.method = "event-driven";
    scene.simulation.events.integrator = Integrator::DormandPrince;
    scene.simulation.events.sustained = SustainedContact::CoulombAcceleration;
    scene.gravity = 2.0 * free - 9.0 * kZ;
    default_material(scene, mu);
    add_ground(scene);
    // Two rails across each other leave the free tangent and the normal.
    add_mass(scene, "carriage", 0.5, {0.01, 0.01, 0.01}, {0.0, 0.0, 1.0});
    add_body(scene, "block", Box{{0.2, 0.3, 0.1}}, 1.7, {0.0, 0.0, 0.05});
    add_joint(scene, "free", JointType::Prismatic, "world", "carriage", free, kZ);
    add_joint(scene, "lift", JointType::Prismatic, "carriage", "block", kZ, kZ);
    turned.turn();
    Simulator simulator(scene);
    CHECK(run(simulator, [](const StepReport& report) { CHECK(report.events.by_forces > 0); }) ==
          0);
    const double a = std::max(0.0, (2.0 * 2.2 - mu * 9.0 * 1.7) / 2.2);
    CHECK(std::abs(joint_rate(simulator, "free") - 0.05 * a) < 1e-10);
    CHECK(std::abs(joint_rate(simulator, "lift")) < 1e-12);
  }
}

}  // namespace amontons::test

#include "amontons/simulation/detection/contact_detector.h"
#include "amontons/simulation/system/kinematics.h"
#include "tests/simulation/joint_scenes.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

// A body flies along x past a fixed post, by a few of its radii in a step.

namespace amontons::test {
namespace {

constexpr double kRadius = 0.03, kPostRadius = 0.05, kSpeed = 10.0;

Scene post_and_body(const Shape& post, const Shape& body, double offset, double step) {
  Scene scene = empty_scene(step, 0.2, "coulomb");
  scene.gravity.setZero();
  add_body(scene, "post", post, 1.0, {0.0, 0.0, 0.0}).base = BaseType::Fixed;
  add_body(scene, "body", body, 0.1, {-1.0, offset, 0.0}).linear_velocity = {kSpeed, 0.0, 0.0};
  return scene;
}

int attempts_of_retries(const StepReport& report) {
  int count = 0;
  for (const SolveAttempt& attempt : report.solution.attempts) {
    count += attempt.solver == "retry with a wider contact horizon" ? 1 : 0;
  }
  return count;
}

}  // namespace

TEST_CASE("What flies past a post keeps its velocity, however long the step") {
  const std::vector<Shape> posts{Sphere{kPostRadius}, Cylinder{kPostRadius, 2.0},
                                 Capsule{kPostRadius, 1.0},
                                 Ellipsoid{{kPostRadius, kPostRadius, 1}}};
  const std::vector<Shape> bodies{Sphere{kRadius}, Capsule{kRadius, 0.1},
                                  Ellipsoid{{0.08, kRadius, 0.05}}};
  for (const Shape& post : posts) {
    for (const Shape& body : bodies) {
      for (const double gap : {0.001, 0.01}) {
        for (const double step : {0.0031, 0.0107, 0.029}) {
          CAPTURE(shape_type_name(post), shape_type_name(body), gap, step);
          Simulator simulator(post_and_body(post, body, kPostRadius + kRadius + gap, step));
          bool holds = true;
          while (!simulator.finished()) holds = holds && simulator.step().certificate.holds;
          CHECK(holds);
          const Eigen::VectorXd& v = simulator.state().v;
          CHECK(v.head<3>().isZero(0.0));
          CHECK(v.tail<3>() == Eigen::Vector3d(kSpeed, 0.0, 0.0));
        }
      }
    }
  }
}

TEST_CASE("What meets a post does not fly through it") {
  for (const double offset : {0.0, 0.04, 0.079}) {
    for (const double step : {0.0031, 0.0107, 0.029}) {
      CAPTURE(offset, step);
      Simulator simulator(post_and_body(Sphere{kPostRadius}, Sphere{kRadius}, offset, step));
      while (!simulator.finished()) {
        const StepReport& report = simulator.step();
        CHECK(report.certificate.holds);
        CHECK(report.certificate.infeasibility < 1e-6);
      }
      CHECK(simulator.state().v.tail<3>() != Eigen::Vector3d(kSpeed, 0.0, 0.0));
    }
  }
}

// A rod of half a meter pulls the ball towards the post that it would fly past. The step is taken
// again with the contact.
TEST_CASE("What a joint pulls into a post meets it") {
  int retries = 0;
  for (const double gap : {0.002, 0.005, 0.01, 0.015}) {
    CAPTURE(gap);
    Scene scene =
        post_and_body(Sphere{kPostRadius}, Sphere{kRadius}, kPostRadius + kRadius + gap, 0.02);
    scene.bodies.at(1).pose.translation.x() = -0.35;
    const Eigen::Vector3d middle = scene.bodies.at(1).pose.translation;
    const Eigen::Vector3d anchor = middle - Eigen::Vector3d(0.0, 0.5, 0.0);
    SceneJoint& rod = add_joint(scene, "rod", JointType::Distance, "world", "body",
                                Eigen::Vector3d::UnitX(), anchor);
    rod.child_at_W = middle;
    rod.length = 0.5;
    Simulator simulator(scene);
    for (int k = 0; k < 5; ++k) {
      const StepReport& report = simulator.step();
      CHECK(report.certificate.holds);
      CHECK(report.certificate.missed_contacts == 0);
      retries += attempts_of_retries(report);
    }
  }
  CHECK(retries > 0);
}

TEST_CASE("Which contacts are left out does not depend on what an earlier call was asked") {
  constexpr double kStep = 0.0107;
  const Simulator simulator(
      post_and_body(Sphere{kPostRadius}, Sphere{kRadius}, kPostRadius + kRadius + 0.01, kStep));
  const System& system = simulator.system();
  // The body is beside the post at the middle of the step.
  State state = simulator.state();
  state.q[4] = -0.5 * kSpeed * kStep;
  SystemKinematics kinematics;
  compute_kinematics(system, state.q, state.v, 0.0, kinematics);
  ContactDetector detector(system);
  std::vector<Contact> contacts;
  for (const bool leaves_out : {false, true, false, true, true}) {
    detector.find_contacts(kinematics, state.v, state.v, kStep, {{}, 0.0, leaves_out}, contacts);
    CHECK(contacts.empty() == leaves_out);
    CHECK(detector.passing().size() == (leaves_out ? 1 : 0));
  }
}

}  // namespace amontons::test

#include "tests/models/conforming_models.h"
#include "tests/support/contact_scenes.h"
#include "tests/support/joint_row_scenes.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

// Limits, dry friction and effort bounds of joints under every contact model.
namespace amontons {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::Conforming;
using test::kModels;
using test::solve_certified;

constexpr double kStep = 0.01;

MatrixXd inertia(double value) { return MatrixXd::Constant(1, 1, value); }
VectorXd speed(double value) { return VectorXd::Constant(1, value); }

TEST_CASE("A joint whose friction bears the load does not move, and friction equals the load") {
  for (const Conforming& model : kModels) {
    ContactProblem problem = test::joints_alone(inertia(2.0), speed(0.05));
    test::add_friction(problem, 0, 0.11);
    const ContactSolution solution = solve_certified(model, problem);
    CHECK(std::abs(solution.velocity(0)) < 1e-17);
    CHECK(std::abs(solution.bounded_impulses(0) + 0.1) < 1e-16);
    CHECK(solution.bounded_modes[0] == ContactMode::Stick);
  }
}

TEST_CASE("A joint pushed past its friction slides, and friction takes its bound") {
  for (const Conforming& model : kModels) {
    ContactProblem problem = test::joints_alone(inertia(2.0), speed(-0.05));
    test::add_friction(problem, 0, 0.04);
    const ContactSolution solution = solve_certified(model, problem);
    CHECK(std::abs(solution.velocity(0) + 0.03) < 1e-17);
    CHECK(solution.bounded_impulses(0) == 0.04);
    CHECK(solution.bounded_modes[0] == ContactMode::Slide);
  }
}

TEST_CASE("A joint runs to its limit and no further, either limit") {
  for (const Conforming& model : kModels) {
    for (const bool is_upper : {false, true}) {
      const double toward = is_upper ? 1.0 : -1.0;
      ContactProblem problem = test::joints_alone(inertia(2.0), speed(toward));
      test::add_limit(problem, 0, is_upper, 0.001);
      const ContactSolution solution = solve_certified(model, problem);
      CHECK(std::abs(solution.velocity(0) - toward * 0.001 / kStep) < 1e-15);
      CHECK(std::abs(solution.bounded_impulses(0) - 1.8) < 1e-14);
    }
  }
}

TEST_CASE("A joint beyond its limit comes back by the share gamma in a step") {
  for (const Conforming& model : kModels) {
    for (const double gamma : {0.0, 0.25, 1.0}) {
      ContactProblem problem = test::joints_alone(inertia(2.0), speed(0.0));
      problem.gamma = gamma;
      test::add_limit(problem, 0, false, -0.004);
      const ContactSolution solution = solve_certified(model, problem);
      CHECK(std::abs(solution.velocity(0) - gamma * 0.004 / kStep) < 1e-15);
    }
  }
}

TEST_CASE("A joint leaves its limit with the restitution's share of its speed, by either law") {
  for (const Conforming& model : kModels) {
    for (const RestitutionLaw law : {RestitutionLaw::Newton, RestitutionLaw::Poisson}) {
      ContactProblem problem = test::joints_alone(inertia(2.0), speed(-1.0));
      problem.velocity = speed(-1.0);
      test::add_limit(problem, 0, false, 0.0, 0.6);
      const ContactSolution solution =
          make_model(model.name, {.restitution = law})->solve(problem, VectorXd());
      const Certificate certificate = certify(problem, solution, 1e-8);
      CAPTURE(model.name, to_string(law), certificate.limit.value, certificate.energy_gained);
      CHECK(certificate.holds);
      CHECK(std::abs(solution.velocity(0) - 0.6) < 1e-8);
      CHECK(solution.bounded_modes[0] == ContactMode::Impact);
    }
  }
}

TEST_CASE("A joint that creeps into its limit in the step does not bounce") {
  for (const Conforming& model : kModels) {
    ContactProblem problem = test::joints_alone(inertia(2.0), speed(-0.2));
    problem.velocity = speed(-0.1);
    test::add_limit(problem, 0, false, 0.0, 0.6);
    CHECK(std::abs(solve_certified(model, problem).velocity(0)) < 1e-15);
  }
}

TEST_CASE("A servo within its effort is implicit, and beyond it gives its limit") {
  const double kp = 100.0, kd = 2.0, M = 0.5;
  const double gain = kStep * kd + kStep * kStep * kp;
  for (const Conforming& model : kModels) {
    for (const double error : {0.1, -0.1, 2.0, -2.0}) {
      ContactProblem problem = test::joints_alone(inertia(M), speed(0.3));
      test::add_servo(problem, 0, kp, kd, error, 20.0);
      const ContactSolution solution = solve_certified(model, problem);
      const double implicit = (M * 0.3 + kStep * kp * error) / (M + gain);
      const double impulse = kStep * kp * error - gain * implicit;
      const double expected = std::clamp(impulse, -kStep * 20.0, kStep * 20.0);
      CAPTURE(model.name, error);
      CHECK(std::abs(solution.bounded_impulses(0) - expected) < 1e-14);
      CHECK(std::abs(solution.velocity(0) - (0.3 + expected / M)) < 1e-13);
    }
  }
}

/// Makes a slider along x of 1 kg against which a ball of 1 kg flies with 2 m/s, without friction
/// between them.
ContactProblem ball_on_slider() {
  test::SceneBuilder scene(kStep, Eigen::Vector3d::Zero());
  scene.add_ball(1.0, 0.1, {0.1, 0.0, 0.0}, {-2.0, 0.0, 0.0});
  ContactProblem problem = scene.build();
  problem.mass_matrix.add_block(inertia(1.0));
  for (VectorXd* v : {&problem.velocity, &problem.free_velocity}) {
    v->conservativeResize(7);
    (*v)(6) = 0.0;
  }
  problem.joint_jacobian.reset(7);
  problem.bounded_jacobian.reset(7);
  problem.contact_jacobian.reset(7);
  Contact contact;
  contact.normal_W = Eigen::Vector3d::UnitX();
  problem.contacts.push_back(contact);
  const Eigen::Matrix3d R_CW = contact_frame(contact.normal_W).transpose();
  problem.contact_jacobian.add_block_row(3);
  problem.contact_jacobian.block_at(3, 3) = R_CW;
  problem.contact_jacobian.block_at(6, 1) = -R_CW.col(0);
  problem.contact_bias = VectorXd::Zero(3);
  return problem;
}

TEST_CASE("A ball that hits a slider moves it as far as its friction allows") {
  for (const Conforming& model : kModels) {
    for (const double bound : {0.0, 0.5, 1.5, 3.0}) {
      ContactProblem problem = ball_on_slider();
      if (bound > 0.0) test::add_friction(problem, 6, bound);
      const ContactSolution solution = solve_certified(model, problem);
      const double common = std::min(0.0, (-2.0 + bound) / 2.0);
      CAPTURE(model.name, bound);
      CHECK(std::abs(solution.velocity(6) - common) < 1e-9);
      CHECK(std::abs(solution.velocity(3) - common) < 1e-9);
    }
  }
}

TEST_CASE("A slider at its limit stops the ball that hits it") {
  for (const Conforming& model : kModels) {
    ContactProblem problem = ball_on_slider();
    test::add_limit(problem, 6, false, 0.0);
    const ContactSolution solution = solve_certified(model, problem);
    CAPTURE(model.name);
    CHECK(std::abs(solution.velocity(6)) < 1e-9);
    CHECK(std::abs(solution.velocity(3)) < 1e-9);
    CHECK(std::abs(solution.bounded_impulses(0) - 2.0) < 1e-8);
  }
}

TEST_CASE("A contact bounces off a slider that friction holds, by either law") {
  for (const Conforming& model : kModels) {
    for (const RestitutionLaw law : {RestitutionLaw::Newton, RestitutionLaw::Poisson}) {
      ContactProblem problem = ball_on_slider();
      problem.contacts[0].restitution = 0.5;
      test::add_friction(problem, 6, 10.0);
      const ContactSolution solution =
          make_model(model.name, {.restitution = law})->solve(problem, VectorXd());
      const Certificate certificate = certify(problem, solution, 1e-8);
      CAPTURE(model.name, to_string(law), certificate.normal.value,
              certificate.joint_friction.value, certificate.energy_gained);
      CHECK(certificate.holds);
      // Under Poisson's law the joint's friction acts in the compression alone.
      if (model.coulomb_normals && std::string(model.name) != "maximum-dissipation") {
        CHECK(solution.velocity(3) > 0.4);
      }
    }
  }
}

TEST_CASE("Arms without contacts have one answer, the same under every model") {
  std::mt19937_64 engine(71);
  for (int k = 0; k < test::num_cases(6000); ++k) {
    const ContactProblem problem = test::random_arm(1 + k % 9, 0, engine);
    VectorXd first;
    for (const Conforming& model : kModels) {
      const ContactSolution solution = solve_certified(model, problem);
      if (first.size() == 0) first = solution.velocity;
      CAPTURE(k, model.name);
      CHECK((solution.velocity - first).norm() < 1e-9 * (1.0 + first.norm()));
    }
  }
}

TEST_CASE("Arms that touch the world are solved with their joints' rows, or say what they claim") {
  std::mt19937_64 engine(72);
  for (const Conforming& model : kModels) {
    int converged = 0, total = 0;
    for (int k = 0; k < test::num_cases(3000); ++k) {
      // Few contacts are solved in contact space, many on the bodies.
      const int n = 3 + k % 6, contacts = k % 3 == 2 ? 3 + n : 1 + k % 2;
      const ContactProblem problem = test::random_arm(n, contacts, engine);
      const ContactSolution solution = test::solve(model, problem);
      const Certificate certificate = certify(problem, solution, 1e-8);
      const bool solved =
          solution.status == SolveStatus::Converged || solution.status == SolveStatus::Acceptable ||
          solution.status == SolveStatus::Convexified || solution.status == SolveStatus::Safe;
      CAPTURE(model.name, k, n, contacts, to_string(solution.status), certificate.normal.value,
              certificate.friction.value, certificate.limit.value, certificate.joint_friction.value,
              certificate.energy_gained, certificate.dynamics.value);
      CHECK(solved == certificate.holds);
      ++total;
      converged += solution.status == SolveStatus::Converged;
    }
    CAPTURE(model.name, converged, total);
    CHECK(converged >= total - total / 15);
  }
}

}  // namespace
}  // namespace amontons

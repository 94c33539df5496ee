#include "amontons/math/rotation.h"
#include "tests/models/conforming_models.h"
#include "tests/support/contact_scenes.h"
#include "tests/support/joint_row_scenes.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

// The law of limits, dry joint friction and effort bounds where contacts load them: the impulse of
// a row is what its own velocity asks for, whatever the contact law.
namespace amontons {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using test::Conforming;
using test::kModels;

constexpr double kStep = 0.004;

/// Appends a slider of one coordinate to a problem, and returns its coordinate.
int add_slider(ContactProblem& problem, double mass, double v_free) {
  const Index place = problem.mass_matrix.size();
  problem.mass_matrix.add_block(MatrixXd::Constant(1, 1, mass));
  for (VectorXd* v : {&problem.velocity, &problem.free_velocity}) {
    v->conservativeResize(place + 1);
    (*v)(place) = 0.0;
  }
  problem.free_velocity(place) = v_free;
  problem.joint_jacobian.reset(place + 1);
  problem.bounded_jacobian.reset(place + 1);
  problem.contact_jacobian.reset(place + 1);
  return static_cast<int>(place);
}

/// Adds the contact of a slider that moves along `direction` with the first body, whose center it
/// pushes along `normal`.
void add_slider_contact(ContactProblem& problem, int slider, const Vector3d& direction,
                        const Vector3d& normal, double friction) {
  Contact contact;
  contact.key = {0, 1, static_cast<std::uint32_t>(problem.num_contacts())};
  contact.normal_W = normal;
  contact.friction = friction;
  problem.contacts.push_back(contact);
  const Eigen::Matrix3d R_CW = contact_frame(normal).transpose();
  problem.contact_jacobian.add_block_row(3);
  problem.contact_jacobian.block_at(3, 3) = R_CW;
  problem.contact_jacobian.block_at(slider, 1) = -R_CW * direction;
  problem.contact_bias = VectorXd::Zero(problem.contact_jacobian.rows());
}

/// Makes a ball between two sliders along y that drives press against it with `effort` each [N].
/// Their targets lie deep inside the ball.
ContactProblem ball_in_gripper(double ball, double finger, double effort, double friction) {
  test::SceneBuilder scene(kStep);
  scene.add_ball(ball, 0.03, Vector3d::Zero());
  ContactProblem problem = scene.build();
  const int left = add_slider(problem, finger, 0.0), right = add_slider(problem, finger, 0.0);
  add_slider_contact(problem, left, Vector3d::UnitY(), Vector3d::UnitY(), friction);
  add_slider_contact(problem, right, Vector3d::UnitY(), -Vector3d::UnitY(), friction);
  test::add_servo(problem, left, 90.0 * effort, 40.0, 0.05, effort);
  test::add_servo(problem, right, 90.0 * effort, 40.0, -0.05, effort);
  return problem;
}

TEST_CASE("Drives at their effort limit press a ball with their effort, and friction holds it") {
  for (const Conforming& model : kModels) {
    for (const double effort : {3.0, 20.0, 700.0}) {
      const double ball = 0.05 * effort, finger = 0.02 * effort;  // weight 0.49 of the effort
      const ContactProblem problem = ball_in_gripper(ball, finger, effort, 0.6);
      const ContactSolution solution = test::solve_certified(model, problem);
      CAPTURE(model.name, effort);
      for (const Index contact : {0, 1}) {
        CHECK(std::abs(solution.impulses(3 * contact + 2) / (kStep * effort) - 1.0) < 1e-7);
      }
      CHECK(solution.bounded_impulses(0) == kStep * effort);
      CHECK(solution.bounded_impulses(1) == -kStep * effort);
      if (model.has_friction) CHECK(std::abs(solution.velocity(5)) < 1e-7 * kStep * 9.81);
    }
  }
}

TEST_CASE("A drive too weak for its load gives its effort, and a ball sinks with the rest") {
  // A platform of 0.3 kg below a ball of 0.7 kg; the drive bears two of the ten newtons.
  for (const Conforming& model : kModels) {
    test::SceneBuilder scene(kStep, {0.0, 0.0, -10.0});
    scene.add_ball(0.7, 0.03, Vector3d::Zero());
    ContactProblem problem = scene.build();
    const int platform = add_slider(problem, 0.3, -10.0 * kStep);
    add_slider_contact(problem, platform, Vector3d::UnitZ(), Vector3d::UnitZ(), 0.4);
    test::add_servo(problem, platform, 1e5, 100.0, 0.3, 2.0);
    const ContactSolution solution = test::solve_certified(model, problem);
    CAPTURE(model.name);
    CHECK(std::abs(solution.bounded_impulses(0) - kStep * 2.0) < 1e-9 * kStep);
    CHECK(std::abs(solution.velocity(5) + 8.0 * kStep) < 1e-9);
    CHECK(std::abs(solution.velocity(platform) + 8.0 * kStep) < 1e-9);
  }
}

TEST_CASE("A platform that dry friction holds carries a ball, and slides under a heavy one") {
  for (const Conforming& model : kModels) {
    for (const double ball : {0.4, 3.0}) {
      test::SceneBuilder scene(kStep, {0.0, 0.0, -10.0});
      scene.add_ball(ball, 0.03, Vector3d::Zero());
      ContactProblem problem = scene.build();
      const int platform = add_slider(problem, 0.5, -10.0 * kStep);
      add_slider_contact(problem, platform, Vector3d::UnitZ(), Vector3d::UnitZ(), 0.4);
      test::add_friction(problem, platform, 20.0 * kStep);
      const ContactSolution solution = test::solve_certified(model, problem);
      const double mass = ball + 0.5, acceleration = std::max(0.0, 10.0 - 20.0 / mass);
      CAPTURE(model.name, ball);
      CHECK(std::abs(solution.velocity(platform) + acceleration * kStep) < 1e-9);
      CHECK(std::abs(solution.impulses(2) - ball * (10.0 - acceleration) * kStep) < 1e-9);
    }
  }
}

/// Returns the largest distance of a row from its law, as a share of the impulses and of the speeds
/// of the problem.
double law_missed(const ContactProblem& problem, const ContactSolution& solution) {
  const VectorXd u = problem.bounded_jacobian * solution.velocity;
  double worst = 0.0;
  for (Index i = 0; i < u.size(); ++i) {
    const std::size_t r = static_cast<std::size_t>(i);
    const BoundedRow& row = problem.bounded_rows[r];
    const double f = solution.bounded_impulses(i);
    const double slip = u(i) + problem.bounded_offset(r) + row.compliance * f;
    // The impulse that this velocity asks for, in the row's unit w = L M^-1 L' + R.
    const VectorXd L = problem.bounded_jacobian.to_dense().row(i).transpose();
    const MatrixXd M = problem.mass_matrix.to_dense();
    const double w = L.dot(M.ldlt().solve(L)) + row.compliance;
    const double asked = std::clamp(f - slip / w, row.lower, row.upper);
    worst = std::max(worst, w * std::abs(f - asked) / problem.free_velocity.norm());
  }
  return worst;
}

TEST_CASE("Drives, limits and dry joints give what their motion asks for under every model") {
  for (const Conforming& model : kModels) {
    std::mt19937_64 engine(6211);
    int total = 0, converged = 0;
    for (int k = 0; k < test::num_cases(4000); ++k) {
      const ContactProblem problem = test::random_driven_arm(2 + k % 5, 1 + k % 3, engine);
      const ContactSolution solution = test::solve(model, problem);
      CAPTURE(model.name, k, to_string(solution.status));
      ++total;
      if (solution.status != SolveStatus::Converged) continue;
      ++converged;
      CHECK(law_missed(problem, solution) < 1e-7);
      CHECK(certify(problem, solution, 1e-8).holds);
    }
    CAPTURE(model.name, converged, total);
    CHECK(converged >= total - std::max(1, total / 20));
  }
}

TEST_CASE("A drive within its effort moves its joint as stiffness and damping of the mass would") {
  for (const Conforming& model : kModels) {
    std::mt19937_64 engine(6212);
    std::normal_distribution<double> normal;
    int both = 0, total = 0;
    for (int k = 0; k < test::num_cases(2000); ++k) {
      // The same arm twice: drives as rows of no effective bound, and as part of the mass matrix.
      const int n = 2 + k % 4;
      MatrixXd B = MatrixXd::NullaryExpr(n, n, [&] { return normal(engine); });
      MatrixXd M = B * B.transpose() + MatrixXd::Identity(n, n);
      const VectorXd v_free = VectorXd::NullaryExpr(n, [&] { return normal(engine); });
      ContactProblem rows = test::joints_alone(M, v_free);
      VectorXd momentum = M * v_free;
      for (int joint = 0; joint < n; ++joint) {
        const double kp = std::pow(10.0, 2.0 + normal(engine)), error = normal(engine);
        test::add_servo(rows, joint, kp, 2.0, error, 1e9);
        M(joint, joint) += rows.step * 2.0 + rows.step * rows.step * kp;
        momentum(joint) += rows.step * kp * error;
      }
      ContactProblem mass = test::joints_alone(M, M.ldlt().solve(momentum));
      std::mt19937_64 copy = engine;
      test::add_random_contacts(rows, 1 + k % 2, engine);
      test::add_random_contacts(mass, 1 + k % 2, copy);
      const ContactSolution a = test::solve(model, rows), b = test::solve(model, mass);
      ++total;
      if (a.status != SolveStatus::Converged || b.status != SolveStatus::Converged) continue;
      ++both;
      CAPTURE(model.name, k);
      // Coulomb's law may have several solutions where friction raises the load.
      const bool is_unique = std::string(model.name) == "frictionless" ||
                             std::string(model.name) == "viscous" ||
                             std::string(model.name) == "convex-relaxation" ||
                             std::string(model.name) == "maximum-dissipation";
      if (is_unique) CHECK((a.velocity - b.velocity).norm() < 1e-6 * (1.0 + b.velocity.norm()));
    }
    CAPTURE(model.name, both, total);
    CHECK(both >= total - std::max(1, total / 10));
  }
}

}  // namespace
}  // namespace amontons

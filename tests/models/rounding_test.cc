#include "amontons/contact/certificate/certificate.h"
#include "amontons/math/rotation.h"
#include "amontons/models/common/contact_model.h"
#include "amontons/models/islands/islandwise_solver.h"
#include "tests/models/conforming_models.h"
#include "tests/support/contact_scenes.h"
#include "tests/support/random_matrix.h"
#include "tests/support/test_size.h"

#include <Eigen/Geometry>
#include <catch2/catch.hpp>

#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace amontons {
namespace {

using Eigen::Vector3d;

/// Describes a box between two walls, in any unit and pose.
struct Slot {
  double length = 1.0;           ///< of the box's edges and of where it lies [m]
  double step = 1e-2;            ///< [s]
  double friction = 0.3;         ///< [-]
  Vector3d gravity;              ///< [m/s^2]
  Eigen::Quaterniond rotation;   ///< of the scene
  Vector3d position;             ///< of the box [m]
  std::vector<double> overlaps;  ///< of its four contacts with the walls [m]
};

/// Draws a slot whose overlaps are uniform in [0, largest] coordinates.
Slot draw_slot(std::mt19937_64& random, double largest) {
  const auto in = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  Slot slot;
  slot.length = std::pow(10.0, in(-3.0, 2.0));
  slot.step = std::pow(10.0, in(-3.5, -1.5));
  slot.friction = in(0.0, 0.5);
  slot.gravity = in(0.0, 10.0) * test::random_direction(random);
  slot.rotation = Eigen::Quaterniond(in(-1.0, 1.0), in(-1.0, 1.0), in(-1.0, 1.0), 0.1).normalized();
  slot.position = slot.length * in(0.0, 3.0) * test::random_direction(random);
  for (int k = 0; k < 4; ++k) slot.overlaps.push_back(in(0.0, largest) * slot.length);
  return slot;
}

/// Makes the problem: a wall on both sides, two contacts each.
ContactProblem problem_of(const Slot& slot) {
  test::SceneBuilder scene(slot.step, slot.gravity);
  const double a = 0.5 * slot.length;
  const Eigen::Matrix3d inertia = slot.length * slot.length / 6.0 * Eigen::Matrix3d::Identity();
  const int box = scene.add_body(1.0, inertia, slot.position);
  std::size_t k = 0;
  for (const double side : {-1.0, 1.0}) {
    for (const double x : {-a, a}) {
      scene.add_contact(
          test::kWorld, box, slot.position + slot.rotation * Vector3d(x, side * a, 0.1 * a),
          slot.rotation * Vector3d(0.0, -side, 0.0), -slot.overlaps[k++], slot.friction);
    }
  }
  ContactProblem problem = scene.build();
  problem.overlap_speed = 3.0;
  for (Contact& contact : problem.contacts) contact.reach = slot.length;
  return problem;
}

TEST_CASE("A part that fits its slot up to rounding moves in it as in a slot that fits exactly") {
  std::mt19937_64 random(3);
  for (int round = 0; round < 12; ++round) {
    const Slot slot = draw_slot(random, 8.0 * 2.2e-16);
    Slot exact = slot;
    exact.overlaps.assign(4, 0.0);
    for (const test::Conforming& model : test::kModels) {
      CAPTURE(round, model.name, slot.length, slot.step);
      const ContactSolution solution = test::solve_certified(model, problem_of(slot));
      const ContactSolution same = test::solve_certified(model, problem_of(exact));
      const double speed = slot.step * slot.gravity.norm();
      CHECK((solution.velocity - same.velocity).tail<3>().norm() <= 1e-6 * speed);
    }
  }
}

TEST_CASE("The floor of rounding hides no overlap that is more than rounding") {
  std::mt19937_64 random(4);
  for (int round = 0; round < 20; ++round) {
    // All walls overlap by a multiple of 1e-11 of the lengths, and nothing opens them.
    Slot slot = draw_slot(random, 0.0);
    slot.gravity.setZero();
    slot.overlaps.assign(4, 1e-11 * slot.length);
    const ContactProblem problem = problem_of(slot);
    ContactSolution idle;
    idle.law = {LawKind::Coulomb, 4, RestitutionLaw::Newton};
    idle.impulses = Eigen::VectorXd::Zero(12);
    idle.velocity = Eigen::VectorXd::Zero(6);
    idle.modes.assign(4, ContactMode::Open);
    CHECK_FALSE(certify(problem, idle, 1e-8).holds);
  }
}

TEST_CASE("Walls that no velocity keeps apart end in bounded impulses and speeds") {
  std::mt19937_64 random(5);
  for (int round = 0; round < 12; ++round) {
    Slot slot = draw_slot(random, 0.0);
    for (double& overlap : slot.overlaps) overlap = 0.01 * slot.length;
    const ContactProblem problem = problem_of(slot);
    // The walls ask for this speed at most, besides the free motion.
    const double asked = std::min(problem.overlap_speed, 0.01 * slot.length / slot.step) +
                         slot.step * slot.gravity.norm();
    for (const test::Conforming& model : test::kModels) {
      if (std::string(model.name) == "anitescu-potra") continue;  // ignores overlaps, as published
      CAPTURE(round, model.name, slot.length, slot.step);
      const ContactSolution solution = test::solve(model, problem);
      CHECK(solution.status == SolveStatus::Infeasible);
      CHECK_FALSE(certify(problem, solution, 1e-8).holds);
      CHECK(solution.velocity.tail<3>().norm() <= 1.01 * asked);
      CHECK(solution.impulses.lpNorm<Eigen::Infinity>() <= 1e3 * asked);  // of 1 kg
    }
  }
}

TEST_CASE("A contact whose normal the joints block is satisfied where its gap is rounding") {
  // Three points of a body are fixed; a contact at the world's origin overlaps by rounding.
  for (const double unit : {1.0, 1e-3, 50.0}) {
    test::SceneBuilder scene(5e-3);
    const int body = scene.add_box(2.0, Vector3d::Constant(unit), {0.0, 0.0, 0.5 * unit});
    for (const Vector3d& place : {Vector3d(1, 0, 0), Vector3d(0, 1, 0), Vector3d(0, 0, 1)}) {
      scene.add_ball_joint(test::kWorld, body, unit * place);
    }
    scene.add_contact(test::kWorld, body, Vector3d::Zero(), {0.0, 0.0, 1.0}, -1.4e-16 * unit, 0.4);
    ContactProblem problem = scene.build();
    problem.contacts.front().reach = 0.5 * unit;
    for (const test::Conforming& model : test::kModels) {
      CAPTURE(unit, model.name);
      const ContactSolution solution = test::solve_certified(model, problem);
      CHECK(solution.velocity.norm() <= 1e-10 * unit);
    }
  }
}

/// Draws a vector of rounding: entries of 1e-323 to 1e-17, some of them exactly zero.
Eigen::VectorXd draw_rounding(Eigen::Index size, std::mt19937_64& random) {
  std::uniform_real_distribution<double> exponent(-323.0, -17.0), unit(-1.0, 1.0);
  const double whole = std::pow(10.0, exponent(random));
  return Eigen::VectorXd::NullaryExpr(size, [&] {
    const double kind = unit(random);
    if (kind < -0.5) return 0.0;
    return unit(random) * (kind < 0.5 ? whole : std::pow(10.0, exponent(random)));
  });
}

/// Makes an impact, a ball of 1 kg that meets the ground, beside joints that rest but for rounding.
/// They are a slider and two sliders with a ball joint between them by rows of J, whose limits
/// touch, and an arm of three joints at its limits in reduced coordinates.
/// @param slide  speed of the sliders along their axis [m/s]; 0: they rest.
ContactProblem impact_beside_idle_joints(double slide, std::mt19937_64& random) {
  test::SceneBuilder scene(0.0);
  const int ball = scene.add_ball(1.0, 0.1, {0.0, 0.0, 0.1}, {0.3, 0.0, -1.0});
  scene.add_contact(test::kWorld, ball, Vector3d::Zero(), {0.0, 0.0, 1.0}, 0.0, 0.5, 0.6);
  // Sliders of any inertia, the last two joined at a point.
  constexpr int kSliders = 3;
  for (int k = 0; k < kSliders; ++k) {
    scene.add_box(2.0 + k, {0.1, 0.2, 0.3}, {1.0 + k, 0.2, 0.3});
  }
  scene.add_ball_joint(2, 3, {2.5, 0.2, 0.3});
  ContactProblem problem = scene.build();
  const Vector3d axis = test::random_direction(random);
  const Eigen::Matrix3d frame = contact_frame(axis);
  problem.velocity.tail(6 * kSliders) = draw_rounding(6 * kSliders, random);
  problem.joint_error.conservativeResize(3 + 5 * kSliders);
  problem.joint_error.tail(5 * kSliders).setZero();
  for (int k = 0; k < kSliders; ++k) {
    const Eigen::Index offset = 6 * (k + 1);
    Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(5, 6);
    rows.topLeftCorner<3, 3>().setIdentity();
    rows.bottomRightCorner<2, 3>() = frame.leftCols<2>().transpose();
    problem.joint_jacobian.add_block_row(5);
    problem.joint_jacobian.add_block(offset, rows);
    problem.velocity.segment<3>(offset + 3) += slide * axis;
  }
  problem.joint_bias = Eigen::VectorXd::Zero(problem.joint_error.size());
  // The arm, and limits that touch: along each slider, and two of the arm's joints.
  const Eigen::Matrix3d B = test::random_matrix(random, 3, 3);
  const Eigen::Index arm = problem.mass_matrix.size();
  problem.mass_matrix.add_block(B * B.transpose() + Eigen::Matrix3d::Identity());
  problem.velocity.conservativeResize(arm + 3);
  problem.velocity.tail(3) = draw_rounding(3, random);
  problem.free_velocity = problem.velocity;
  ContactProblem whole = problem;
  const auto widen = [arm](BlockSparseMatrix& to, const BlockSparseMatrix& from) {
    to.reset(arm + 3);
    for (std::size_t r = 0; r < from.num_block_rows(); ++r) {
      to.add_block_row(from.num_rows(r));
      for (const BlockSparseMatrix::Block& block : from.block_row(r)) {
        to.add_block(block.col, from.values(block));
      }
    }
  };
  widen(whole.contact_jacobian, problem.contact_jacobian);
  widen(whole.joint_jacobian, problem.joint_jacobian);
  whole.bounded_jacobian.reset(arm + 3);
  for (int k = 0; k < kSliders + 2; ++k) {
    BoundedRow row;
    row.index = k;
    row.restitution = k % 2 == 0 ? 0.5 : 0.0;
    whole.bounded_rows.push_back(row);
    whole.bounded_jacobian.add_block_row(1);
    if (k < kSliders) {
      whole.bounded_jacobian.block_at(6 * (k + 1) + 3, 3) = -axis.transpose();
    } else {
      whole.bounded_jacobian.block_at(arm + k - kSliders, 1)(0, 0) = 1.0;
    }
  }
  return whole;
}

TEST_CASE("Joints at rest but for rounding hold while an impact happens elsewhere") {
  std::mt19937_64 random(6);
  for (int round = 0; round < test::num_cases(20000); ++round) {
    const double slide = round % 2 == 0 ? 0.0 : 0.05;
    const ContactProblem problem = impact_beside_idle_joints(slide, random);
    for (const test::Conforming& model : test::kModels) {
      for (const RestitutionLaw law : {RestitutionLaw::Newton, RestitutionLaw::Poisson}) {
        const std::unique_ptr<ContactModel> made = make_model(model.name, {.restitution = law});
        const CertifiedSolution answer =
            IslandwiseSolver(*made).solve(problem, Eigen::VectorXd(), 1e-8);
        const ContactSolution& solution = answer.solution;
        const Certificate& certificate = answer.certificate;
        CAPTURE(round, slide, model.name, to_string(law), certificate.joint.value,
                certificate.joint.where, certificate.limit.value, certificate.dynamics.value,
                certificate.rounding.value, certificate.energy_gained);
        CHECK(solution.status == SolveStatus::Converged);
        CHECK(certificate.holds);
      }
    }
  }
}

TEST_CASE("A floor of rounding hides no joint that parts as fast as its body moves") {
  // A slider of the impact turns at 1e-9 rad/s while it slides at 0.05 m/s: no rounding is so
  // large.
  std::mt19937_64 random(7);
  ContactProblem problem = impact_beside_idle_joints(0.05, random);
  ContactSolution solution = make_model("coulomb", {})->solve(problem, Eigen::VectorXd());
  REQUIRE(certify(problem, solution, 1e-8).holds);
  solution.velocity(6) += 1e-9;
  problem.velocity(6) += 1e-9;
  problem.free_velocity(6) += 1e-9;
  CHECK_FALSE(certify(problem, solution, 1e-8).holds);
}

}  // namespace
}  // namespace amontons

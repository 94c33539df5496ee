#include "amontons/contact/certificate/certificate.h"
#include "amontons/models/common/contact_model.h"
#include "tests/models/conforming_models.h"
#include "tests/support/contact_scenes.h"

#include <Eigen/Geometry>
#include <catch2/catch.hpp>

#include <cmath>
#include <random>
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

}  // namespace
}  // namespace amontons

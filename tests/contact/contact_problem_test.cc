#include "amontons/contact/contact_problem.h"

#include "tests/support/contact_scenes.h"

#include <catch2/catch.hpp>

#include <limits>

namespace amontons {
namespace {

using Catch::Matchers::Contains;

ContactProblem two_contacts() {
  test::SceneBuilder scene(1e-2);
  const int ball = scene.add_ball(2.0, 0.1, {0.0, 0.0, 0.1});
  scene.add_contact(test::kWorld, ball, {0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, 2e-3, 0.5);
  scene.add_contact(test::kWorld, ball, {0.1, 0.0, 0.1}, {-1.0, 0.0, 0.0}, -3e-3, 0.5);
  scene.add_ball_joint(test::kWorld, ball, {0.0, 0.0, 0.2}, {1e-3, 0.0, -2e-3});
  ContactProblem problem = scene.build(0.4);
  problem.joint_bias << 0.1, 0.2, 0.3;
  return problem;
}

TEST_CASE("A gap closes in one step, an overlap by the share gamma [errata AH-2]") {
  ContactProblem problem = two_contacts();
  CHECK(problem.stabilized_gap(0) == Approx(0.2).epsilon(1e-15));
  CHECK(problem.stabilized_gap(1) == Approx(-0.12).epsilon(1e-12));
  CHECK(problem.stabilized_gaps()(1) == problem.stabilized_gap(1));

  SECTION("as printed, gamma scales both") {
    problem.literal_gamma = true;
    CHECK(problem.stabilized_gap(0) == Approx(0.08).epsilon(1e-15));
    CHECK(problem.stabilized_gap(1) == Approx(-0.12).epsilon(1e-12));
  }
  SECTION("but no faster than at overlap_speed, and then for more than one step") {
    CHECK(problem.num_deferred_overlaps() == 0);
    problem.overlap_speed = 0.05;
    CHECK(problem.stabilized_gap(0) == Approx(0.2).epsilon(1e-15));
    CHECK(problem.stabilized_gap(1) == -0.05);
    CHECK(problem.num_deferred_overlaps() == 1);
  }
  SECTION("an impact has no duration, and no gaps") {
    problem.step = 0.0;
    CHECK(problem.stabilized_gap(0) == 0.0);
    CHECK(problem.stabilized_gap(1) == 0.0);
    CHECK(problem.joint_target() == -problem.joint_bias);
  }
}

TEST_CASE("Joints aim at -gamma Theta/h, relative to their prescribed motion") {
  const Eigen::VectorXd target = two_contacts().joint_target();
  CHECK(target(0) == Approx(-0.4 * 1e-3 / 1e-2 - 0.1).epsilon(1e-14));
  CHECK(target(1) == Approx(-0.2).epsilon(1e-14));
  CHECK(target(2) == Approx(0.4 * 2e-3 / 1e-2 - 0.3).epsilon(1e-14));
}

TEST_CASE("A contact problem that makes no sense is refused by the name of what is wrong") {
  ContactProblem problem = two_contacts();
  CHECK_NOTHROW(validate(problem));
  const auto message = [](const ContactProblem& wrong) -> std::string {
    try {
      validate(wrong);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "accepted";
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  ContactProblem wrong = problem;

  wrong.step = -1.0;
  CHECK_THAT(message(wrong), Contains("step"));
  wrong = problem;
  wrong.gamma = 1.5;
  CHECK_THAT(message(wrong), Contains("gamma"));
  wrong = problem;
  wrong.overlap_speed = nan;
  CHECK_THAT(message(wrong), Contains("overlap_speed"));
  wrong = problem;
  wrong.contacts[1].friction = -0.1;
  CHECK_THAT(message(wrong), Contains("contacts[1].friction"));
  wrong = problem;
  wrong.contacts[0].friction = std::numeric_limits<double>::infinity();
  CHECK_THAT(message(wrong), Contains("contacts[0].friction"));
  wrong = problem;
  wrong.contacts[1].restitution = 1.1;
  CHECK_THAT(message(wrong), Contains("contacts[1].restitution"));
  wrong = problem;
  wrong.contacts[0].gap = nan;
  CHECK_THAT(message(wrong), Contains("contacts[0].gap"));
  wrong = problem;
  wrong.contacts[0].normal_W *= 2.0;
  CHECK_THAT(message(wrong), Contains("contacts[0].normal_W"));
  wrong = problem;
  wrong.free_velocity(2) = nan;
  CHECK_THAT(message(wrong), Contains("free_velocity"));
  wrong = problem;
  wrong.velocity.conservativeResize(5);
  CHECK_THAT(message(wrong), Contains("velocity has 5 entries, expected 6"));
  wrong = problem;
  wrong.contact_bias.conservativeResize(3);
  CHECK_THAT(message(wrong), Contains("contact_bias"));
  wrong = problem;
  wrong.contacts.pop_back();
  CHECK_THAT(message(wrong), Contains("contact_jacobian"));
  wrong = problem;
  std::swap(wrong.contacts[0], wrong.contacts[1]);
  CHECK_THAT(message(wrong), Contains("sorted"));
  wrong = problem;
  wrong.joint_error(0) = nan;
  CHECK_THAT(message(wrong), Contains("joint_error"));
  wrong = problem;
  wrong.mass_matrix.add_block(Eigen::MatrixXd::Identity(1, 1));
  CHECK_THAT(message(wrong), Contains("velocity"));
}

TEST_CASE("A Jacobian block that straddles two articulations is refused") {
  ContactProblem problem = two_contacts();
  problem.mass_matrix = BlockDiagonalMatrix();
  problem.mass_matrix.add_block(Eigen::MatrixXd::Identity(3, 3));
  problem.mass_matrix.add_block(Eigen::MatrixXd::Identity(3, 3));
  CHECK_THROWS_WITH(validate(problem), Contains("lies in no block of the mass matrix"));
}

}  // namespace
}  // namespace amontons

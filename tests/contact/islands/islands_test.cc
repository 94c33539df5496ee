#include "amontons/contact/islands/islands.h"

#include "amontons/contact/islands/island_problem.h"
#include "tests/support/contact_scenes.h"

#include <catch2/catch.hpp>

#include <random>

namespace amontons {
namespace {

using test::kWorld;
using test::SceneBuilder;

/// Makes bodies 0-3 in a row; 1 and 3 touch, 0 and 2 are jointed, 4 floats; 1 and 2 touch the
/// world.
ContactProblem five_bodies() {
  SceneBuilder scene(1e-2);
  for (int b = 0; b < 5; ++b) {
    scene.add_ball(1.0 + b, 0.5, {1.0 * b, 0.0, 0.5}, {0.1 * b, 0.0, 0.0}, {0.0, 0.0, 0.2 * b});
  }
  scene.add_contact(kWorld, 1, {1.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, 1e-3, 0.3);
  scene.add_contact(kWorld, 2, {2.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, -1e-3, 0.4);
  scene.add_contact(1, 3, {2.0, 0.0, 0.5}, {1.0, 0.0, 0.0}, 0.0, 0.5);
  scene.add_contact(kWorld, kWorld, {9.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, 0.0, 0.5);
  scene.add_ball_joint(2, 0, {1.0, 0.0, 0.5}, {1e-3, 0.0, 0.0});
  return scene.build();
}

TEST_CASE("Islands join what touches or is jointed, but not through the world") {
  const std::vector<Island> islands = find_islands(five_bodies());
  REQUIRE(islands.size() == 2);
  CHECK(islands[0].blocks == std::vector<int>{0, 2});
  CHECK(islands[0].contacts == std::vector<int>{1});
  CHECK(islands[0].joint_rows == std::vector<int>{0});
  CHECK(islands[1].blocks == std::vector<int>{1, 3});
  CHECK(islands[1].contacts == std::vector<int>{0, 2});
  CHECK(islands[1].joint_rows.empty());
}

TEST_CASE("A law that couples islands joins those with contacts, and leaves loops alone apart") {
  ContactProblem problem = five_bodies();
  const std::vector<Island> joined = islands_of_law(problem, LawKind::SystemDissipation);
  REQUIRE(joined.size() == 1);
  CHECK(joined[0].blocks == std::vector<int>{0, 1, 2, 3});
  CHECK(joined[0].contacts == std::vector<int>{0, 1, 2});
  CHECK(joined[0].joint_rows == std::vector<int>{0});
  CHECK(islands_of_law(problem, LawKind::MaximumDissipation).size() == 2);
  // Two balls on the ground, and a pendulum between them in the order of blocks.
  SceneBuilder scene(1e-2);
  for (int b = 0; b < 3; ++b) scene.add_ball(1.0, 0.5, {2.0 * b, 0.0, 0.5});
  scene.add_contact(kWorld, 2, {4.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, 0.0, 0.5);
  scene.add_contact(kWorld, 0, {0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, 0.0, 0.5);
  scene.add_ball_joint(kWorld, 1, {2.0, 0.0, 1.5});
  const std::vector<Island> apart = islands_of_law(scene.build(), LawKind::SystemDissipation);
  REQUIRE(apart.size() == 2);
  CHECK(apart[0].blocks == std::vector<int>{0, 2});
  CHECK(apart[0].contacts == std::vector<int>{0, 1});
  CHECK(apart[1].blocks == std::vector<int>{1});
  CHECK(apart[1].joint_rows == std::vector<int>{0});
}

TEST_CASE("A body is one island with all rows that move it, and none without") {
  SceneBuilder scene(1e-2);
  const int ball = scene.add_ball(1.0, 0.5, {0.0, 0.0, 0.5});
  CHECK(find_islands(scene.build()).empty());
  scene.add_contact(kWorld, kWorld, {9.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, 0.0, 0.5);
  CHECK(find_islands(scene.build()).empty());
  scene.add_contact(kWorld, ball, {0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, 0.0, 0.5);
  scene.add_ball_joint(kWorld, ball, {0.0, 0.5, 0.5});
  const std::vector<Island> islands = find_islands(scene.build());
  REQUIRE(islands.size() == 1);
  CHECK(islands[0].blocks == std::vector<int>{0});
  CHECK(islands[0].contacts == std::vector<int>{1});
  CHECK(islands[0].joint_rows == std::vector<int>{0});
  CHECK(islands[0].bounded_rows.empty());
  CHECK(islands_of_contacts(scene.build()) == std::vector<int>{-1, 0});
}

TEST_CASE("Every contact knows its island, and memory does not tell islands apart") {
  const ContactProblem problem = five_bodies();
  CHECK(islands_of_contacts(problem) == std::vector<int>{1, 0, 1, -1});
  ContactProblem reused;
  for (const Island& island : find_islands(problem)) {
    CHECK_FALSE(is_whole(problem, island));
    extract(problem, island, reused);
    const ContactProblem fresh = extract(problem, island);
    validate(reused);
    CHECK(reused.mass_matrix.to_dense() == fresh.mass_matrix.to_dense());
    CHECK(reused.contact_jacobian.to_dense() == fresh.contact_jacobian.to_dense());
    CHECK(reused.joint_jacobian.to_dense() == fresh.joint_jacobian.to_dense());
    CHECK(reused.joint_error == fresh.joint_error);
    CHECK(reused.free_velocity == fresh.free_velocity);
    CHECK(is_whole(fresh, find_islands(fresh)[0]));
  }
}

TEST_CASE("An island's own motion is the whole system's motion, restricted to it") {
  const ContactProblem problem = five_bodies();
  const Eigen::VectorXd impulses = Eigen::VectorXd::LinSpaced(12, -0.5, 0.7);
  ContactSolution whole = test::solution_of(problem, {}, impulses);
  ContactSolution assembled = whole;
  assembled.impulses.setZero();
  assembled.joint_impulses.setZero();
  assembled.velocity = problem.free_velocity;
  assembled.status = SolveStatus::NotRun;
  for (const Island& island : find_islands(problem)) {
    const ContactProblem part = extract(problem, island);
    validate(part);
    CHECK(part.contacts.size() == island.contacts.size());
    Eigen::VectorXd part_impulses(3 * static_cast<Eigen::Index>(island.contacts.size()));
    for (std::size_t i = 0; i < island.contacts.size(); ++i) {
      part_impulses.segment<3>(ContactProblem::row(i)) =
          impulses.segment<3>(3 * island.contacts[i]);
    }
    ContactSolution solution = test::solution_of(part, {}, part_impulses);
    solution.iterations = 3;
    solution.modes.assign(part.num_contacts(), ContactMode::Slide);
    scatter(problem, island, solution, assembled);
  }
  CHECK((assembled.velocity - whole.velocity).cwiseAbs().maxCoeff() < 1e-14);
  CHECK((assembled.joint_impulses - whole.joint_impulses).cwiseAbs().maxCoeff() < 1e-14);
  CHECK(assembled.impulses.head(9) == impulses.head(9));
  CHECK(assembled.impulses.tail(3).isZero(0.0));  // the contact without a moving body
  CHECK(assembled.iterations == 6);
  CHECK(assembled.modes[3] == ContactMode::Open);
  CHECK(assembled.modes[2] == ContactMode::Slide);
  CHECK(assembled.status == SolveStatus::Converged);
}

TEST_CASE(
    "The worst island decides status and law, and its law is not claimed where it does not act") {
  const ContactProblem problem = five_bodies();
  const std::vector<Island> islands = find_islands(problem);
  ContactSolution whole = test::solution_of(problem, {}, Eigen::VectorXd::Zero(12));
  whole.status = SolveStatus::NotRun;
  const auto solution_of_part = [&](std::size_t i, SolveStatus status, LawKind law) {
    const ContactProblem part = extract(problem, islands[i]);
    ContactSolution solution =
        test::solution_of(part, {.kind = law}, Eigen::VectorXd::Zero(part.contact_jacobian.rows()));
    solution.status = status;
    return solution;
  };
  scatter(problem, islands[0], solution_of_part(0, SolveStatus::Safe, LawKind::Frictionless),
          whole);
  scatter(problem, islands[1], solution_of_part(1, SolveStatus::Converged, LawKind::Pyramid),
          whole);
  CHECK(whole.status == SolveStatus::Safe);
  CHECK(whole.law.kind == LawKind::Frictionless);
  for (const int contact : islands[0].contacts) {
    CHECK(whole.law_of(static_cast<std::size_t>(contact)) == LawKind::Frictionless);
  }
  for (const int contact : islands[1].contacts) {
    CHECK(whole.law_of(static_cast<std::size_t>(contact)) == LawKind::Pyramid);
  }
}

TEST_CASE("An island without a restitution phase compresses with all of its impulse") {
  const ContactProblem problem = five_bodies();
  const std::vector<Island> islands = find_islands(problem);
  ContactSolution whole = test::solution_of(problem, {}, Eigen::VectorXd::Zero(12));
  const auto solution_of_part = [&](std::size_t i, double impulse) {
    const ContactProblem part = extract(problem, islands[i]);
    return test::solution_of(part, {},
                             Eigen::VectorXd::Constant(part.contact_jacobian.rows(), impulse));
  };
  scatter(problem, islands[0], solution_of_part(0, 0.5), whole);
  CHECK(whole.compression_impulses.size() == 0);
  ContactSolution bouncing = solution_of_part(1, 0.7);
  bouncing.compression_impulses = 0.5 * bouncing.impulses;
  scatter(problem, islands[1], bouncing, whole);
  REQUIRE(whole.compression_impulses.size() == 12);
  CHECK(whole.compression_impulses.segment<3>(3) == Eigen::Vector3d::Constant(0.5));
  CHECK(whole.compression_impulses.segment<3>(0) == Eigen::Vector3d::Constant(0.35));
}

}  // namespace
}  // namespace amontons

#include "amontons/contact/certificate/certificate.h"
#include "amontons/models/common/contact_model.h"
#include "tests/support/contact_scenes.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::Vector3d;
using Eigen::VectorXd;
using test::kWorld;
using test::SceneBuilder;

constexpr double kStep = 1e-2, kG = 9.81, kTolerance = 1e-8;

ContactSolution solve(const ContactProblem& problem, const ModelSettings& settings = {},
                      const VectorXd& warm_start = {}) {
  ContactSolution solution = make_model("no-slip", settings)->solve(problem, warm_start);
  CHECK(solution.status == SolveStatus::Converged);
  CHECK(certify(problem, solution, kTolerance).holds);
  return solution;
}

/// Makes a cube of 1 kg between two plates of 10 kg that press it with 1000 N each, along x.
/// Corners are at (+-0.05, y, z).
ContactProblem pressed_cube(const std::vector<Vector3d>& corners) {
  SceneBuilder scene(kStep);
  const int cube = scene.add_box(1.0, {0.1, 0.1, 0.1}, {0.0, 0.0, 0.0});
  int plates[2];
  for (const int side : {0, 1}) {
    const double x = side == 0 ? -0.1 : 0.1;
    plates[side] = scene.add_box(10.0, {0.1, 0.1, 0.1}, {x, 0.0, 0.0});
    scene.add_force(plates[side], {side == 0 ? 1e3 : -1e3, 0.0, 10.0 * kG});
  }
  for (const Vector3d& corner : corners) {
    const bool left = corner.x() < 0.0;
    scene.add_contact(left ? plates[0] : cube, left ? cube : plates[1], corner, {1.0, 0.0, 0.0},
                      0.0, 1.0);
  }
  return scene.build();
}

std::vector<Vector3d> all_corners() {
  std::vector<Vector3d> corners;
  for (const double x : {-0.05, 0.05}) {
    for (const double y : {-0.05, 0.05}) {
      for (const double z : {-0.05, 0.05}) corners.emplace_back(x, y, z);
    }
  }
  return corners;
}

// A basic solution needs one contact on each side. If only these two stick, the cube can turn about
// the line through them.
TEST_CASE("A cube between two plates does not spin, whichever contacts a solution loads", "[E15]") {
  ContactProblem problem = pressed_cube(all_corners());
  // This velocity would turn it about x.
  problem.free_velocity(0) += 0.5;
  const ContactSolution solution = solve(problem);
  Index loaded = 0;
  for (Index i = 0; i < 8; ++i) loaded += solution.impulses(3 * i + 2) > 0.0;
  CHECK(loaded < 8);
  CHECK(std::all_of(solution.modes.begin(), solution.modes.end(),
                    [](ContactMode mode) { return mode == ContactMode::Stick; }));
  // All three turn as one, with 21 times the cube's moment of inertia.
  for (const Index body : {0, 6, 12}) {
    CHECK(solution.velocity(body) == Approx(0.5 / 21.0).epsilon(1e-12));
    CHECK(solution.velocity.segment<2>(body + 1).norm() < 1e-12);
  }
}

// Box of 1 kg and I = 0.1, contact 0.2 m beside its center on a wall that nothing presses it to.
TEST_CASE("A box beside a wall falls; under the published list it hangs by its contact", "[A5]") {
  SceneBuilder scene(kStep);
  const int box = scene.add_body(1.0, 0.1 * Eigen::Matrix3d::Identity(), {0.0, 0.0, 0.0});
  scene.add_contact(kWorld, box, {-0.2, 0.0, 0.0}, {1.0, 0.0, 0.0}, 0.0, 1.0);
  const ContactProblem problem = scene.build();
  const ContactSolution falls = solve(problem);
  CHECK(falls.velocity == problem.free_velocity);
  CHECK(falls.modes[0] == ContactMode::Open);
  const ContactSolution hangs = solve(problem, {.sticking = StickingList::Touching});
  // Its contact point does not move: about it I = 0.1 + 0.04, and the torque is 0.2 m g.
  CHECK(hangs.velocity(1) == Approx(0.2 * kG * kStep / 0.14).epsilon(1e-12));
  CHECK(std::abs(hangs.velocity(5) + 0.2 * hangs.velocity(1)) < 1e-15);
  CHECK(hangs.modes[0] == ContactMode::Stick);
}

// A ball and a box on the ground, beside a wall along which the box moves: one list follows the
// other, and each takes pivots.
TEST_CASE("A budget of pivots bounds the solves for one list after another together") {
  SceneBuilder scene(kStep);
  const int ball = scene.add_ball(1.0, 0.1, {5.0, 0.0, 0.1}, {0.0, 0.0, 0.0});
  scene.add_contact(kWorld, ball, {5.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, 0.0, 1.0);
  const int box = scene.add_box(1.0, {0.2, 0.2, 0.2}, {0.0, 0.0, 0.1}, {0.0, 0.3, 0.0});
  scene.add_contact(kWorld, box, {-0.1, 0.0, 0.1}, {1.0, 0.0, 0.0}, 0.0, 1.0);
  for (const double x : {-0.1, 0.1}) {
    for (const double y : {-0.1, 0.1}) {
      scene.add_contact(kWorld, box, {x, y, 0.0}, {0.0, 0.0, 1.0}, 0.0, 1.0);
    }
  }
  const ContactProblem problem = scene.build();
  const int needed = solve(problem).iterations;
  REQUIRE(needed > 3);
  for (int budget = 1; budget <= needed; ++budget) {
    const ContactSolution solution =
        make_model("no-slip", {.max_iterations = budget})->solve(problem, VectorXd());
    CAPTURE(budget, to_string(solution.status));
    CHECK(certify(problem, solution, kTolerance).holds);
    REQUIRE(solution.attempts.front().solver == "no slip");
    CHECK(solution.attempts.front().iterations <= budget);
    if (budget == needed) CHECK(solution.status == SolveStatus::Converged);
    if (budget == 1) CHECK(solution.status != SolveStatus::Converged);
  }
}

// Lynch and Mason: with friction 10^6 at velocity level the trailing rod still slides.
TEST_CASE("A trailing rod slides under any friction, and not without slip", "[A5]") {
  for (const double speed : {1.0, -1.0}) {
    const ContactProblem problem = test::dragged_rod(0.8, 1e6, speed, kStep);
    const ContactSolution solution = solve(problem, {.sticking = StickingList::Touching});
    const VectorXd u = problem.contact_velocities(solution.velocity);
    CHECK(u.head<2>().norm() < 1e-14);
    const double coulomb = std::abs(problem.contact_velocities(
        make_model("coulomb", {})->solve(problem, VectorXd()).velocity)(0));
    CHECK((coulomb > 1e-2) == (speed > 0.0));
  }
}

/// Returns the same contacts in another order, some of them twice.
ContactProblem shuffled(std::mt19937_64& random, const std::vector<Vector3d>& corners) {
  std::vector<Vector3d> result = corners;
  for (const Vector3d& corner : corners) {
    if (random() % 2 == 0) result.push_back(corner);
  }
  std::shuffle(result.begin(), result.end(), random);
  return pressed_cube(result);
}

TEST_CASE("Which dependent rows are dropped does not matter, nor do contacts listed twice",
          "[A3]") {
  std::mt19937_64 random(81);
  const VectorXd reference = solve(pressed_cube(all_corners())).velocity;
  for (int k = 0; k < test::num_cases(2000); ++k) {
    const VectorXd velocity = solve(shuffled(random, all_corners())).velocity;
    CHECK((velocity - reference).cwiseAbs().maxCoeff() < 1e-9);
  }
}

TEST_CASE("No slip and friction beyond measure agree where every contact is loaded", "[A5]") {
  for (const double slope : {0.1, 0.4}) {
    const Vector3d gravity(kG * std::sin(slope), 0.0, -kG * std::cos(slope));
    const ContactProblem problem = test::box_on_plane(1e3, {0.0, 0.0, -0.2}, kStep, gravity);
    const ContactSolution solution = solve(problem);
    CHECK((solution.velocity - make_model("coulomb", {})->solve(problem, VectorXd()).velocity)
              .cwiseAbs()
              .maxCoeff() < 1e-9);
  }
}

TEST_CASE("Restitution acts along the normal, and what bounces does not slip either") {
  for (const RestitutionLaw law : {RestitutionLaw::Newton, RestitutionLaw::Poisson}) {
    SceneBuilder scene(kStep, {0.0, 0.0, 0.0});
    const int ball = scene.add_ball(1.0, 0.1, {0.0, 0.0, 0.1}, {0.7, 0.0, -2.0});
    scene.add_contact(kWorld, ball, {0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, 0.0, 1.0);
    ContactProblem problem = scene.build();
    problem.contacts[0].restitution = 0.5;
    const ContactSolution solution = solve(problem, {.restitution = law});
    CHECK(solution.velocity(5) == Approx(1.0).epsilon(1e-12));
    CHECK(solution.velocity(3) == Approx(5.0 / 7.0 * 0.7).epsilon(1e-12));
    CHECK(solution.modes[0] == ContactMode::Impact);
  }
}

TEST_CASE("At most as many normal impulses act as there are independent normals", "[A6]") {
  SceneBuilder scene(kStep);
  const int plate = scene.add_box(1.0, {1.0, 1.0, 0.1}, {0.0, 0.0, 0.05});
  for (int i = 0; i < 20; ++i) {
    for (int j = 0; j < 20; ++j) {
      scene.add_contact(kWorld, plate, {-0.5 + i / 19.0, -0.5 + j / 19.0, 0.0}, {0.0, 0.0, 1.0},
                        0.0, 1.0);
    }
  }
  const ContactProblem problem = scene.build();
  const ContactSolution solution = solve(problem);
  int positive = 0;
  for (Index i = 0; i < 400; ++i) positive += solution.impulses(3 * i + 2) > 0.0;
  CHECK(positive <= 3);
  CHECK(solution.velocity.isZero(1e-13));
  CHECK(std::all_of(solution.modes.begin(), solution.modes.end(),
                    [](ContactMode mode) { return mode == ContactMode::Stick; }));
}

}  // namespace
}  // namespace amontons

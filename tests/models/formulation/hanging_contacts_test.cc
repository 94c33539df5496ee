#include "amontons/models/formulation/hanging_contacts.h"

#include "amontons/models/common/contact_model.h"
#include "tests/support/contact_scenes.h"
#include "tests/support/joint_row_scenes.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

// The published list of no-slip holds all that touches, and the certificate allows it. Verification
// finds what hangs by that alone.

namespace amontons {
namespace {

using Eigen::Vector3d;
using Eigen::VectorXd;
using test::kWorld;
using test::SceneBuilder;

constexpr double kTolerance = 1e-8;

ContactSolution solve(const ContactProblem& problem, StickingList sticking) {
  ContactSolution solution =
      make_model("no-slip", {.sticking = sticking})->solve(problem, VectorXd());
  CHECK(solution.status == SolveStatus::Converged);
  return solution;
}

/// Returns the number of contacts that hang.
long num_hanging(const ContactProblem& problem, StickingList sticking) {
  const std::vector<char> hangs =
      hanging_contacts(problem, ProblemScaling(problem), solve(problem, sticking), kTolerance);
  return std::count(hangs.begin(), hangs.end(), 1);
}

/// Makes a box of 1 kg with a force, and walls on one or both sides that touch it.
ContactProblem box_beside_walls(const Vector3d& force, bool both, bool on_ice) {
  SceneBuilder scene(5e-3);
  const int box = scene.add_box(1.0, {0.2, 0.2, 0.2}, {0.0, 0.0, 0.0});
  scene.add_force(box, force);
  for (const double a : {-0.1, 0.1}) {
    for (const double b : {-0.1, 0.1}) {
      scene.add_contact(kWorld, box, {0.1, a, b}, {-1.0, 0.0, 0.0}, 0.0, 1.0);
      if (both) scene.add_contact(kWorld, box, {-0.1, a, b}, {1.0, 0.0, 0.0}, 0.0, 1.0);
      if (on_ice) scene.add_contact(kWorld, box, {a, b, -0.1}, {0.0, 0.0, 1.0}, 0.0, 0.0);
    }
  }
  return scene.build();
}

TEST_CASE("A box hangs beside walls if and only if nothing presses it to them") {
  // In the air, and on ice, whose load must not excuse the walls.
  for (const bool on_ice : {false, true}) {
    for (const double push : {-20.0, -5.0, 0.0, 5.0, 20.0}) {
      for (const bool both : {false, true}) {
        const ContactProblem problem = box_beside_walls({push, 0.7, 0.0}, both, on_ice);
        CAPTURE(push, both, on_ice);
        CHECK(num_hanging(problem, StickingList::Loaded) == 0);
        // Gravity turns the box about the wall by 1 N m. A push of 20 N outweighs that by 2 N m;
        // one of 5 N leaves corners without a load.
        if (std::abs(push) == 5.0) continue;
        // Pressed to one of two walls, the published list may also hold the box by the other; on
        // ice two walls may press each other.
        const bool is_pressed = push > 0.0 || (push < 0.0 && both);
        if (both && (is_pressed || on_ice)) continue;
        CHECK((num_hanging(problem, StickingList::Touching) > 0) == !is_pressed);
      }
    }
  }
}

TEST_CASE("The tip of a trailing rod, which loads itself once it slips, does not hang") {
  for (const double angle : {0.5, 0.8, 1.2}) {
    CHECK(num_hanging(test::dragged_rod(angle, 0.9, 1.5, 2e-3), StickingList::Loaded) == 0);
  }
}

TEST_CASE("Nothing hangs in random contacts that are held by their loads") {
  std::mt19937_64 random(78);
  int held_without_load = 0;
  for (int k = 0; k < test::num_cases(5000); ++k) {
    ContactProblem problem = test::random_problem(random, 2 + k % 6, 10.0, 0.0);
    for (Contact& contact : problem.contacts) contact.friction = 1.0;
    CAPTURE(k);
    CHECK(num_hanging(problem, StickingList::Loaded) == 0);
    held_without_load += num_hanging(problem, StickingList::Touching) > 0;
  }
  // The check can fail: the published list does hold contacts without a load.
  CHECK(held_without_load > 0);
}

TEST_CASE("Servos and dry joints press what is let go, so that it does not hang") {
  // A servo within its effort gives way or pushes on as the motion asks, with contacts held or not.
  std::mt19937_64 random(6211);
  for (int k = 0; k < test::num_cases(2000); ++k) {
    const ContactProblem problem = test::random_driven_arm(2 + k % 5, 1 + k % 3, random);
    const ContactSolution solution = make_model("no-slip", {})->solve(problem, VectorXd());
    if (solution.status != SolveStatus::Converged) continue;
    CAPTURE(k);
    const std::vector<char> hangs =
        hanging_contacts(problem, ProblemScaling(problem), solution, kTolerance);
    CHECK(std::count(hangs.begin(), hangs.end(), 1) == 0);
  }
}

}  // namespace
}  // namespace amontons

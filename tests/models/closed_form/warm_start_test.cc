#include "amontons/models/islands/islandwise_solver.h"
#include "tests/support/contact_scenes.h"

#include <Eigen/Core>
#include <catch2/catch.hpp>

#include <memory>
#include <string>
#include <utility>

namespace amontons {
namespace {

/// Makes a box on its four lower corners, which slides at the given velocity [m/s].
ContactProblem box_on_corners(const Eigen::Vector3d& velocity) {
  test::SceneBuilder scene(1e-3);
  const int box = scene.add_box(1.0, {0.2, 0.2, 0.1}, {0.0, 0.0, 0.05}, velocity);
  for (const double x : {-0.1, 0.1}) {
    for (const double y : {-0.1, 0.1}) {
      scene.add_contact(test::kWorld, box, {x, y, 0.0}, {0.0, 0.0, 1.0}, 0.0, 0.3);
    }
  }
  return scene.build();
}

/// Returns the solution of a problem by the default model, from the impulses of the last step.
ContactSolution solve(const ContactProblem& problem, const Eigen::VectorXd& warm_start) {
  const std::unique_ptr<ContactModel> model = make_model("coulomb", {});
  CertifiedSolution found = solve_islands(problem, *model, warm_start, 1e-8);
  REQUIRE(found.certificate.holds);
  return std::move(found.solution);
}

/// Returns true if the impulses of the last step were the answer.
bool is_kept(const ContactSolution& solution) {
  return solution.attempts.size() == 1 && solution.attempts.front().solver == "warm start" &&
         solution.iterations == 0;
}

TEST_CASE("A box that slides steadily keeps its impulses, and their velocity obeys the law") {
  const ContactProblem problem = box_on_corners({2.0, 1.0, 0.0});
  const ContactSolution first = solve(problem, {});
  const ContactSolution second = solve(problem, first.impulses);
  const ContactSolution third = solve(problem, second.impulses);
  CHECK(is_kept(second));
  CHECK(is_kept(third));
  CHECK((second.impulses - first.impulses).norm() <= 1e-15 * first.impulses.norm());
  CHECK(third.impulses == second.impulses);
  CHECK((second.velocity - first.velocity).norm() <= 1e-15 * first.velocity.norm());
  for (const ContactMode mode : second.modes) CHECK(mode == ContactMode::Slide);
}

TEST_CASE("Impulses of the last step that miss the law by little more than rounding are solved") {
  const ContactProblem problem = box_on_corners({2.0, 1.0, 0.0});
  const ContactSolution first = solve(problem, {});
  // Other loads, another direction of slip, and a contact that has opened.
  CHECK_FALSE(is_kept(solve(problem, (1.0 + 1e-9) * first.impulses)));
  CHECK_FALSE(is_kept(solve(box_on_corners({2.0, 1.1, 0.0}), first.impulses)));
  ContactProblem opened = problem;
  opened.contacts.front().gap = 1e-3;
  CHECK_FALSE(is_kept(solve(opened, first.impulses)));
}

TEST_CASE("A box at rest keeps its impulses to the last bit, and loads that would lift it do not") {
  const ContactProblem problem = box_on_corners({0.0, 0.0, 0.0});
  const ContactSolution first = solve(problem, {});
  const ContactSolution second = solve(problem, first.impulses);
  CHECK(is_kept(second));
  CHECK(second.impulses == first.impulses);
  CHECK(second.velocity.isZero(0.0));
  CHECK_FALSE(is_kept(solve(problem, 2.0 * first.impulses)));
}

}  // namespace
}  // namespace amontons

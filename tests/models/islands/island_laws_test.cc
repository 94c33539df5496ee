#include "amontons/models/common/contact_model.h"
#include "amontons/models/islands/islandwise_solver.h"
#include "tests/support/contact_scenes.h"

#include <catch2/catch.hpp>

#include <cmath>

namespace amontons {
namespace {

using Eigen::VectorXd;

/// Returns a ball that lands obliquely beside a heavy plank on eight points that slides and turns.
ContactProblem ball_and_plank() {
  test::SceneBuilder scene(5e-3);
  const int ball = scene.add_ball(0.4, 0.1, {-3.0, 0.0, 0.1}, {0.7, 0.2, -0.5});
  scene.add_contact(test::kWorld, ball, {-3.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, 0.0, 0.3);
  const int plank = scene.add_body(30.0, Eigen::Vector3d(0.43, 6.4, 6.8).asDiagonal(),
                                   {0.0, 0.0, 0.05}, {0.4, -0.9, -0.1}, {0.5, 0.3, 1.1});
  for (int k = 0; k < 8; ++k) {
    const double angle = 0.785 * k;
    scene.add_contact(test::kWorld, plank, {0.8 * std::cos(angle), 0.2 * std::sin(angle), 0.0},
                      {0.05 * std::cos(3.0 * angle), 0.05 * std::sin(2.0 * angle), 1.0}, -1e-5 * k,
                      0.9);
  }
  return scene.build();
}

}  // namespace

TEST_CASE("A step has the law of its weakest island, and each contact that of its own") {
  const ContactProblem problem = ball_and_plank();
  const ModelSettings settings{.acceptable_tolerance = 0.0, .max_iterations = 1};
  const std::unique_ptr<ContactModel> model = make_model("coulomb", settings);
  const CertifiedSolution found = solve_islands(problem, *model, VectorXd(), 1e-8);
  const ContactSolution& solution = found.solution;
  // One iteration is too few for the plank; the ball has a closed form.
  REQUIRE(solution.status != SolveStatus::Converged);
  REQUIRE(solution.law.kind != LawKind::Coulomb);
  REQUIRE(solution.contact_laws.size() == problem.num_contacts());
  CHECK(solution.law_of(0) == LawKind::Coulomb);
  for (std::size_t c = 1; c < problem.num_contacts(); ++c) {
    CHECK(solution.law_of(c) == solution.law.kind);
  }
  CHECK(found.certificate.holds);
  CHECK(found.certificate.law_distance.value > 1e-3);
  CHECK(found.certificate.law_distance.where > 0);
}

TEST_CASE("Where every island has the law asked, the step names it once") {
  const ContactProblem problem = ball_and_plank();
  const std::unique_ptr<ContactModel> model = make_model("coulomb", {});
  const CertifiedSolution found = solve_islands(problem, *model, VectorXd(), 1e-8);
  CHECK(found.solution.status == SolveStatus::Converged);
  CHECK(found.solution.law.kind == LawKind::Coulomb);
  CHECK(found.solution.contact_laws.empty());
  CHECK(found.certificate.law_distance.value <= 1e-8);
}

}  // namespace amontons

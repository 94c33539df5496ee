#include "amontons/models/islands/left_corrections.h"

#include "tests/support/contact_scenes.h"

#include <catch2/catch.hpp>

namespace amontons {
namespace {

/// Answers under Coulomb's law with a status that claims no law.
class HesitantModel : public ContactModel {
 public:
  ContactSolution solve(const ContactProblem& problem, const ProblemScaling& scaling,
                        const Eigen::Ref<const Eigen::VectorXd>& warm_start) const override {
    ContactSolution solution = coulomb_->solve(problem, scaling, warm_start);
    solution.status = SolveStatus::Stalled;
    return solution;
  }
  CertifiedSolution solve_certified(const ContactProblem& problem, const ProblemScaling& scaling,
                                    const Eigen::VectorXd& warm_start, double tolerance,
                                    ModelMemory&) const override {
    CertifiedSolution found{solve(problem, scaling, warm_start), {}};
    found.certificate = certify(problem, scaling, found.solution, tolerance);
    found.certificate.require(false);
    return found;
  }
  ModelTraits traits() const override { return coulomb_->traits(); }

 private:
  std::unique_ptr<ContactModel> coulomb_ = make_model("coulomb", {});
};

/// Returns what leave_corrections() makes of a failed answer for a ball deep in the ground.
/// @param rise  upward velocity of the ball [m/s].
CertifiedSolution answer_for_sunk_ball(double rise) {
  test::SceneBuilder scene(5e-3);
  const int ball = scene.add_ball(1.0, 0.1, {0.0, 0.0, 0.0}, {0.0, 0.0, rise});
  scene.add_contact(test::kWorld, ball, {0.0, 0.0, -0.05}, {0.0, 0.0, 1.0}, -0.1, 0.3);
  ContactProblem problem = scene.build();
  problem.overlap_speed = 3.0;
  const HesitantModel model;
  ProblemScaling scaling(problem);
  CertifiedSolution certified{model.solve(problem, scaling, Eigen::VectorXd()), {}};
  certified.solution.velocity.setConstant(100.0);
  certified.certificate = certify(problem, scaling, certified.solution, 1e-8);
  REQUIRE_FALSE(certified.certificate.holds);
  ModelMemory memory;
  leave_corrections(model, problem, Eigen::VectorXd(), 1e-8, memory, scaling, certified);
  CHECK(certified.certificate.holds == certify(problem, certified.solution, 1e-8).holds);
  return certified;
}

}  // namespace

TEST_CASE("An answer without corrections that meets the law asked is Converged, whoever found it") {
  const CertifiedSolution opening = answer_for_sunk_ball(10.0);
  CHECK(opening.certificate.holds);
  CHECK(opening.solution.status == SolveStatus::Converged);
  // A ball at rest does not open its overlap by itself.
  const CertifiedSolution resting = answer_for_sunk_ball(0.0);
  CHECK_FALSE(resting.certificate.holds);
  CHECK(resting.solution.status == SolveStatus::Stalled);
}

}  // namespace amontons

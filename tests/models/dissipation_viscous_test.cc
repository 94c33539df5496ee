#include "amontons/contact/certificate/certificate.h"
#include "amontons/models/common/contact_model.h"
#include "tests/models/skate.h"
#include "tests/support/certified_solve.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>

// Viscous friction under maximum dissipation: an offset of the discs, in the sum or as
// printed.
namespace amontons::test {
namespace {

constexpr double kStep = 1e-2, kG = 9.81, kTolerance = 1e-8;
constexpr const char* kModel = "maximum-dissipation";

TEST_CASE("Viscous friction adds to Coulomb's, never turns the motion round, never acts at a gap") {
  for (const double mu : {0.0, 0.2}) {
    for (const double viscous : {0.5, 1e4}) {
      for (const double gap : {0.0, 1e-3}) {
        const ContactProblem problem = skate(kStep, mu, viscous, 1.0, gap);
        // Falling g h^2 = 0.98 mm in the step, the box does not reach a floor 1 mm below.
        const double braking = gap > 0.0 ? 0.0 : kStep * (mu * kG + 4.0 * viscous * 1.0);
        CAPTURE(mu, viscous, gap);
        CHECK(certified_solve(kModel, problem).velocity(3) ==
              Approx(std::max(0.0, 1.0 - braking)).margin(1e-12));
      }
    }
  }
}

// A product of two terms is a sum where one of them is zero; and a contact that sticks is within
// both.
TEST_CASE("The printed viscous bound is claimed where it is convex or kept, and nowhere else") {
  struct Case {
    double mu, viscous, speed;
    bool keeps;
  };
  const Case cases[] = {{0.0, 0.5, 1.0, true},
                        {0.2, 0.0, 1.0, true},
                        {0.2, 0.5, 1.0, false},
                        {0.2, 0.5, 1e-3, true}};  // sticks: mu g h = 0.02 m/s
  ModelSettings literal;
  literal.literal_viscous_bound = true;
  for (const Case& own : cases) {
    CAPTURE(own.mu, own.viscous, own.speed);
    const ContactProblem problem = skate(kStep, own.mu, own.viscous, own.speed);
    const ContactSolution solution = make_model(kModel, literal)->solve(problem, Eigen::VectorXd());
    CHECK(solution.status == (own.keeps ? SolveStatus::Converged : SolveStatus::Convexified));
    CHECK(solution.law.kind ==
          (own.keeps ? LawKind::LiteralDissipation : LawKind::MaximumDissipation));
    CHECK(certify(problem, solution, kTolerance).holds);
    const std::string& remark = solution.attempts.back().remark;
    CHECK((remark.find("not convex at contact") != std::string::npos) == !own.keeps);
    CHECK(solution.velocity.isApprox(certified_solve(kModel, problem).velocity));
  }
}

}  // namespace
}  // namespace amontons::test

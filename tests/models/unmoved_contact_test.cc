#include "amontons/contact/problem_from_matrices.h"
#include "amontons/models/common/contact_model.h"
#include "amontons/models/islands/islandwise_solver.h"

#include <catch2/catch.hpp>

#include <string>

// Contacts whose rows are zero: no velocity changes what they do.

namespace amontons {
namespace {

constexpr double kTolerance = 1e-8;

/// Returns a mass that presses on a contact of its own, and a contact that nothing moves.
/// @param bias  velocity of the latter along its normal [m/s].
/// @param gap   its gap [m], at a step of 10 ms.
ContactProblem with_unmoved_contact(bool has_other, double bias, double gap) {
  ProblemMatrices matrices;
  const Eigen::Index nc = has_other ? 2 : 1;
  matrices.M.resize(3, 3);
  matrices.M.setIdentity();
  matrices.J.resize(3 * nc, 3);
  if (has_other) {
    for (int i = 0; i < 3; ++i) matrices.J.insert(3 + i, i) = 1.0;
  }
  matrices.free_velocity = Eigen::Vector3d(0.2, 0.0, has_other ? -1.0 : 0.0);
  matrices.friction = Eigen::VectorXd::Constant(nc, 0.5);
  matrices.bias = Eigen::VectorXd::Zero(3 * nc);
  matrices.bias(2) = bias;
  matrices.gap = Eigen::VectorXd::Zero(nc);
  matrices.gap(0) = gap;
  matrices.step = 0.01;
  return problem_from_matrices(matrices);
}

TEST_CASE("A contact that nothing moves must not approach, under every model") {
  const std::string name = GENERATE("coulomb", "frictionless", "convex-relaxation", "no-slip",
                                    "maximum-dissipation", "stewart-trinkle", "viscous", "mirtich");
  const bool has_other = GENERATE(false, true);
  struct Case {
    double bias, gap;
    bool is_feasible;
  };
  // Gap and bias: at 1 m/s a gap of 10 mm closes in the step.
  const Case own = GENERATE(Case{0.0, 0.0, true}, Case{1.0, 0.0, true}, Case{-1.0, 0.02, true},
                            Case{-1.0, 0.0, false}, Case{-1.0, 0.005, false},
                            Case{0.0, -0.01, false}, Case{2.0, -0.01, true});
  if (name == "mirtich" && own.gap < 0.0) return;  // collisions remove no overlap
  CAPTURE(name, has_other, own.bias, own.gap);
  const ContactProblem problem = with_unmoved_contact(has_other, own.bias, own.gap);
  const auto model = make_model(name, {});
  const CertifiedSolution answer = solve_islands(problem, *model, Eigen::VectorXd(), kTolerance);
  CHECK(answer.certificate.holds == own.is_feasible);
  CHECK((answer.solution.status == SolveStatus::Infeasible) == !own.is_feasible);
  CHECK((answer.certificate.law_distance.value > 0.1) == !own.is_feasible);
  CHECK(answer.solution.velocity.allFinite());
}

/// Returns a contact whose joints leave it one motion, along which u = (0.5, 0, 0.1) v, with an
/// overlap of 1 mm at a step of 10 ms.
ContactProblem with_pinned_contact(double friction) {
  ProblemMatrices matrices;
  matrices.M.resize(1, 1);
  matrices.M.setIdentity();
  matrices.J.resize(3, 1);
  matrices.J.insert(0, 0) = 0.5;
  matrices.J.insert(2, 0) = 0.1;
  matrices.free_velocity = Eigen::VectorXd::Zero(1);
  matrices.friction = Eigen::VectorXd::Constant(1, friction);
  matrices.bias = Eigen::VectorXd::Zero(3);
  matrices.gap = Eigen::VectorXd::Constant(1, -1e-3);
  matrices.step = 0.01;
  return problem_from_matrices(matrices);
}

TEST_CASE(
    "A pinned contact opens at s / (u_n - mu |u_t|) by the relaxation, at s / u_n by Coulomb") {
  const auto solve = [](const char* name, double friction) {
    return make_model(name, {})->solve(with_pinned_contact(friction), Eigen::VectorXd());
  };
  const double s = 0.1, u_n = 0.1, u_t = 0.5;
  for (const double friction : {0.0, 0.1, 0.15, 0.19}) {
    CAPTURE(friction);
    const ContactSolution relaxed = solve("convex-relaxation", friction);
    CHECK(relaxed.status == SolveStatus::Converged);
    CHECK(relaxed.velocity(0) == Approx(s / (u_n - friction * u_t)).epsilon(1e-7));
    const ContactSolution coulomb = solve("coulomb", friction);
    CHECK(coulomb.status == SolveStatus::Converged);
    CHECK(coulomb.velocity(0) == Approx(s / u_n).epsilon(1e-7));
  }
  // Above mu |u_t| = u_n friction holds it against every push: neither law has an answer.
  for (const char* name : {"convex-relaxation", "coulomb"}) {
    CHECK(solve(name, 0.3).status == SolveStatus::Safe);
  }
}

}  // namespace
}  // namespace amontons

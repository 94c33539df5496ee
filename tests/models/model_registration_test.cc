#include "amontons/models/model_registration.h"

#include "amontons/contact/problem_from_matrices.h"
#include "amontons/math/residual_trace.h"
#include "amontons/models/impulse_solution.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace amontons {
namespace {

using Eigen::VectorXd;

/// Makes two unit masses in a row on a plane: the first pushes aside and down, the second lifts
/// off.
ContactProblem two_masses(double friction) {
  ProblemMatrices matrices;
  matrices.M.resize(6, 6);
  matrices.M.setIdentity();
  matrices.J.resize(6, 6);
  matrices.J.setIdentity();
  matrices.friction = VectorXd::Constant(2, friction);
  matrices.free_velocity.resize(6);
  matrices.free_velocity << 0.3, 0.4, -2.0, 0.1, 0.0, 0.5;
  return problem_from_matrices(matrices);
}

/// Returns the impulses of unit masses in closed form.
VectorXd closed_form(const ContactProblem& problem, const VectorXd& s) {
  VectorXd p = VectorXd::Zero(3 * s.size());
  const VectorXd u = problem.contact_velocities(problem.free_velocity);
  for (Eigen::Index i = 0; i < s.size(); ++i) {
    p[3 * i + 2] = std::max(0.0, -(u[3 * i + 2] + s[i]));
    const Eigen::Vector2d slip = u.segment<2>(3 * i);
    const double most = problem.contacts[static_cast<std::size_t>(i)].friction * p[3 * i + 2];
    const double share = slip.norm() > most ? most / slip.norm() : 1.0;
    p.segment<2>(3 * i) = -share * slip;
  }
  return p;
}

TEST_CASE("A registered model solves problems under its name, and the certificate tells how well") {
  register_model("test-closed-form", [](const ModelSettings& settings) {
    return make_own_model("test-closed-form", closed_form, settings);
  });
  CHECK(has_model("test-closed-form"));
  for (const double friction : {0.0, 0.1, 5.0}) {
    const ContactProblem problem = two_masses(friction);
    const ContactSolution own = make_model("test-closed-form", {})->solve(problem, VectorXd());
    const ContactSolution ours = make_model("coulomb", {})->solve(problem, VectorXd());
    CHECK(own.status == SolveStatus::Converged);
    CHECK((own.impulses - ours.impulses).norm() < 1e-7);
    CHECK((own.velocity - ours.velocity).norm() < 1e-7);
    CHECK(certify_impulses(problem, ours.impulses, {}, own.law, 1e-7).certificate.holds);
  }
}

TEST_CASE("Impulses that miss a law are a solution whose certificate says by how much") {
  const ContactProblem problem = two_masses(0.1);
  const VectorXd exact = closed_form(problem, VectorXd::Zero(2));
  for (const double error : {1e-1, 1e-3, 1e-5}) {
    VectorXd p = exact;
    p[2] += error;
    const CertifiedSolution found = certify_impulses(problem, p, {}, {LawKind::Coulomb}, 1e-8);
    CHECK(!found.certificate.holds);
    CHECK(found.solution.status == SolveStatus::IterationLimit);
    // One unit mass: the map errs by the impulse over the speed of the free motion.
    CHECK(found.certificate.normal.value ==
          Approx(error / problem.free_velocity.norm()).epsilon(1));
    CHECK(found.certificate.normal.where == 0);
  }
}

TEST_CASE("A name of the catalog, a law of collisions and wrong sizes are refused") {
  const auto solver = [](const ContactProblem&, const VectorXd&) { return VectorXd(2); };
  const auto maker = [&](const ModelSettings& s) { return make_own_model("short", solver, s); };
  CHECK_THROWS_AS(register_model("coulomb", maker), std::invalid_argument);
  CHECK_THROWS_AS(register_model("", maker), std::invalid_argument);
  CHECK_THROWS_AS(make_own_model("short", solver, {}, LawKind::Impact), std::invalid_argument);
  CHECK_THROWS_AS(law_named("coulumb"), std::invalid_argument);
  CHECK(law_named("coulomb") == LawKind::Coulomb);
  CHECK(law_named("convex-relaxation") == LawKind::ConvexCone);
  const ContactProblem problem = two_masses(0.1);
  CHECK_THROWS_WITH(make_own_model("short", solver, {})->solve(problem, VectorXd()),
                    Catch::Contains("2 impulses; 6 are needed"));
  CHECK_THROWS_AS(certify_impulses(problem, VectorXd::Zero(5), {}, {LawKind::Coulomb}, 1e-8),
                  std::invalid_argument);
}

TEST_CASE("Matrices make the problem whose velocities they give, and do not fit otherwise") {
  ProblemMatrices matrices;
  matrices.M.resize(4, 4);
  for (const auto& [i, j, value] :
       {std::tuple{0, 0, 2.0}, {0, 1, 0.5}, {1, 0, 0.5}, {1, 1, 1.0}, {2, 2, 3.0}, {3, 3, 1.0}}) {
    matrices.M.insert(i, j) = value;
  }
  matrices.J.resize(3, 4);
  matrices.J.insert(2, 0) = 1.0;
  matrices.J.insert(2, 2) = -1.0;
  matrices.J.insert(0, 3) = 1.0;
  matrices.free_velocity = Eigen::Vector4d(-1.0, 0.5, 0.0, 0.2);
  matrices.friction = VectorXd::Constant(1, 0.5);
  matrices.G.resize(1, 4);
  matrices.G.insert(0, 1) = 1.0;
  matrices.target = VectorXd::Constant(1, 0.25);
  const ContactProblem problem = problem_from_matrices(matrices);
  CHECK(problem.mass_matrix.num_blocks() == 3);
  CHECK(problem.mass_matrix.to_dense() == Eigen::MatrixXd(matrices.M));
  CHECK(problem.contact_jacobian.to_dense() == Eigen::MatrixXd(matrices.J));
  const ContactSolution solution = make_model("coulomb", {})->solve(problem, VectorXd());
  CHECK(solution.status == SolveStatus::Converged);
  CHECK(solution.velocity[1] == Approx(0.25));
  CHECK(solution.velocity[0] - solution.velocity[2] == Approx(0.0).margin(1e-9));
  matrices.M.coeffRef(0, 1) = 0.7;
  CHECK_THROWS_WITH(problem_from_matrices(matrices), Catch::Contains("symmetric"));
}

TEST_CASE("A problem of arrays has a positive definite M and finite velocities") {
  ProblemMatrices matrices;
  matrices.M = Eigen::Vector3d(1.0, 2.0, 3.0).asDiagonal();
  matrices.J.resize(3, 3);
  matrices.J.setIdentity();
  matrices.friction = VectorXd::Constant(1, 0.5);
  matrices.free_velocity = VectorXd::Ones(3);
  CHECK_NOTHROW(problem_from_matrices(matrices));
  ProblemMatrices wrong = matrices;
  for (const double mass : {-2.0, 0.0}) {
    wrong.M.coeffRef(1, 1) = mass;
    CHECK_THROWS_WITH(problem_from_matrices(wrong),
                      Catch::Contains("M: ") && Catch::Contains("not positive definite"));
  }
  wrong = matrices;
  wrong.free_velocity[2] = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_WITH(problem_from_matrices(wrong), Catch::Contains("free_velocity is not finite"));
}

TEST_CASE("A trace holds the residual of the impulses that an own solver returns") {
  const ContactProblem problem = two_masses(0.5);
  for (const double share : {1.0, 0.9}) {
    const auto model = make_own_model(
        "own",
        [&](const ContactProblem& p, const VectorXd& s) -> VectorXd {
          return share * closed_form(p, s);
        },
        {}, LawKind::Coulomb);
    const ResidualTrace trace;
    const ContactSolution solution = model->solve(problem, VectorXd());
    REQUIRE(trace.residuals().size() == 1);
    CHECK((trace.residuals().front() <= 1e-8) == (solution.status == SolveStatus::Converged));
    CHECK((share == 1.0) == (solution.status == SolveStatus::Converged));
  }
}

TEST_CASE("A trace holds the residuals that cone methods evaluate, and ends with the last") {
  const ContactProblem problem = two_masses(0.1);
  const ResidualTrace outer;
  {
    const ResidualTrace trace;
    make_model("coulomb", {})->solve(problem, VectorXd());
    REQUIRE(!trace.residuals().empty());
    CHECK(*std::min_element(trace.residuals().begin(), trace.residuals().end()) < 1e-8);
  }
  CHECK(outer.residuals().empty());
}

TEST_CASE(
    "Methods of complementarity problems are models of their law, each by that method alone") {
  for (const char* name :
       {"lemke", "lemke-plain", "ppm", "block-pivoting", "gradient-projection"}) {
    const bool has_friction = std::string(name).find("lemke") == 0;
    const ContactProblem problem = two_masses(0.5);
    const ContactSolution found = make_model(name, {})->solve(problem, VectorXd());
    const ContactSolution expected =
        make_model(has_friction ? "anitescu-hart" : "frictionless", {})->solve(problem, VectorXd());
    CAPTURE(name);
    CHECK(found.law.kind == (has_friction ? LawKind::Pyramid : LawKind::Frictionless));
    REQUIRE(found.attempts.size() == 1);
    CHECK(found.attempts.front().solver == name);
    CHECK((found.impulses - expected.impulses).norm() < 1e-7);
    CHECK(certify_impulses(problem, found.impulses, {}, found.law, 1e-7).certificate.holds);
  }
}

TEST_CASE("By one method alone contacts bounce as they do under the model of their law") {
  ContactProblem problem = two_masses(0.5);
  problem.velocity = problem.free_velocity;
  problem.contacts[0].restitution = 0.5;
  for (const char* name : {"lemke", "lemke-plain", "ppm", "block-pivoting"}) {
    const bool has_friction = std::string(name).find("lemke") == 0;
    for (const RestitutionLaw law : {RestitutionLaw::Newton, RestitutionLaw::Poisson}) {
      const ModelSettings settings{.restitution = law};
      const ContactSolution found = make_model(name, settings)->solve(problem, VectorXd());
      const ContactSolution expected =
          make_model(has_friction ? "anitescu-hart" : "frictionless", settings)
              ->solve(problem, VectorXd());
      CAPTURE(name);
      CHECK(found.velocity(2) > 0.9);  // e times the approach of 2 m/s
      CHECK((found.velocity - expected.velocity).norm() < 1e-7);
    }
  }
}

TEST_CASE("A method says that it does not take the matrix of dry friction") {
  ContactProblem problem = two_masses(0.0);
  problem.contacts[0].friction_offset = 0.1;
  const ContactSolution found = make_model("ppm", {})->solve(problem, VectorXd());
  CHECK(found.status == SolveStatus::NumericalFailure);
  CHECK(found.attempts.front().remark.find("symmetric") != std::string::npos);
  CHECK(make_model("lemke", {})->solve(problem, VectorXd()).status == SolveStatus::Converged);
}

TEST_CASE("An unknown model is answered by the nearest of all names, and by all of them") {
  for (const auto& [wrong, near] :
       {std::pair{"newtn", "newton"}, std::pair{"lemk-plain", "lemke-plain"},
        std::pair{"mirtch", "mirtich"}}) {
    CHECK_THROWS_WITH(make_model(wrong, {}),
                      Catch::Matchers::Contains(std::string("did you mean '") + near + "'"));
  }
  for (const ModelGroup group : {ModelGroup::Laws, ModelGroup::Impacts, ModelGroup::Methods}) {
    for (const std::string& name : model_names(group)) {
      CHECK(has_model(name));
      CHECK_THROWS_WITH(make_model("qqqqqqqq", {}), Catch::Matchers::Contains(name));
    }
  }
}

}  // namespace
}  // namespace amontons

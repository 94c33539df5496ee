#include "amontons/optimization/programs/lcp_methods.h"

#include "amontons/math/nearest_name.h"
#include "amontons/math/residual_trace.h"
#include "amontons/optimization/lcp/pivot_trace.h"
#include "amontons/optimization/programs/box_qp_methods.h"
#include "tests/support/random_matrix.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <stdexcept>
#include <vector>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kTolerance = 1e-8;

TEST_CASE("All methods find the same w of a semidefinite problem that has a solution") {
  std::mt19937_64 random(7);
  for (int k = 0; k < test::num_cases(2000); ++k) {
    const Index n = 1 + static_cast<Index>(random() % 12),
                m = 1 + static_cast<Index>(random() % 12);
    const MatrixXd G = test::random_matrix(random, n, m);
    // q = G a + |s| has the feasible point a: M z + q >= 0 for some z where a is in its range.
    const VectorXd a = test::random_matrix(random, m, 1);
    const VectorXd slack = test::random_matrix(random, n, 1).cwiseAbs();
    const LinearComplementarityProblem problem{G * G.transpose(), G * a + slack};
    const ProgramAnswer expected = solve_lcp(problem, "lemke", kTolerance);
    if (expected.status != SolveStatus::Converged) continue;
    for (const std::string& method : lcp_method_names()) {
      const ProgramAnswer found = solve_lcp(problem, method, kTolerance);
      CAPTURE(method, n, m, to_string(found.status));
      // The published routine may fail, and says so.
      if (method == "lemke-plain" && found.status != SolveStatus::Converged) continue;
      CHECK(found.status == SolveStatus::Converged);
      CHECK(found.residual <= kTolerance);
      // w is the same for every solution of a problem with a semidefinite matrix.
      const double size = 1.0 + problem.q.norm() + (problem.M * expected.x).norm();
      CHECK((problem.M * (found.x - expected.x)).norm() < 1e-6 * size);
    }
  }
}

TEST_CASE("A method that needs a symmetric matrix refuses another one, and says which take it") {
  const LinearComplementarityProblem problem{(MatrixXd(2, 2) << 1.0, 1.0, 0.0, 1.0).finished(),
                                             VectorXd::Constant(2, -1.0)};
  for (const char* method : {"ppm", "block-pivoting", "gradient-projection"}) {
    CHECK_THROWS_WITH(solve_lcp(problem, method, kTolerance),
                      Catch::Matchers::StartsWith(method) &&
                          Catch::Matchers::Contains("lemke and lemke-plain take any"));
  }
  CHECK(solve_lcp(problem, "lemke", kTolerance).status == SolveStatus::Converged);
}

TEST_CASE("An unknown method is answered by the nearest name and all names") {
  const LinearComplementarityProblem problem{MatrixXd::Identity(1, 1), VectorXd::Ones(1)};
  CHECK_THROWS_WITH(solve_lcp(problem, "lemk", kTolerance),
                    Catch::Matchers::Contains("did you mean 'lemke'") &&
                        Catch::Matchers::Contains("one of: " + joined_names(lcp_method_names())));
  const BoxQuadraticProgram program{problem.M, problem.q, VectorXd::Zero(1), VectorXd::Ones(1)};
  CHECK_THROWS_WITH(solve_box_qp_by(program, "lemke", kTolerance),
                    Catch::Matchers::Contains("one of: block-pivoting, gradient-projection"));
}

/// Returns the basis that exchanges lead to, from all w.
std::set<Index> basis_after(const std::vector<PivotTrace::Pivot>& pivots, Index n) {
  std::set<Index> basis;
  for (Index i = 0; i < n; ++i) basis.insert(n + i);
  for (const auto& [entering, leaving] : pivots) {
    CHECK(basis.erase(leaving) == 1);
    CHECK(basis.insert(entering).second);
  }
  return basis;
}

TEST_CASE("The exchanges of a path lead from all w to the basis of its solution") {
  std::mt19937_64 random(11);
  for (int k = 0; k < test::num_cases(500); ++k) {
    const Index n = 2 + static_cast<Index>(random() % 10);
    const MatrixXd G = test::random_matrix(random, n, n);
    const LinearComplementarityProblem problem{G * G.transpose() + MatrixXd::Identity(n, n),
                                               test::random_matrix(random, n, 1)};
    for (const char* method : {"lemke", "lemke-plain", "ppm"}) {
      const PivotTrace trace;
      const ProgramAnswer found = solve_lcp(problem, method, kTolerance);
      CAPTURE(method, n);
      REQUIRE(found.status == SolveStatus::Converged);
      const std::set<Index> basis = basis_after(trace.pivots(), n);
      for (Index i = 0; i < n; ++i) CHECK((basis.count(i) == 1) == (found.x(i) > 0.0));
    }
  }
}

TEST_CASE("Every method has a history of residuals that ends within the tolerance") {
  std::mt19937_64 random(13);
  const MatrixXd G = test::random_matrix(random, 12, 12);
  const LinearComplementarityProblem problem{G * G.transpose(), -VectorXd::Ones(12)};
  for (const std::string& method : lcp_method_names()) {
    const ResidualTrace trace;
    CAPTURE(method);
    CHECK(solve_lcp(problem, method, kTolerance).status == SolveStatus::Converged);
    REQUIRE(trace.residuals().size() > 1);
    CHECK(trace.residuals().front() > kTolerance);
    CHECK(trace.residuals().back() <= kTolerance);
  }
}

TEST_CASE("A mixed problem holds its equations, and is complementary elsewhere") {
  std::mt19937_64 random(17);
  for (int k = 0; k < test::num_cases(500); ++k) {
    const Index n = 2 + static_cast<Index>(random() % 10);
    const MatrixXd G = test::random_matrix(random, n, n);
    MixedComplementarityProblem problem{G * G.transpose() + 0.1 * MatrixXd::Identity(n, n),
                                        test::random_matrix(random, n, 1), std::vector<char>()};
    for (Index i = 0; i < n; ++i) problem.is_free.push_back(static_cast<char>(random() % 2));
    for (const char* method : {"lemke", "ppm"}) {
      const ProgramAnswer found = solve_mixed_lcp(problem, method, kTolerance);
      CAPTURE(method, n);
      REQUIRE(found.status == SolveStatus::Converged);
      const VectorXd w = problem.M * found.x + problem.q;
      const double size = 1.0 + problem.q.norm();
      for (Index i = 0; i < n; ++i) {
        const bool is_free = problem.is_free[static_cast<std::size_t>(i)] != 0;
        CHECK(std::abs(is_free ? w(i) : std::min(found.x(i), w(i))) < 1e-7 * size);
      }
    }
  }
}

TEST_CASE("Free variables whose equations depend on each other are refused") {
  const MixedComplementarityProblem problem{MatrixXd::Ones(3, 3), VectorXd::Ones(3), {1, 1, 0}};
  CHECK_THROWS_WITH(solve_mixed_lcp(problem, "lemke", kTolerance),
                    Catch::Matchers::Contains("singular"));
}

}  // namespace
}  // namespace amontons

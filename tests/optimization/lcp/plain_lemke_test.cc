#include "amontons/optimization/lcp/plain_lemke.h"

#include "amontons/optimization/lcp/lemke.h"
#include "tests/optimization/lcp/friction_lcp.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>
#include <set>
#include <vector>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

TEST_CASE("Plain Lemke solves positive definite problems, whose answer is one") {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  for (int k = 0; k < test::num_cases(2000); ++k) {
    const Index n = 1 + static_cast<Index>(random() % 12);
    const MatrixXd G = MatrixXd::NullaryExpr(n, n, [&](Index, Index) { return normal(random); });
    const LinearComplementarityProblem problem{
        G * G.transpose() + 0.1 * MatrixXd::Identity(n, n),
        VectorXd::NullaryExpr(n, [&](Index) { return normal(random); })};
    const PlainLemkeSolution plain = solve_plain_lemke(problem);
    REQUIRE(plain.status == SolveStatus::Converged);
    CHECK(plain.ridge == 0.0);
    CHECK((plain.z - solve_lemke(problem).z).norm() < 1e-8 * (1.0 + plain.z.norm()));
  }
}

TEST_CASE("Plain Lemke finds no answer where there is none, and says so") {
  // w = -z - 1 is never positive.
  const LinearComplementarityProblem problem{-MatrixXd::Identity(1, 1), -VectorXd::Ones(1)};
  for (const bool regularize : {false, true}) {
    const PlainLemkeSolution plain = solve_plain_lemke(problem, {.regularize = regularize});
    // With a ridge above 1 a path ends with z0 out, at an answer that is none.
    CHECK(plain.status == (regularize ? SolveStatus::Stalled : SolveStatus::RayTermination));
    CHECK(plain.error > 0.99);
    CHECK(plain.residual > 0.99);
    CHECK(plain.paths == (regularize ? 14 : 2));
  }
}

TEST_CASE("Plain Lemke needs no pivot where q >= 0, nor without unknowns") {
  const PlainLemkeSolution at_once =
      solve_plain_lemke({-MatrixXd::Identity(2, 2), Eigen::Vector2d(1.0, 2.0)});
  CHECK(at_once.status == SolveStatus::Converged);
  CHECK(at_once.pivots == 0);
  CHECK(at_once.z == VectorXd::Zero(2));
  const PlainLemkeSolution empty = solve_plain_lemke({MatrixXd(0, 0), VectorXd(0)});
  CHECK(empty.status == SolveStatus::Converged);
}

TEST_CASE("Plain Lemke solves what the basis of all z solves, also where all w leads to a ray") {
  std::mt19937_64 random(6);
  std::uniform_real_distribution<double> entry(-1.0, 1.0), positive(0.5, 1.5);
  int from_all_z = 0;
  for (int k = 0; k < 50; ++k) {
    const MatrixXd M = MatrixXd::NullaryExpr(4, 4, [&](Index, Index) { return entry(random); });
    const VectorXd z = VectorXd::NullaryExpr(4, [&](Index) { return positive(random); });
    const LinearComplementarityProblem problem{M, -M * z};
    const PlainLemkeSolution plain = solve_plain_lemke(problem, {.regularize = false});
    CHECK(plain.status == SolveStatus::Converged);
    from_all_z += plain.paths == 2;
  }
  CHECK(from_all_z > 5);
}

/// Returns the contacts of a cube's four corners on a plane, four directions each.
std::vector<test::FrictionContact> corners(double edge, double mu) {
  std::vector<test::FrictionContact> contacts;
  for (const double x : {-0.5, 0.5}) {
    for (const double y : {-0.5, 0.5}) {
      contacts.push_back(test::make_contact(1, {Vector3d(0.0, 0.0, 0.5 * edge)}, -1, 0,
                                            {edge * x, edge * y, 0.0}, Vector3d::UnitZ(), 4));
      contacts.back().friction_coefficient = mu;
    }
  }
  return contacts;
}

TEST_CASE("Plain Lemke solves every step of a cube on a ramp, without a ridge") {
  const double slope = GENERATE(0.05, 0.2617993877991494, 0.5235987755982988, 0.7);
  const double azimuth = GENERATE(0.0, 0.35, 0.7853981633974483);
  const double mu = GENERATE(0.0, 0.1, 0.3, 0.6);
  const double mass = GENERATE(1.0, 10.0);
  CAPTURE(slope, azimuth, mu, mass);
  const Vector3d gravity = 9.8 * Vector3d(std::sin(slope) * std::cos(azimuth),
                                          std::sin(slope) * std::sin(azimuth), -std::cos(slope));
  const std::vector<test::FrictionContact> contacts = corners(0.5, mu);
  const VectorXd inverse_mass = test::inverse_inertia_of_cube(mass, 0.5);
  VectorXd v = VectorXd::Zero(6);
  int inexact = 0;
  for (int step = 0; step < 20; ++step) {
    v.tail<3>() += 0.01 * gravity;
    const LinearComplementarityProblem problem =
        test::make_friction_lcp(contacts, inverse_mass.asDiagonal(), v);
    const PlainLemkeSolution plain = solve_plain_lemke(problem, {.regularize = false});
    REQUIRE(plain.status == SolveStatus::Converged);
    CHECK(plain.error <= 1e-5);
    inexact += plain.residual > 1e-8;
    CHECK(plain.pivots <= 30);
    for (Index i = 0; i < 4; ++i) {
      const test::FrictionContact& contact = contacts[static_cast<std::size_t>(i)];
      v +=
          inverse_mass.cwiseProduct(contact.normal * plain.z(i) +
                                    contact.directions.transpose() * plain.z.segment<4>(4 + 4 * i));
    }
  }
  // The slack of its ratio test shows on the gentlest slope.
  if (slope > 0.1) CHECK(inexact == 0);
}

TEST_CASE("Plain Lemke never reports a solution of frictional contact that is none") {
  std::mt19937_64 random(18);
  int solved = 0;
  const int cases = test::num_cases(1000);
  for (int k = 0; k < cases; ++k) {
    CAPTURE(k);
    const LinearComplementarityProblem problem = test::make_random_friction_lcp(random);
    const PlainLemkeSolution plain = solve_plain_lemke(problem);
    CHECK(plain.residual == measure_residual(problem, plain.z));
    if (plain.status != SolveStatus::Converged) continue;
    ++solved;
    CHECK(plain.z.cwiseMin(problem.M * plain.z + problem.q).cwiseAbs().maxCoeff() <= 1e-5);
  }
  CHECK(solved >= 0.85 * cases);
}

TEST_CASE("Plain Lemke returns its best answer where none is within the tolerance") {
  std::mt19937_64 random(18);
  int kept = 0;
  for (int k = 0; k < 200; ++k) {
    CAPTURE(k);
    const LinearComplementarityProblem problem = test::make_random_friction_lcp(random);
    const PlainLemkeSolution own = solve_plain_lemke(problem, {.regularize = false});
    const PlainLemkeSolution strict =
        solve_plain_lemke(problem, {.tolerance = 1e-30, .regularize = false});
    if (own.status != SolveStatus::Converged || strict.status == SolveStatus::Converged) continue;
    // The path from all w is the same; the one from all z may be better.
    CHECK(strict.error <= own.error);
    CHECK(strict.residual == measure_residual(problem, strict.z));
    ++kept;
  }
  CHECK(kept > 100);
}

TEST_CASE("Plain Lemke draws among rows that tie, alike for the same seed") {
  // Two groups of equal unknowns, whose sums are determined: rows of a group tie.
  MatrixXd M = MatrixXd::Zero(8, 8);
  M.topLeftCorner(4, 4).setConstant(2.0);
  M.bottomRightCorner(4, 4).setConstant(1.0);
  const LinearComplementarityProblem problem{M, -VectorXd::Ones(8)};
  std::set<std::vector<double>> answers;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const PlainLemkeSolution once = solve_plain_lemke(problem, {.seed = seed});
    CHECK(once.z == solve_plain_lemke(problem, {.seed = seed}).z);
    REQUIRE(once.status == SolveStatus::Converged);
    answers.insert(std::vector<double>(once.z.begin(), once.z.end()));
  }
  CHECK(answers.size() > 1);
}

TEST_CASE("Plain Lemke lets the first row within the slack leave, or the one of largest entry") {
  std::mt19937_64 random(7);
  int different = 0;
  for (int k = 0; k < 100; ++k) {
    const LinearComplementarityProblem problem = test::make_random_friction_lcp(random);
    const auto solve = [&](PlainLemkeRule rule) {
      return solve_plain_lemke(problem, {.regularize = false, .rule = rule});
    };
    different +=
        solve(PlainLemkeRule::LargestEntry).pivots != solve(PlainLemkeRule::FirstRow).pivots;
  }
  CHECK(different > 20);
}

}  // namespace
}  // namespace amontons

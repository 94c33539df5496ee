#include "amontons/models/decorators/minimum_norm.h"

#include "amontons/contact/certificate/certificate.h"
#include "amontons/contact/operators/contact_space.h"
#include "amontons/math/dense_decompositions.h"
#include "amontons/models/islands/contact_space_solver.h"
#include "tests/support/certified_solve.h"
#include "tests/support/contact_scenes.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using test::kWorld;
using test::SceneBuilder;

constexpr double kStep = 1e-2, kG = 9.81, kTolerance = 1e-8;

CertifiedSolution solve(const ContactProblem& problem, const char* model, bool minimum_norm = true,
                        const VectorXd& warm_start = {}) {
  return test::solve_by_islands(problem, model, {.minimum_norm = minimum_norm}, warm_start);
}

/// Returns sum w_i |p_i|^2  [J].
double energy_norm(const ContactProblem& problem, const VectorXd& p) {
  const VectorXd w = ProblemScaling(problem).scales.inverse_mass;
  double sum = 0.0;
  for (Index i = 0; i < w.size(); ++i) sum += w(i) * p.segment<3>(3 * i).squaredNorm();
  return sum;
}

TEST_CASE("Four corners of a box at rest share its weight alike, from any warm start") {
  const char* model =
      GENERATE("coulomb", "convex-relaxation", "anitescu-hart", "stewart-trinkle", "frictionless");
  CAPTURE(model);
  const ContactProblem problem = test::box_on_plane(0.5, Vector3d::Zero(), kStep);
  VectorXd askew = VectorXd::Zero(12);
  askew(2) = askew(11) = 0.5 * kG * kStep;
  for (const VectorXd& warm_start : {VectorXd(), askew}) {
    const CertifiedSolution certified = solve(problem, model, true, warm_start);
    CHECK(certified.certificate.holds);
    CHECK(certified.solution.attempts.back().solver == "minimum norm");
    for (Index i = 0; i < 4; ++i) {
      const Vector3d expected(0.0, 0.0, 0.25 * kG * kStep);
      CHECK((certified.solution.impulses.segment<3>(3 * i) - expected).norm() < 1e-12);
    }
  }
}

// Least squares of p = a + b x + c y under force and moments: the load over (x, y) shares as
// (1 + 2 x x_i + 2 y y_i) / n on a ring of radius 1, as long as nothing is negative.
TEST_CASE("A ring of legs under a load off its center shares it linearly") {
  const int count = 12;
  const double x = 0.2, y = -0.1;
  SceneBuilder scene(kStep);
  const int top = scene.add_box(1.0, {2.0, 2.0, 0.1}, {0.0, 0.0, 1.0});
  std::vector<Vector3d> legs;
  for (int k = 0; k < count; ++k) {
    const double angle = 2.0 * M_PI * k / count;
    legs.emplace_back(std::cos(angle), std::sin(angle), 0.0);
    scene.add_contact(kWorld, top, legs.back() - Vector3d(x, y, 0.0), {0.0, 0.0, 1.0}, 0.0, 0.0);
  }
  const ContactProblem problem = scene.build();
  const CertifiedSolution certified = solve(problem, "frictionless");
  // The norm weighs contacts by w: those of the plain least squares only where all w are equal.
  const VectorXd w = ProblemScaling(problem).scales.inverse_mass;
  MatrixXd balance(3, count);
  for (int k = 0; k < count; ++k) {
    const Vector3d& leg = legs[static_cast<std::size_t>(k)];
    balance.col(k) = Vector3d(1.0, leg.x() - x, leg.y() - y) / std::sqrt(w(k));
  }
  const Vector3d load(kG * kStep, 0.0, 0.0);
  const VectorXd r = balance.transpose() * (balance * balance.transpose()).inverse() * load;
  for (int k = 0; k < count; ++k) {
    CHECK(r(k) > 0.0);
    CHECK(certified.solution.impulses(3 * k + 2) == Approx(r(k) / std::sqrt(w(k))).epsilon(1e-10));
  }
}

/// Returns the same problem with its contacts in another order.
ContactProblem reordered(const ContactProblem& problem, const std::vector<std::size_t>& order) {
  ContactProblem result = problem;
  result.contact_jacobian = BlockSparseMatrix(problem.mass_matrix.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    result.contacts[k] = problem.contacts[order[k]];
    result.contacts[k].key.feature = static_cast<std::uint32_t>(k);
    result.contact_jacobian.add_block_row(3);
    for (const BlockSparseMatrix::Block& block : problem.contact_jacobian.block_row(order[k])) {
      result.contact_jacobian.add_block(block.col, problem.contact_jacobian.values(block));
    }
  }
  return result;
}

/// Makes two boxes on each other, jittered, and a wall.
ContactProblem leaning_stack(std::mt19937_64& random) {
  std::uniform_real_distribution<double> jitter(-0.03, 0.03);
  SceneBuilder scene(kStep);
  int below = kWorld;
  for (int k = 0; k < 2; ++k) {
    const int box = scene.add_box(1.0 + k, {0.2, 0.2, 0.1}, {0.0, 0.0, 0.05 + 0.1 * k});
    scene.add_force(box, {-2.0, 0.3, 0.0});
    for (const double x : {-0.1, 0.1}) {
      for (const double y : {-0.1, 0.1}) {
        scene.add_contact(below, box, {x + jitter(random), y + jitter(random), 0.1 * k},
                          {0.0, 0.0, 1.0}, 0.0, 0.6);
      }
    }
    scene.add_contact(kWorld, box, {-0.1, jitter(random), 0.05 + 0.1 * k}, {1.0, 0.0, 0.0}, 0.0,
                      0.4);
    below = box;
  }
  return scene.build();
}

TEST_CASE("The reactions of least norm do not depend on the order of the contacts") {
  std::mt19937_64 random(21);
  for (int n = 0; n < test::num_cases(1000); ++n) {
    const ContactProblem problem = leaning_stack(random);
    const CertifiedSolution first = solve(problem, "coulomb");
    std::vector<std::size_t> order(problem.num_contacts());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::shuffle(order.begin(), order.end(), random);
    const CertifiedSolution second = solve(reordered(problem, order), "coulomb");
    REQUIRE(first.certificate.holds);
    REQUIRE(second.certificate.holds);
    REQUIRE(first.solution.attempts.back().solver == "minimum norm");
    REQUIRE(first.solution.attempts.back().status == SolveStatus::Converged);
    const double size = first.solution.impulses.cwiseAbs().maxCoeff();
    for (std::size_t k = 0; k < order.size(); ++k) {
      const Vector3d difference = second.solution.impulses.segment<3>(ContactProblem::row(k)) -
                                  first.solution.impulses.segment<3>(ContactProblem::row(order[k]));
      CHECK(difference.norm() < 1e-7 * size);
    }
  }
}

// Optimality over a convex set: no step towards another point of it makes the norm smaller. The
// other points are solutions from random warm starts, and points that the iteration passes on its
// way to them.
TEST_CASE("No other reaction of the same velocity has a smaller norm") {
  std::mt19937_64 random(22);
  std::normal_distribution<double> normal;
  int compared = 0;
  for (int n = 0; n < test::num_cases(2000); ++n) {
    const ContactProblem problem =
        n % 2 == 0 ? leaning_stack(random) : test::random_problem(random, 8, 100.0);
    const CertifiedSolution least = solve(problem, "coulomb");
    if (!least.certificate.holds || least.solution.status != SolveStatus::Converged) continue;
    const double norm = energy_norm(problem, least.solution.impulses);
    for (int k = 0; k < 5; ++k) {
      const VectorXd start = VectorXd::NullaryExpr(3 * static_cast<Index>(problem.num_contacts()),
                                                   [&] { return 0.1 * normal(random); });
      const CertifiedSolution other = solve(problem, "coulomb", false, start);
      const VectorXd change = other.solution.velocity - least.solution.velocity;
      if (!other.certificate.holds || change.norm() > 1e-9) continue;
      CHECK(norm <= energy_norm(problem, other.solution.impulses) * (1.0 + 1e-6) + 1e-12);
      ++compared;
    }
  }
  CHECK(compared > 0);
}

TEST_CASE("The least norm keeps velocity, status and certificate of every model's answers") {
  std::mt19937_64 random(23);
  for (int n = 0; n < test::num_cases(2000); ++n) {
    const ContactProblem problem = test::random_problem(random, 10, 100.0);
    for (const char* model : {"coulomb", "convex-relaxation", "anitescu-hart", "frictionless"}) {
      CAPTURE(n, model);
      const CertifiedSolution plain = solve(problem, model, false), least = solve(problem, model);
      CHECK(least.certificate.holds == plain.certificate.holds);
      CHECK(least.solution.status == plain.solution.status);
      const double speed = 1.0 + plain.solution.velocity.norm();
      CHECK((least.solution.velocity - plain.solution.velocity).norm() < 1e-6 * speed);
    }
  }
}

TEST_CASE("Laws of whole islands and of two phases keep their reactions and say so") {
  const ContactProblem problem = test::box_on_plane(0.5, Vector3d::Zero(), kStep);
  const CertifiedSolution certified = solve(problem, "maximum-dissipation");
  CHECK(certified.certificate.holds);
  CHECK(certified.solution.attempts.back().remark == "not of a law of whole islands");
}

TEST_CASE("A problem given by W has the least reactions of its bodies") {
  std::mt19937_64 random(24);
  const ContactProblem problem = leaning_stack(random);
  const ContactSpace space(problem);
  const int n = static_cast<int>(problem.num_contacts());
  std::vector<int> all(problem.num_contacts());
  std::iota(all.begin(), all.end(), 0);
  const MatrixXd A = space.delassus(all);
  ContactSpaceProblem twin;
  twin.q = space.free_contact_velocity();
  twin.friction.resize(n);
  for (int i = 0; i < n; ++i) {
    twin.friction(i) = problem.contacts[static_cast<std::size_t>(i)].friction;
    for (int j = 0; j < n; ++j) twin.blocks.push_back({i, j, A.block<3, 3>(3 * i, 3 * j)});
  }
  const ContactSpaceSolution given =
      ContactSpaceSolver("coulomb", {.minimum_norm = true}).solve(twin);
  const CertifiedSolution bodies = solve(problem, "coulomb");
  CHECK(given.certificate.holds);
  CHECK((given.impulses - bodies.solution.impulses).norm() < 1e-7 * given.impulses.norm());
}

}  // namespace
}  // namespace amontons

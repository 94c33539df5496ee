#include "amontons/models/reactions/reaction_face.h"

#include "amontons/contact/certificate/certificate.h"
#include "amontons/math/dense_decompositions.h"
#include "amontons/math/regular_polygon.h"
#include "amontons/models/islands/islandwise_solver.h"
#include "amontons/models/reactions/normal_intervals.h"
#include "amontons/optimization/lp/linear_program.h"
#include "tests/support/certified_solve.h"
#include "tests/support/contact_scenes.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <random>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using test::kWorld;
using test::SceneBuilder;
using test::solve_by_islands;

constexpr double kStep = 1e-2, kTolerance = 1e-8;

/// Makes boxes on boxes, four contacts at each interface, jittered, and a wall that leans on some.
ContactProblem random_stack(std::mt19937_64& random) {
  std::uniform_real_distribution<double> jitter(-0.03, 0.03), friction(0.1, 1.0);
  SceneBuilder scene(kStep);
  int below = kWorld;
  const int height = 1 + static_cast<int>(random() % 3);
  for (int k = 0; k < height; ++k) {
    const int box = scene.add_box(1.0, {0.2, 0.2, 0.1}, {0.0, 0.0, 0.05 + 0.1 * k});
    const double mu = friction(random);
    for (const double x : {-0.1, 0.1}) {
      for (const double y : {-0.1, 0.1}) {
        scene.add_contact(below, box, {x + jitter(random), y + jitter(random), 0.1 * k},
                          {0.0, 0.0, 1.0}, 0.0, mu);
      }
    }
    if (random() % 2 == 0) {
      scene.add_contact(kWorld, box, {-0.1, jitter(random), 0.05 + 0.1 * k}, {1.0, 0.0, 0.0}, 0.0,
                        friction(random));
    }
    below = box;
  }
  return scene.build();
}

/// Returns the generators of a polygon law that the certificate accepts at a solution's velocity,
/// at a load of 1 N s. Columns are (t1, t2, n) of the contact's rows.
MatrixXd accepted_generators(const ContactProblem& problem, const ContactSolution& solution,
                             const Eigen::Matrix2Xd& directions, std::vector<int>& contact_of) {
  const ProblemScaling scaling(problem);
  const VectorXd u = problem.contact_velocities(solution.velocity);
  std::vector<VectorXd> columns;
  for (std::size_t c = 0; c < problem.num_contacts(); ++c) {
    const Index i = static_cast<Index>(c);
    for (Index k = 0; k < directions.cols(); ++k) {
      ContactState point{Vector3d::UnitZ(),
                         u.segment<3>(3 * i),
                         scaling.gap_speeds(i),
                         problem.contacts[c].friction,
                         scaling.scales.inverse_mass(i),
                         0.0};
      point.impulse.head<2>() = point.friction * directions.col(k);
      const LawResidual residual = law_residual(solution.law.kind, directions, point);
      const double bound = 2.0 * kTolerance * scaling.scales.speed(i);
      if (residual.normal > bound || residual.friction > bound) continue;
      columns.push_back(VectorXd::Zero(problem.contact_jacobian.rows()));
      columns.back().segment<3>(3 * i) = point.impulse;
      contact_of.push_back(static_cast<int>(c));
    }
  }
  MatrixXd result(problem.contact_jacobian.rows(), static_cast<Index>(columns.size()));
  for (std::size_t k = 0; k < columns.size(); ++k) result.col(static_cast<Index>(k)) = columns[k];
  return result;
}

// The same set by another way. The certificate chooses the generators, and A p = A p* is written
// down with all of its dependent rows. A dense simplex method with explicit columns finds the ends.
TEST_CASE("On the polygon the ends are those of the certificate's generators and another simplex") {
  std::mt19937_64 random(11);
  int num_certified = 0;
  for (int n = 0; n < test::num_cases(2000); ++n) {
    const bool at_rest = n % 2 == 0;
    const ContactProblem problem =
        at_rest ? random_stack(random) : test::random_problem(random, 6, 10.0);
    const CertifiedSolution certified = solve_by_islands(problem, "anitescu-hart");
    if (!certified.certificate.holds || certified.solution.status != SolveStatus::Converged)
      continue;
    const std::vector<NormalInterval> found =
        normal_intervals(problem, certified.solution, kTolerance);
    std::vector<int> contact_of;
    const MatrixXd E =
        accepted_generators(problem, certified.solution, polygon_directions(4), contact_of);
    if (E.cols() == 0) continue;
    const ContactSpace space(problem);
    std::vector<int> all(problem.num_contacts());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i);
    const MatrixXd A = space.delassus(all);
    for (std::size_t i = 0; i < found.size(); ++i) {
      REQUIRE(found[i].status == SolveStatus::Converged);
      for (const double sign : {1.0, -1.0}) {
        VectorXd cost(E.cols());
        for (Index k = 0; k < E.cols(); ++k) {
          cost(k) = contact_of[static_cast<std::size_t>(k)] == static_cast<int>(i) ? sign : 0.0;
        }
        const LinearProgramSolution program =
            solve_linear_program({cost, A * E, A * certified.solution.impulses});
        // Where rounding of A p* leaves the dense program empty it says nothing.
        if (program.status != SolveStatus::Converged && !program.ray) continue;
        const double expected = sign * program.value;
        const double got = sign > 0.0 ? found[i].least : found[i].largest;
        CAPTURE(n, i, sign, expected, got);
        if (std::isinf(expected)) {
          CHECK(std::isinf(got));
        } else {
          CHECK(std::abs(got - expected) <= 1e-6 * (1.0 + std::abs(expected)));
        }
        ++num_certified;
      }
    }
  }
  CHECK(num_certified > 0);
}

/// Returns the directions that move nothing [3 nc x d].
MatrixXd idle_impulses(const MatrixXd& A) {
  const SymmetricEigen eigen = symmetric_eigen(A);
  Index count = 0;
  while (count < A.rows() && eigen.values(count) < 1e-10 * eigen.values(A.rows() - 1)) ++count;
  return eigen.vectors.leftCols(count);
}

bool is_inside(const ContactProblem& problem, const VectorXd& p) {
  for (std::size_t c = 0; c < problem.num_contacts(); ++c) {
    const Vector3d own = p.segment<3>(ContactProblem::row(c));
    if (own.head<2>().norm() > problem.contacts[c].friction * own.z()) return false;
  }
  return true;
}

// Everything sticks: a walk from the solution along random impulses that move nothing, as far as
// the cones admit. Each stop is certified; none may lie beyond an end, and some come close to each.
TEST_CASE("Other reactions of stacks at rest are certified and lie within the intervals") {
  std::mt19937_64 random(12);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> share(0.0, 1.0);
  int num_certified = 0;
  for (int n = 0; n < test::num_cases(1000); ++n) {
    const ContactProblem problem = random_stack(random);
    const CertifiedSolution certified = solve_by_islands(problem, "coulomb");
    REQUIRE(certified.certificate.holds);
    REQUIRE(certified.solution.velocity.norm() < 10.0 * kTolerance);
    const std::vector<NormalInterval> found =
        normal_intervals(problem, certified.solution, kTolerance);
    std::vector<int> all(problem.num_contacts());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i);
    const MatrixXd idle = idle_impulses(ContactSpace(problem).delassus(all));
    VectorXd p = certified.solution.impulses;
    for (int step = 0; step < 200; ++step) {
      VectorXd d = VectorXd::NullaryExpr(idle.cols(), [&] { return normal(random); });
      const VectorXd along = (idle * d).normalized();
      double reach = 1.0;  // [N s], ten times the weight
      while (reach > 1e-12 && !is_inside(problem, p + reach * along)) reach *= 0.7;
      if (reach <= 1e-12) continue;
      p += share(random) * reach * along;
      const ContactSolution other = test::solution_of(problem, certified.solution.law, p);
      REQUIRE(certify(problem, other, kTolerance).holds);
      for (std::size_t i = 0; i < found.size(); ++i) {
        const double p_n = p(ContactProblem::row(i) + 2);
        CHECK(p_n >= found[i].least - 1e-6);
        CHECK(p_n <= found[i].largest * (1.0 + 1e-6) + 1e-6);
        ++num_certified;
      }
    }
  }
  CHECK(num_certified > 0);
}

TEST_CASE("The answers to random problems lie in their intervals") {
  std::mt19937_64 random(7);
  int num_certified = 0;
  for (int k = 0; k < test::num_cases(5000); ++k) {
    const ContactProblem problem = test::random_problem(random, 8, 100.0);
    const CertifiedSolution certified = solve_by_islands(problem, "coulomb");
    if (!certified.certificate.holds || certified.solution.status != SolveStatus::Converged)
      continue;
    const VectorXd& p = certified.solution.impulses;
    const std::vector<NormalInterval> found =
        normal_intervals(problem, certified.solution, kTolerance);
    // The certificate lets an impulse be wrong by its tolerance times the largest of the island.
    const double margin = 100.0 * kTolerance * (1.0 + p.cwiseAbs().maxCoeff());
    for (std::size_t i = 0; i < found.size(); ++i) {
      const double p_n = p(ContactProblem::row(i) + 2);
      CAPTURE(k, i, p_n, found[i].least, found[i].largest);
      CHECK(found[i].status == SolveStatus::Converged);
      CHECK(p_n >= found[i].least - margin);
      CHECK(p_n <= found[i].largest + margin);
      ++num_certified;
    }
  }
  CHECK(num_certified > 0);
}

}  // namespace
}  // namespace amontons

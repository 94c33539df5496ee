#include "amontons/optimization/ccp/restricted_problem.h"

#include "amontons/optimization/ccp/methods/cone_interior_point.h"
#include "amontons/optimization/ccp/methods/restricted_solution.h"
#include "amontons/optimization/ccp/near_contacts.h"
#include "tests/optimization/ccp/cone_problems.h"

#include <catch2/catch.hpp>

#include <numeric>
#include <random>

namespace amontons {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::VectorXd;

// Balls of mass 1 over each other on a floor, along the normal: ball k lands on ball k - 1, whose
// contact i = k has q_n = v_k - v_(k-1).
struct Column {
  BodySpaceOperator W;
  ConeProblem problem;

  explicit Column(const std::vector<double>& speeds) {
    const int n = static_cast<int>(speeds.size());
    W.reset(std::vector<int>(speeds.size(), 3));
    problem.q.setZero(3 * n);
    for (int i = 0; i < n; ++i) {
      W.add_block();
      if (i > 0) Eigen::Map<Matrix3d>(W.add_part(i - 1)) = -Matrix3d::Identity();
      Eigen::Map<Matrix3d>(W.add_part(i)).setIdentity();
      const std::size_t k = static_cast<std::size_t>(i);
      problem.q(3 * i + 2) = speeds[k] - (i > 0 ? speeds[k - 1] : 0.0);
    }
    W.finish();
    problem.W = &W;
    problem.cones.assign(speeds.size(), Cone{ConeKind::Friction, 0.5, 0.0});
    problem.residual_scale = VectorXd::Ones(n);
  }
};

ConeMethod interior_point(ConeWorkspace& work, std::vector<int>& sizes) {
  return [&](const ConeProblem& problem, ConeIterate& point) {
    sizes.push_back(problem.num_blocks());
    return solve_interior_point(problem, {1e-9, 80}, work, point);
  };
}

}  // namespace

TEST_CASE("Some blocks of either operator are the principal part of W that belongs to them") {
  std::mt19937_64 random(21);
  for (int k = 0; k < 20; ++k) {
    test::ConePair pair;
    test::make_cone_pair(random, 1 + k / 2, 4 + k, 0.5, k % 2 == 1, pair);
    std::vector<int> blocks;
    for (int i = 0; i < 4 + k; ++i) {
      if (random() % 2 == 0) blocks.push_back(i);
    }
    for (const DelassusOperator* W : {static_cast<const DelassusOperator*>(&pair.bodies),
                                      static_cast<const DelassusOperator*>(&pair.contacts)}) {
      std::unique_ptr<DelassusOperator> part;
      W->restrict_to(std::vector<int>{0}, part);  // uses its memory again
      W->restrict_to(blocks, part);
      REQUIRE(part->num_blocks() == static_cast<int>(blocks.size()));
      for (int j = 0; j < part->num_blocks(); ++j) {
        VectorXd r = VectorXd::Zero(3 * part->num_blocks()), u;
        r.segment<3>(3 * j) = Vector3d(1.0, -2.0, 3.0);
        part->apply(r, u);
        for (int i = 0; i < part->num_blocks(); ++i) {
          const Matrix3d expected = pair.W.block<3, 3>(3 * blocks[static_cast<std::size_t>(i)],
                                                       3 * blocks[static_cast<std::size_t>(j)]);
          CHECK((u.segment<3>(3 * i) - expected * Vector3d(1.0, -2.0, 3.0)).norm() <= 1e-13);
        }
      }
    }
  }
}

TEST_CASE("Reactions of a restricted problem are prolonged to their places, with zeros elsewhere") {
  const Column column({-1.0, 0.0, 0.0, 5.0});
  RestrictedProblem restricted;
  restricted.select(column.problem, std::vector<int>{1, 3});
  CHECK(restricted.problem().q(2) == column.problem.q(5));
  const VectorXd whole = VectorXd::LinSpaced(12, 1.0, 12.0);
  VectorXd part, back;
  restricted.restrict(whole, part);
  CHECK(part == (VectorXd(6) << 4.0, 5.0, 6.0, 10.0, 11.0, 12.0).finished());
  restricted.prolong(part, back);
  CHECK(back ==
        (VectorXd(12) << 0.0, 0.0, 0.0, 4.0, 5.0, 6.0, 0.0, 0.0, 0.0, 10.0, 11.0, 12.0).finished());
}

TEST_CASE("Contacts that separate fast are far, those that carry something or close are near") {
  const Column column({-1.0, 0.0, 0.0, 5.0});  // q_n = -1, 1, 0, 5
  ConeIterate point;
  start_from_zero(column.problem, point);
  std::vector<int> near;
  find_near_contacts(column.problem, point.r, point.u, 0.01, near);
  CHECK(near == std::vector<int>{0, 2});
  point.r(3 * 3 + 2) = 1e-9;
  find_near_contacts(column.problem, point.r, point.u, 0.5, near);
  CHECK(near == std::vector<int>{0, 1, 2, 3});
}

// The lowest ball lands and stops; the one above, which fell behind it, then lands on it.
TEST_CASE("A contact that was left out and closes after all joins the restricted problem") {
  const Column column({-3.0, -2.0, -1.0, 4.0, 9.0});
  ConeWorkspace work;
  ConeIterate guess, point;
  start_from_zero(column.problem, guess);
  std::vector<int> sizes;
  const ConeResult result =
      solve_restricted(column.problem, guess, 1e-9, interior_point(work, sizes), work, point);
  CHECK(sizes == std::vector<int>{1, 2, 3});
  CHECK(result.status == SolveStatus::Converged);
  // r_n by momentum: each contact stops what lies above it and falls.
  for (const auto& [contact, impulse] : {std::pair{0, 6.0}, {1, 3.0}, {2, 1.0}, {3, 0.0}}) {
    CAPTURE(contact);
    CHECK(point.r(3 * contact + 2) == Approx(impulse).margin(1e-6));
  }
  ConeIterate again = point;
  evaluate(column.problem, again);
  CHECK(again.residual == point.residual);
  CHECK(point.residual <= 1e-8);
}

TEST_CASE("Where contacts continue to close the solve of restricted problems ends as stalled") {
  std::vector<double> speeds(10);
  std::iota(speeds.begin(), speeds.end(), -11.0);
  const Column column(speeds);
  ConeWorkspace work;
  ConeIterate guess, point;
  start_from_zero(column.problem, guess);
  std::vector<int> sizes;
  const ConeResult result =
      solve_restricted(column.problem, guess, 1e-9, interior_point(work, sizes), work, point);
  CHECK(result.status == SolveStatus::Stalled);
  CHECK(point.residual > 1e-3);
}

TEST_CASE("Where nearly all contacts are near the method has the whole problem") {
  const Column column({-1.0, -1.5, -2.0});
  ConeWorkspace work;
  ConeIterate guess, point;
  start_from_zero(column.problem, guess);
  std::vector<int> sizes;
  solve_restricted(column.problem, guess, 1e-9, interior_point(work, sizes), work, point);
  CHECK(sizes == std::vector<int>{3});
  CHECK(point.residual <= 1e-8);
}

}  // namespace amontons

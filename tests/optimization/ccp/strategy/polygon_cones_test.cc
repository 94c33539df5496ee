#include "amontons/math/regular_polygon.h"
#include "amontons/optimization/ccp/methods/polygon_interior_point.h"
#include "amontons/optimization/ccp/single_polygon_contact.h"
#include "amontons/optimization/ccp/strategy/cone_problem_solver.h"
#include "tests/optimization/ccp/cone_problems.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>

namespace amontons {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

TEST_CASE("The nearest point of a pyramid leaves a rest that points out of it") {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  for (int k = 0; k < test::num_cases(100000); ++k) {
    const Eigen::Matrix2Xd directions = polygon_directions(4 + 2 * (k % 5));
    const double mu = std::abs(normal(random)),
                 friction_offset = k % 3 == 0 ? std::abs(normal(random)) : 0.0;
    const Cone cone{ConeKind::Friction, mu, friction_offset, &directions};
    const Vector3d z(normal(random), normal(random), normal(random));
    const Vector3d p = project(cone, z), rest = z - p;
    // The cone is spanned by its corners' rays, which start at the corners of the friction_offset
    // polygon.
    REQUIRE(p.z() >= 0.0);
    const Eigen::Vector2d p_t = p.head<2>();
    CHECK((nearest_on_polygon(p_t, mu * p.z() + friction_offset, directions).point - p_t).norm() <
          1e-14);
    for (Eigen::Index c = 0; c < directions.cols(); ++c) {
      Vector3d ray, start;
      ray << mu * directions.col(c), 1.0;
      start << friction_offset * directions.col(c), 0.0;
      CHECK(rest.dot(ray) < 1e-13 * (1.0 + mu));
      CHECK(rest.dot(start - p) < 1e-13 * (1.0 + z.squaredNorm()));
    }
  }
}

TEST_CASE("One contact on a polygon obeys Coulomb's law there") {
  std::mt19937_64 random(4);
  std::normal_distribution<double> normal;
  for (int k = 0; k < test::num_cases(200000); ++k) {
    const Eigen::Matrix2Xd directions = polygon_directions(4 + 2 * (k % 5));
    // Two bodies' responses at a point: friction this weak never wedges.
    Matrix3d root =
        Matrix3d::NullaryExpr([&](Eigen::Index, Eigen::Index) { return normal(random); });
    root += 2.0 * Matrix3d::Identity();
    Matrix3d W = root * root.transpose();
    W *= 3.0 / W.trace();
    const Vector3d q(normal(random), normal(random), normal(random));
    const double lift = W.block<1, 2>(2, 0).norm() / W(2, 2);
    const double mu = 0.9 * std::min(1.0 / std::max(lift, 1e-3), 2.0);
    const double friction_offset = k % 3 == 0 ? 0.1 * std::abs(normal(random)) : 0.0;
    const Cone cone{ConeKind::Friction, mu, friction_offset, &directions};
    const Vector3d r = solve_polygon_contact(W, cone, q), u = W * r + q;
    CAPTURE(k, W, q, mu, friction_offset);
    if (friction_offset == 0.0) CHECK((r - project(cone, ConeLaw::Coulomb, r - u)).norm() < 1e-11);
    CHECK(r.z() >= 0.0);
  }
}

/// Holds random contacts with friction kFriction on polygons of four and of eight sides by turns,
/// some redundant.
struct PolygonProblem {
  PolygonProblem(std::mt19937_64& random, int k)
      : directions(polygon_directions(k % 2 == 0 ? 4 : 8)),
        num_contacts(5 + static_cast<int>(random() % 30)) {
    test::make_cone_pair(random, 2 + num_contacts / 3, num_contacts, kFriction, k % 3 == 1, pair);
    for (Cone& cone : pair.problem.cones) cone.polygon = &directions;
  }
  PolygonProblem(const PolygonProblem&) = delete;
  PolygonProblem& operator=(const PolygonProblem&) = delete;

  static constexpr double kFriction = 0.4;
  const Eigen::Matrix2Xd directions;
  const int num_contacts;
  test::ConePair pair;
};

TEST_CASE("Frictional problems on a polygon are solved to Coulomb's law there") {
  std::mt19937_64 random(7);
  const int cases = test::num_cases(5000);
  int missed = 0;
  for (int k = 0; k < cases; ++k) {
    PolygonProblem polygon(random, k);
    const Eigen::Matrix2Xd& directions = polygon.directions;
    const test::ConePair& pair = polygon.pair;
    const int n = polygon.num_contacts;
    ConeWorkspace work;
    ConeIterate point;
    std::vector<ConeAttempt> attempts;
    const SolveStatus status =
        solve_cone_problem(pair.problem, {.tolerance = 1e-9}, work, point, attempts);
    if (status != SolveStatus::Converged) {
      ++missed;
      continue;
    }
    const Eigen::VectorXd u = pair.W * point.r + pair.problem.q;
    for (int i = 0; i < n; ++i) {
      const Vector3d r_i = point.r.segment<3>(3 * i), u_i = u.segment<3>(3 * i);
      CHECK(r_i.z() >= 0.0);
      CHECK(u_i.z() > -2e-9);
      CHECK(std::abs(r_i.z() * u_i.z()) < 2e-9 * (1.0 + r_i.norm() + u_i.norm()));
      // No direction of the polygon dissipates more.
      const double best = -0.4 * r_i.z() * (directions.transpose() * u_i.head<2>()).maxCoeff();
      CHECK(r_i.head<2>().dot(u_i.head<2>()) - best < 4e-9 * (1.0 + r_i.norm() + u_i.norm()));
    }
  }
  CAPTURE(missed, cases);
  CHECK(missed * 20 <= cases);
}

TEST_CASE("The relaxation on a polygon is the nearest reaction in its pyramids") {
  std::mt19937_64 random(8);
  const int cases = test::num_cases(2000);
  int missed = 0;
  for (int k = 0; k < cases; ++k) {
    PolygonProblem polygon(random, k);
    polygon.pair.problem.law = ConeLaw::Associated;
    const Eigen::Matrix2Xd& directions = polygon.directions;
    const test::ConePair& pair = polygon.pair;
    const int n = polygon.num_contacts;
    ConeWorkspace work;
    ConeIterate point;
    start_from_zero(pair.problem, point);
    const ConeResult result =
        solve_polygon_interior_point(pair.problem, {.tolerance = 1e-7}, 1.0, work, point);
    // On redundant contacts digits are lost; Newton's method finds them again.
    if (result.status != SolveStatus::Converged) ++missed;
    CHECK(point.residual < 1e-5);
    // KKT conditions of  min 1/2 r'W r + q'r  over the pyramids: u has no corner that gains.
    const Eigen::VectorXd u = pair.W * point.r + pair.problem.q;
    CHECK(std::abs(point.r.dot(u)) < 1e-5 * (1.0 + point.r.norm()));
    for (int i = 0; i < n; ++i) {
      const Vector3d u_i = u.segment<3>(3 * i);
      CHECK(u_i.z() - 0.4 * (directions.transpose() * u_i.head<2>()).maxCoeff() > -1e-5);
    }
  }
  CHECK(50 * missed <= cases + 50);
}

}  // namespace
}  // namespace amontons

#include "amontons/models/islands/contact_space_solver.h"
#include "tests/support/test_size.h"

#include <Eigen/Geometry>
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector2d;
using Eigen::Vector3d;
using Eigen::VectorXd;

/// Draws numbers of one test from a seed.
class Draw {
 public:
  explicit Draw(unsigned seed) : engine_(seed) {}
  double between(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(engine_);
  }
  int from(int low, int high) { return std::uniform_int_distribution<int>(low, high)(engine_); }
  double normal() { return std::normal_distribution<double>()(engine_); }
  Vector3d direction() { return Vector3d(normal(), normal(), normal()).normalized(); }

 private:
  std::mt19937_64 engine_;
};

/// Holds the rows of contacts on one free body: rows (t1, t2, n), columns of its velocity.
struct BodyRows {
  MatrixXd J;       ///< [3 nc x 3 or 6]
  VectorXd masses;  ///< [3 or 6] [kg, kg m^2]
};

/// Returns W = J M^-1 J' and q as a problem of contacts, all blocks in it.
ContactSpaceProblem problem_of(const BodyRows& body, const VectorXd& q, const VectorXd& friction) {
  const MatrixXd W = body.J * body.masses.cwiseInverse().asDiagonal() * body.J.transpose();
  ContactSpaceProblem problem;
  problem.q = q;
  problem.friction = friction;
  for (int i = 0; i < problem.num_contacts(); ++i) {
    for (int j = 0; j < problem.num_contacts(); ++j) {
      problem.blocks.push_back({i, j, W.block<3, 3>(3 * i, 3 * j)});
    }
  }
  return problem;
}

/// Returns contacts of a planar body (vx, vy, w) with these normals at these places; t2 is zero.
BodyRows planar_body(Draw& draw, const std::vector<Vector2d>& normals,
                     const std::vector<Vector2d>& places) {
  const double mass = draw.between(0.1, 10.0), radius = draw.between(0.05, 2.0);
  BodyRows body{MatrixXd::Zero(3 * static_cast<Index>(normals.size()), 3),
                Vector3d(mass, mass, mass * radius * radius)};
  for (std::size_t i = 0; i < normals.size(); ++i) {
    const Vector2d n = normals[i], t(-n.y(), n.x()), r = places[i];
    const Index row = 3 * static_cast<Index>(i);
    body.J.row(row) << t.x(), t.y(), r.x() * t.y() - r.y() * t.x();
    body.J.row(row + 2) << n.x(), n.y(), r.x() * n.y() - r.y() * n.x();
  }
  return body;
}

/// Returns contacts of a spatial body with these normals at these places.
BodyRows spatial_body(Draw& draw, const std::vector<Vector3d>& normals,
                      const std::vector<Vector3d>& places) {
  const double mass = draw.between(0.1, 10.0);
  BodyRows body{MatrixXd(3 * static_cast<Index>(normals.size()), 6), VectorXd(6)};
  for (Index k = 0; k < 6; ++k) body.masses(k) = k < 3 ? mass : mass * draw.between(0.01, 1.0);
  for (std::size_t i = 0; i < normals.size(); ++i) {
    const Vector3d n = normals[i], t1 = n.unitOrthogonal(), t2 = n.cross(t1);
    Index row = 3 * static_cast<Index>(i);
    for (const Vector3d& d : {t1, t2, n}) {
      body.J.row(row++) << d.transpose(), places[i].cross(d).transpose();
    }
  }
  return body;
}

/// Returns a planar problem that v = 0 satisfies: contacts that touch, on one body.
ContactSpaceProblem feasible_planar(Draw& draw) {
  std::vector<Vector2d> normals, places;
  const int n = draw.from(2, 4);
  const double first = draw.between(0.0, 6.3);
  for (int i = 0; i < n; ++i) {
    // Half of them share their direction, as the corners of a box do.
    const double angle = draw.from(0, 1) == 0 ? first : draw.between(0.0, 6.3);
    normals.emplace_back(std::cos(angle), std::sin(angle));
    places.emplace_back(draw.between(-1.0, 1.0), draw.between(-1.0, 1.0));
  }
  const BodyRows body = planar_body(draw, normals, places);
  const VectorXd v = VectorXd::NullaryExpr(3, [&] { return draw.normal(); });
  const VectorXd friction = VectorXd::NullaryExpr(n, [&] { return draw.between(0.0, 1.0); });
  return problem_of(body, body.J * v, friction);
}

/// Returns normals that a positive combination of cancels, seen from their common point: 2, 3 in a
/// plane, or 4 in space.
std::vector<Vector3d> normals_that_cancel(Draw& draw, int n) {
  // The last is minus a positive combination of the others, which stay apart from each other.
  std::vector<Vector3d> normals;
  Vector3d sum = Vector3d::Zero();
  const Vector3d axis = draw.direction();
  const Vector3d x = axis.unitOrthogonal(), y = axis.cross(x);
  const double start = draw.between(0.0, 6.3);
  for (int i = 0; i + 1 < n; ++i) {
    const double angle = start + (n == 2 ? 0.0 : 6.28 * i / (n - 1.0) * 0.9);
    const double height = n == 4 ? 0.5 : n == 3 ? 0.0 : draw.between(-0.5, 0.5);
    normals.push_back((std::cos(angle) * x + std::sin(angle) * y + height * axis).normalized());
    sum += draw.between(0.5, 2.0) * normals.back();
  }
  normals.push_back(-sum.normalized());
  return normals;
}

/// Returns a problem without an answer: normals whose lines meet in a point and that cancel, and
/// gaps that ask all contacts to open.
ContactSpaceProblem squeeze(Draw& draw, double unit) {
  const int n = draw.from(2, 4);
  const std::vector<Vector3d> normals = normals_that_cancel(draw, n);
  const Vector3d centre(draw.normal(), draw.normal(), draw.normal());
  std::vector<Vector3d> places;
  for (const Vector3d& normal : normals)
    places.push_back(centre + draw.between(-2.0, -0.1) * normal);
  const BodyRows body = spatial_body(draw, normals, places);
  VectorXd q = body.J * VectorXd::NullaryExpr(6, [&] { return unit * draw.normal(); });
  for (int i = 0; i < n; ++i) q(3 * i + 2) -= unit * draw.between(0.01, 1.0);
  // Friction below that which lets two neighbours grip: the squeeze is one of normals.
  return problem_of(body, q, VectorXd::Constant(n, draw.between(0.0, 0.1)));
}

/// Returns a spatial problem that a velocity satisfies strictly or just so.
ContactSpaceProblem feasible_spatial(Draw& draw) {
  const int n = draw.from(2, 4);
  std::vector<Vector3d> normals =
      draw.from(0, 1) == 0 ? normals_that_cancel(draw, n) : std::vector<Vector3d>();
  while (static_cast<int>(normals.size()) < n) normals.push_back(draw.direction());
  std::vector<Vector3d> places;
  for (const Vector3d& normal : normals) places.push_back(draw.between(-2.0, -0.1) * normal);
  const BodyRows body = spatial_body(draw, normals, places);
  // Some velocity opens all contacts at the speeds `open`: q = J v - open in the normals.
  VectorXd q = body.J * VectorXd::NullaryExpr(6, [&] { return draw.normal(); });
  for (int i = 0; i < n; ++i) q(3 * i + 2) += draw.from(0, 1) * draw.between(0.0, 0.3);
  return problem_of(body, q, VectorXd::Constant(n, draw.between(0.0, 0.8)));
}

TEST_CASE("Complementarity models solve planar problems in contact space with friction") {
  const int cases = std::max(100, test::num_cases(10000));
  for (const char* name : {"anitescu-hart", "anitescu-potra", "stewart-trinkle"}) {
    CAPTURE(name);
    ContactSpaceSolver solver(name, {});
    Draw draw(31);
    int failed = 0;
    for (int k = 0; k < cases; ++k) {
      const ContactSpaceSolution solution = solver.solve(feasible_planar(draw));
      failed += solution.status == SolveStatus::Converged && solution.certificate.holds &&
                        solution.law.kind == LawKind::Pyramid
                    ? 0
                    : 1;
    }
    CHECK(1000 * failed <= cases);
  }
}

TEST_CASE("A body that friction jams between floor and ceiling is solved with friction") {
  // Lemke's method ends on a ray in any order of the contacts, but a solution exists: the first
  // contact slides, the last sticks, the others open. In the plane the polygon is Coulomb's cone.
  const std::vector<Vector2d> places = {
      {-0.056, -0.452}, {-0.986, 0.291}, {0.440, 0.671}, {-0.436, -0.570}};
  BodyRows body{MatrixXd::Zero(12, 3), Vector3d(2.06, 2.06, 0.437)};
  for (int i = 0; i < 4; ++i) {
    // Normals point up and down in turn.
    const double up = i % 2 == 0 ? 1.0 : -1.0;
    const Vector2d r = places[static_cast<std::size_t>(i)];
    body.J.row(3 * i) << -up, 0.0, up * r.y();
    body.J.row(3 * i + 2) << 0.0, up, up * r.x();
  }
  VectorXd q = body.J * Vector3d(0.2355, 1.0, -1.6488);
  const Eigen::Vector4d opening(0.3168, 0.1269, 0.3297, 0.0028);
  for (int i = 0; i < 4; ++i) q(3 * i + 2) -= opening(i);
  const ContactSpaceProblem problem =
      problem_of(body, q, Eigen::Vector4d(0.0294, 0.808, 1.103, 0.992));
  const ContactSpaceSolution exact = ContactSpaceSolver("coulomb", {}).solve(problem);
  REQUIRE(exact.status == SolveStatus::Converged);
  for (const char* name : {"anitescu-hart", "stewart-trinkle"}) {
    CAPTURE(name);
    const ContactSpaceSolution solution = ContactSpaceSolver(name, {}).solve(problem);
    CHECK(solution.status == SolveStatus::Converged);
    CHECK(solution.certificate.holds);
    CHECK((solution.velocity - exact.velocity).norm() < 1e-7 * exact.velocity.norm());
  }
}

TEST_CASE("A squeeze in contact space is infeasible, and its certificate never holds") {
  const int cases = std::max(40, test::num_cases(4000));
  for (const char* name : {"coulomb", "convex-relaxation", "anitescu-hart", "frictionless",
                           "maximum-dissipation", "no-slip"}) {
    CAPTURE(name);
    ContactSpaceSolver solver(name, {});
    Draw draw(77);
    int certified = 0, recognized = 0, unbounded = 0;
    for (int k = 0; k < cases; ++k) {
      const double unit = std::pow(10.0, draw.between(-4.0, 3.0));
      const ContactSpaceProblem problem = squeeze(draw, unit);
      const ContactSpaceSolution solution = solver.solve(problem);
      certified += solution.certificate.holds ? 1 : 0;
      recognized += solution.status == SolveStatus::Infeasible ? 1 : 0;
      // The answer keeps its size: velocities of the order of those that were asked.
      const double largest = solution.velocity.lpNorm<Eigen::Infinity>();
      unbounded += largest <= 1e3 * problem.q.lpNorm<Eigen::Infinity>() ? 0 : 1;
    }
    CHECK(certified == 0);
    CHECK(recognized == cases);
    CHECK(unbounded == 0);
  }
}

TEST_CASE("A problem in contact space that a velocity satisfies is never called infeasible") {
  const int cases = std::max(40, test::num_cases(4000));
  for (const char* name : {"coulomb", "convex-relaxation", "anitescu-hart", "frictionless",
                           "maximum-dissipation", "no-slip"}) {
    CAPTURE(name);
    ContactSpaceSolver solver(name, {});
    Draw draw(5);
    int wrong = 0;
    for (int k = 0; k < cases; ++k) {
      const ContactSpaceProblem problem =
          k % 2 == 0 ? feasible_spatial(draw) : feasible_planar(draw);
      wrong += solver.solve(problem).status == SolveStatus::Infeasible ? 1 : 0;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("Impulses that cancel do not certify a squeeze") {
  // Two opposite contacts that both close at 0.1 m/s: W p = (p_1 - p_2) in the normals, so that no
  // impulse opens both. In floating point 1e20 - 1e20 - 0.1 is 0.
  for (const double unit : {1.0, 1e-3, 1e4}) {
    ContactSpaceProblem problem;
    problem.q = VectorXd::Zero(6);
    problem.q(2) = problem.q(5) = -0.1 * unit;
    problem.friction = Vector2d(0.4, 0.4);
    Matrix3d own = Matrix3d::Identity(), other = Matrix3d::Identity();
    other(2, 2) = -1.0;
    problem.blocks = {{0, 0, own}, {0, 1, other}, {1, 0, other}, {1, 1, own}};
    VectorXd impulses = VectorXd::Zero(6);
    impulses(2) = impulses(5) = 1e20 * unit;
    const Certificate certificate =
        certify(problem, {LawKind::Coulomb, 4, RestitutionLaw::Newton}, impulses, 1e-8);
    CHECK_FALSE(certificate.holds);
    // eps (1e20 + 1e20) / 0.1
    CHECK(certificate.rounding.value == Approx(2e21 * 2.220446049250313e-16));
  }
}

}  // namespace
}  // namespace amontons

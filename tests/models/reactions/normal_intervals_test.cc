#include "amontons/models/reactions/normal_intervals.h"

#include "amontons/contact/certificate/certificate.h"
#include "amontons/contact/operators/contact_space.h"
#include "amontons/contact/operators/rebound.h"
#include "amontons/models/islands/islandwise_solver.h"
#include "amontons/models/reactions/contact_rank.h"
#include "tests/optimization/lp/vertex_enumeration.h"
#include "tests/support/certified_solve.h"
#include "tests/support/contact_scenes.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <random>

namespace amontons {
namespace {

using Eigen::Index;
using test::kWorld;
using test::SceneBuilder;
using test::solve_by_islands;

constexpr double kStep = 1e-2, kG = 9.81, kTolerance = 1e-8;
// Accuracy of the linear programs [N s]: 1e-8 of the impulses, which are near 0.1 N s.
constexpr double kEndRounding = 1e-8;

std::vector<NormalInterval> intervals(const ContactProblem& problem, const char* model) {
  const CertifiedSolution certified = solve_by_islands(problem, model);
  REQUIRE(certified.certificate.holds);
  return normal_intervals(problem, certified.solution, kTolerance);
}

/// Makes a table of 1 kg on legs without friction.
ContactProblem table(const std::vector<Eigen::Vector3d>& legs, double friction = 0.0) {
  SceneBuilder scene(kStep);
  const int top = scene.add_box(1.0, {2.0, 2.0, 0.1}, {0.0, 0.0, 1.0});
  for (const Eigen::Vector3d& leg : legs) {
    scene.add_contact(kWorld, top, leg, {0.0, 0.0, 1.0}, 0.0, friction);
  }
  return scene.build();
}

/// Makes a ball between two walls whose inward normals rise by `angle`, pressed by its weight.
ContactProblem ball_in_a_groove(double angle, double friction) {
  SceneBuilder scene(kStep);
  const int ball = scene.add_ball(1.0, 0.1, {0.0, 0.0, 0.0});
  for (const double side : {-1.0, 1.0}) {
    const Eigen::Vector3d inward(-side * std::cos(angle), 0.0, std::sin(angle));
    scene.add_contact(kWorld, ball, -0.1 * inward, inward, 0.0, friction);
  }
  return scene.build();
}

// Legs at (+-1, +-1) and the load over (x, y): moments leave one parameter t along (1, -1, -1, 1),
// p = m g h / 4 (1 +- x)(1 +- y) + t, cut off where a leg carries nothing.
TEST_CASE("The legs of a table on four share its weight with one free parameter") {
  const double x = GENERATE(0.0, 0.3, -0.6), y = GENERATE(0.0, 0.5);
  CAPTURE(x, y);
  std::vector<Eigen::Vector3d> legs;
  std::vector<double> signs, shares;
  for (const double a : {-1.0, 1.0}) {
    for (const double b : {-1.0, 1.0}) {
      legs.emplace_back(a - x, b - y, 0.0);  // the center of mass is over (x, y)
      signs.push_back(a * b);
      shares.push_back(kG * kStep / 4.0 * (1.0 + a * x) * (1.0 + b * y));
    }
  }
  double low = -HUGE_VAL, high = HUGE_VAL;
  for (std::size_t i = 0; i < 4; ++i) {
    if (signs[i] > 0.0) low = std::max(low, -shares[i]);
    if (signs[i] < 0.0) high = std::min(high, shares[i]);
  }
  const ContactProblem problem = table(legs);
  const std::vector<NormalInterval> found = intervals(problem, "frictionless");
  for (std::size_t i = 0; i < 4; ++i) {
    CAPTURE(i);
    REQUIRE(found[i].status == SolveStatus::Converged);
    const double least = shares[i] + (signs[i] > 0.0 ? low : -high);
    const double largest = shares[i] + (signs[i] > 0.0 ? high : -low);
    CHECK(found[i].least == Approx(least).margin(kEndRounding));
    CHECK(found[i].largest == Approx(largest).margin(kEndRounding));
  }
  // Twelve rows on one rigid body.
  const ContactRank rank = compute_contact_rank(problem);
  CHECK(rank.rows == 12);
  CHECK(rank.rank == 6);
  CHECK(rank.nullity() == 6);
}

TEST_CASE("Three legs without friction carry what moments say and nothing else") {
  const std::vector<Eigen::Vector3d> legs = {{1.0, 0.0, 0.0}, {-0.5, 0.8, 0.0}, {-0.5, -0.8, 0.0}};
  const std::vector<NormalInterval> found = intervals(table(legs), "frictionless");
  for (const NormalInterval& leg : found) {
    REQUIRE(leg.status == SolveStatus::Converged);
    CHECK(leg.least == Approx(kG * kStep / 3.0).margin(kEndRounding));
    CHECK(leg.largest == Approx(kG * kStep / 3.0).margin(kEndRounding));
  }
}

// Friction at coplanar contacts makes no moment about a horizontal axis in their plane. Normal
// impulses are therefore as free as without friction: at a box, from zero to half the weight.
TEST_CASE("A corner of a box at rest carries anything up to half of the weight") {
  const double mu = GENERATE(0.0, 0.5, 1e3, 1e6);
  const char* model = GENERATE("coulomb", "convex-relaxation", "anitescu-potra", "frictionless");
  CAPTURE(mu, model);
  const ContactProblem problem = test::box_on_plane(mu, Eigen::Vector3d::Zero(), kStep);
  for (const NormalInterval& corner : intervals(problem, model)) {
    REQUIRE(corner.status == SolveStatus::Converged);
    CHECK(corner.least == Approx(0.0).margin(kEndRounding));
    CHECK(corner.largest == Approx(0.5 * kG * kStep).margin(kEndRounding));
  }
}

// Symmetric impulses N and T (up along the walls, T <= mu N) carry the weight if
// 2 N sin a + 2 T cos a = m g h; moments make T the same on both sides and with it N. For
// tan a > mu gravity bounds N by T = +-mu N; for tan a < mu the walls may press at will.
TEST_CASE(
    "A ball in a groove can be wedged without bound if and only if mu exceeds tan(half-angle)") {
  const double angle = GENERATE(0.1, 0.3, 0.6), mu = GENERATE(0.05, 0.2, 0.5, 1.0);
  CAPTURE(angle, mu);
  const std::vector<NormalInterval> found = intervals(ball_in_a_groove(angle, mu), "coulomb");
  const double weight = kG * kStep, s = std::sin(angle), c = std::cos(angle);
  // The bounds are those of the polygons in place of discs.
  const double within = 1.0 - std::cos(std::numbers::pi / kDiscCorners);
  for (const NormalInterval& wall : found) {
    REQUIRE(wall.status == SolveStatus::Converged);
    const double least = 0.5 * weight / (s + mu * c);
    CHECK(wall.least == Approx(least).margin(kEndRounding + within * least));
    if (mu > std::tan(angle)) {
      CHECK(std::isinf(wall.largest));
    } else {
      const double largest = 0.5 * weight / (s - mu * c);
      const double sensitivity = mu * c / (s - mu * c);
      CHECK(wall.largest == Approx(largest).margin(kEndRounding + within * sensitivity * largest));
    }
  }
}

// A ball at rest: each wall carries half of the weight by friction and presses at least 1/mu times
// as hard. Falling is a solution, too: friction acts fully upwards, and only zero impulses balance
// it. Without friction nothing says how hard the walls press.
TEST_CASE(
    "A ball held between two upright walls may be pressed as hard as one likes, falling not") {
  const double mu = GENERATE(0.3, 2.0, 1e6), weight = kG * kStep;
  CAPTURE(mu);
  const ContactProblem problem = ball_in_a_groove(0.0, mu);
  Eigen::VectorXd grip = Eigen::VectorXd::Zero(6);
  for (const Index i : {Index{0}, Index{1}}) {
    const Eigen::Matrix3d R_WC =
        contact_frame(problem.contacts[static_cast<std::size_t>(i)].normal_W);
    grip.segment<3>(3 * i) = R_WC.transpose() * Eigen::Vector3d(0.0, 0.0, 0.5 * weight);
    grip(3 * i + 2) = weight / mu;
  }
  const ContactSolution held = test::solution_of(problem, {LawKind::Coulomb}, grip);
  REQUIRE(certify(problem, held, kTolerance).holds);
  for (const NormalInterval& wall : normal_intervals(problem, held, kTolerance)) {
    REQUIRE(wall.status == SolveStatus::Converged);
    CHECK(wall.least == Approx(0.5 * weight / mu).margin(kEndRounding));
    CHECK(std::isinf(wall.largest));
  }
  const ContactSolution falling =
      test::solution_of(problem, {LawKind::Coulomb}, Eigen::VectorXd::Zero(6));
  for (const NormalInterval& wall : normal_intervals(problem, falling, kTolerance)) {
    CHECK(wall.largest == Approx(0.0).margin(kEndRounding));
  }
  const ContactSolution smooth =
      test::solution_of(problem, {LawKind::Frictionless}, Eigen::VectorXd::Zero(6));
  for (const NormalInterval& wall : normal_intervals(problem, smooth, kTolerance)) {
    CHECK(wall.least == 0.0);
    CHECK(std::isinf(wall.largest));
  }
}

/// Returns the ends of the normal impulses of points in a plane, by all of their vertices. At most
/// three points carry the weight and its moments at once [Caratheodory 1911].
std::vector<NormalInterval> ends_by_triples(const std::vector<Eigen::Vector3d>& points) {
  std::vector<NormalInterval> ends(points.size(), {SolveStatus::Converged, kG * kStep, 0.0});
  const int n = static_cast<int>(points.size());
  for (int a = 0; a < n; ++a) {
    for (int b = 0; b < a; ++b) {
      for (int c = 0; c < b; ++c) {
        Eigen::Matrix3d balance;
        const std::array<int, 3> corners = {a, b, c};
        for (int k = 0; k < 3; ++k) {
          balance.col(k) = points[static_cast<std::size_t>(corners[static_cast<std::size_t>(k)])];
        }
        balance.row(2).setOnes();
        if (std::abs(balance.determinant()) < 1e-9) continue;
        const Eigen::Vector3d share = balance.inverse() * Eigen::Vector3d(0.0, 0.0, kG * kStep);
        if (share.minCoeff() < 0.0) continue;
        for (int k = 0; k < n; ++k) {
          const auto own = std::find(corners.begin(), corners.end(), k);
          const double p = own == corners.end() ? 0.0 : share(own - corners.begin());
          NormalInterval& end = ends[static_cast<std::size_t>(k)];
          end.least = std::min(end.least, p);
          end.largest = std::max(end.largest, p);
        }
      }
    }
  }
  return ends;
}

/// A problem without friction, W = J J', that the impulses p [n] solve: contact i leaves at s(i),
/// zero where p(i) is positive.
struct SmoothContacts {
  Eigen::MatrixXd A;
  Eigen::VectorXd q, p;

  ContactSpaceProblem as_problem() const {
    ContactSpaceProblem problem;
    const Index n = q.size();
    problem.q.setZero(3 * n);
    problem.friction.setZero(n);
    for (Index i = 0; i < n; ++i) {
      problem.q(3 * i + 2) = q(i);
      for (Index j = 0; j < n; ++j) {
        if (i != j && A(i, j) == 0.0) continue;
        const Eigen::Vector3d normal = Eigen::Vector3d::UnitZ();
        problem.blocks.push_back(
            {static_cast<int>(i), static_cast<int>(j), A(i, j) * normal * normal.transpose()});
      }
    }
    return problem;
  }

  Eigen::VectorXd impulses() const {
    Eigen::VectorXd result = Eigen::VectorXd::Zero(3 * p.size());
    for (Index i = 0; i < p.size(); ++i) result(3 * i + 2) = p(i);
    return result;
  }
};

/// Integer normals in few dimensions: redundant, opposing and equal ones abound.
SmoothContacts random_smooth_contacts(std::mt19937_64& random) {
  const auto integer = [&](int low, int high) {
    return static_cast<double>(std::uniform_int_distribution<int>(low, high)(random));
  };
  const Index n = std::uniform_int_distribution<Index>(1, 7)(random);
  const Index dofs = std::uniform_int_distribution<Index>(1, 3)(random);
  Eigen::MatrixXd J = Eigen::MatrixXd::NullaryExpr(n, dofs, [&] { return integer(-1, 1); });
  for (Index i = 0; i < n; ++i) {
    if (J.row(i).isZero(0.0)) J(i, 0) = 1.0;  // each contact moves something
  }
  SmoothContacts made{J * J.transpose(), {}, Eigen::VectorXd::Zero(n)};
  Eigen::VectorXd leaving = Eigen::VectorXd::Zero(n);
  for (Index i = 0; i < n; ++i) {
    const double kind = integer(0, 4);
    if (kind == 0.0) leaving(i) = integer(1, 3);
    if (kind > 2.0) made.p(i) = integer(1, 3);
  }
  made.q = leaving - made.A * made.p;
  return made;
}

// All solutions of a problem without friction: p >= 0, A p = A p*, q'p = q'p*.
TEST_CASE("Without friction an impulse ends at a vertex of all solutions, or with a ray nowhere") {
  std::mt19937_64 random(2);
  const int cases = test::num_cases(2000);
  int num_infinite = 0;
  for (int k = 0; k < cases; ++k) {
    CAPTURE(k);
    const SmoothContacts made = random_smooth_contacts(random);
    const Index n = made.p.size();
    Eigen::MatrixXd solutions(n + 1, n), rays(n + 2, n);
    solutions << made.A, made.q.transpose();
    // Directions without end: d >= 0, A d = 0, q'd = 0, sum(d) = 1.
    rays << solutions, Eigen::RowVectorXd::Ones(n);
    const auto vertices = test::enumerate_vertices(solutions, solutions * made.p);
    const auto directions = test::enumerate_vertices(rays, Eigen::VectorXd::Unit(n + 2, n + 1));
    const std::vector<NormalInterval> found =
        normal_intervals(made.as_problem(), {LawKind::Frictionless}, made.impulses(), kTolerance);
    for (Index i = 0; i < n; ++i) {
      CAPTURE(i);
      double least = HUGE_VAL, largest = 0.0;
      for (const Eigen::VectorXd& p : vertices) least = std::min(least, p(i));
      for (const Eigen::VectorXd& p : vertices) largest = std::max(largest, p(i));
      for (const Eigen::VectorXd& d : directions) {
        if (d(i) > 1e-9) largest = HUGE_VAL;
      }
      const NormalInterval& own = found[static_cast<std::size_t>(i)];
      REQUIRE(own.status == SolveStatus::Converged);
      CHECK(own.least == Approx(least).margin(kEndRounding));
      if (std::isinf(largest)) {
        CHECK(std::isinf(own.largest));
        ++num_infinite;
      } else {
        CHECK(own.largest == Approx(largest).margin(kEndRounding));
      }
    }
  }
  CHECK(num_infinite > cases / 10);
}

// Friction makes no moment about a horizontal axis in the plane of the contacts.
TEST_CASE(
    "Coplanar points at rest, 8 or 100, carry between the ends that all triples of them give") {
  const int count = GENERATE(8, 100);
  const double mu = GENERATE(0.0, 0.4);
  CAPTURE(count, mu);
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> coordinate(-1.0, 1.0);
  std::vector<Eigen::Vector3d> points;
  for (int k = 0; k < count; ++k) points.emplace_back(coordinate(random), coordinate(random), 0.0);
  const std::vector<NormalInterval> expected = ends_by_triples(points);
  const ContactProblem problem = table(points, mu);
  const std::vector<NormalInterval> found = intervals(problem, "coulomb");
  for (std::size_t i = 0; i < points.size(); ++i) {
    REQUIRE(found[i].status == SolveStatus::Converged);
    CHECK(found[i].least == Approx(expected[i].least).margin(kEndRounding));
    CHECK(found[i].largest == Approx(expected[i].largest).margin(kEndRounding));
  }
  CHECK(compute_contact_rank(problem).nullity() == 3 * count - 6);
}

// A box slides along x: friction acts below the center and loads the front two corners more, by the
// moment mu m g h_c over the length; together they carry this, and no corner more than its pair.
TEST_CASE("A corner of a sliding box carries at most what its pair does, and nothing if it opens") {
  const double mu = 0.3;
  const ContactProblem sliding = test::box_on_plane(mu, {1.0, 0.0, 0.0}, kStep);
  const std::vector<NormalInterval> found = intervals(sliding, "coulomb");
  const double weight = kG * kStep;
  const double front = weight * 0.5 * (1.0 + mu * 0.05 / 0.1);
  for (const std::size_t corner : {std::size_t{2}, std::size_t{3}}) {
    CHECK(found[corner].largest <= front + kEndRounding);
  }
  const ContactProblem leaving = test::box_on_plane(mu, {0.0, 0.0, 1.0}, kStep);
  for (const NormalInterval& corner : intervals(leaving, "coulomb")) {
    CHECK(corner.least == 0.0);
    CHECK(corner.largest == 0.0);
  }
}

TEST_CASE("A problem given by W has the intervals of its bodies") {
  const ContactProblem problem = ball_in_a_groove(0.6, 0.2);
  const ContactSpace space(problem);
  const std::vector<int> all = {0, 1};
  const Eigen::MatrixXd A = space.delassus(all);
  ContactSpaceProblem twin;
  twin.q = space.free_contact_velocity();
  twin.friction = Eigen::Vector2d(0.2, 0.2);
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) twin.blocks.push_back({i, j, A.block<3, 3>(3 * i, 3 * j)});
  }
  const CertifiedSolution certified = solve_by_islands(problem, "coulomb");
  const std::vector<NormalInterval> bodies =
      normal_intervals(problem, certified.solution, kTolerance);
  const std::vector<NormalInterval> contacts =
      normal_intervals(twin, certified.solution.law, certified.solution.impulses, kTolerance);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(contacts[i].least == Approx(bodies[i].least).margin(kEndRounding));
    CHECK(contacts[i].largest == Approx(bodies[i].largest).margin(kEndRounding));
  }
  CHECK(compute_contact_rank(twin).rank == compute_contact_rank(problem).rank);
}

// The approach is given back: a contact that leaves at less than e times its approach may not
// carry.
TEST_CASE(
    "A ball that bounces on one of two contacts carries what rebound needs, no more or less") {
  SceneBuilder scene(kStep);
  const int ball = scene.add_ball(1.0, 0.1, {0.0, 0.0, 0.1}, {0.0, 0.0, -2.0});
  scene.add_contact(kWorld, ball, {0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, 0.0, 0.0, 0.5);
  scene.add_contact(kWorld, ball, {0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, 0.0, 0.0, 0.25);
  const std::vector<NormalInterval> found = intervals(scene.build(), "coulomb");
  // It leaves at about 1 m/s, the faster of both rebounds: the other contact, due at half of it, is
  // passive.
  const double expected = rebound_speed(0.5, 2.0, -kG * kStep, 0.0) + 2.0 + kG * kStep;
  CHECK(found[0].least == Approx(expected).margin(kEndRounding));
  CHECK(found[0].largest == Approx(expected).margin(kEndRounding));
  CHECK(found[1].largest == 0.0);
}

TEST_CASE("A contact beyond the gap at which a law acts carries nothing") {
  SceneBuilder scene(kStep);
  const int ball = scene.add_ball(1.0, 0.1, {0.0, 0.0, 0.1}, {0.0, 0.0, -2.0});
  scene.add_contact(kWorld, ball, {0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, 1e-3, 0.0);
  for (const NormalInterval& contact : intervals(scene.build(), "anitescu-potra")) {
    CHECK(contact.status == SolveStatus::Converged);
    CHECK(contact.largest == 0.0);
  }
}

TEST_CASE("A search for intervals that is ended says which it has not found") {
  const ContactProblem problem = test::box_on_plane(0.5, Eigen::Vector3d::Zero(), kStep);
  const CertifiedSolution certified = solve_by_islands(problem, "coulomb");
  std::vector<double> shares;
  const std::vector<NormalInterval> found =
      normal_intervals(problem, certified.solution, kTolerance, [&](double share) {
        shares.push_back(share);
        return shares.size() < 2;
      });
  CHECK(shares == std::vector<double>{0.25, 0.5});
  CHECK(found[1].status == SolveStatus::Converged);
  CHECK(found[2].status == SolveStatus::NotRun);
  CHECK(std::isnan(found[3].largest));
}

TEST_CASE("Intervals are those of a law at one contact, and of an answer that satisfies it") {
  const ContactProblem problem = test::box_on_plane(0.5, {1.0, 0.0, 0.0}, kStep);
  const CertifiedSolution program = solve_by_islands(problem, "maximum-dissipation");
  CHECK_THROWS_AS(normal_intervals(problem, program.solution, kTolerance), std::invalid_argument);
  // Without friction the box slides on: Coulomb's law does not hold at its impulses.
  CertifiedSolution false_claim = solve_by_islands(problem, "frictionless");
  false_claim.solution.law.kind = LawKind::Coulomb;
  for (const NormalInterval& corner : normal_intervals(problem, false_claim.solution, kTolerance)) {
    CHECK(corner.status == SolveStatus::Stalled);
    CHECK(std::isnan(corner.least));
  }
}

TEST_CASE("A contact that no impulse can move may carry any normal impulse, or none") {
  ContactSpaceProblem problem;
  problem.q = Eigen::VectorXd::Zero(3);
  problem.friction = Eigen::VectorXd::Constant(1, 0.5);
  problem.blocks.push_back({0, 0, Eigen::Matrix3d::Zero()});
  const ContactLaw law{LawKind::Coulomb, 4, RestitutionLaw::Newton};
  const std::vector<NormalInterval> found =
      normal_intervals(problem, law, Eigen::VectorXd::Zero(3), kTolerance);
  REQUIRE(found.size() == 1);
  CHECK(found[0].status == SolveStatus::Converged);
  CHECK(found[0].least == 0.0);
  CHECK(std::isinf(found[0].largest));
}

}  // namespace
}  // namespace amontons

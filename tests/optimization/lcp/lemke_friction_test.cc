#include "amontons/optimization/lcp/lemke.h"
#include "tests/optimization/lcp/complementarity_oracle.h"
#include "tests/optimization/lcp/friction_lcp.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

TEST_CASE("Random frictional contact with a solution is solved, and never answered wrongly") {
  const int cases = test::num_cases(10000);
  int num_solved = 0;
  for (int k = 0; k < cases; ++k) {
    CAPTURE(k);
    std::mt19937_64 random(static_cast<std::uint64_t>(1000 + k));
    const LinearComplementarityProblem problem = test::make_random_friction_lcp(random);
    const LcpSolution solution = solve_lemke(problem);
    REQUIRE(solution.residual == measure_residual(problem, solution.z));
    if (solution.status == SolveStatus::Converged) {
      ++num_solved;
      CHECK(solution.residual <= 1e-8);
      CHECK(test::is_solution(problem, solution.z, 1e-7));
    } else {
      CHECK(solution.status != SolveStatus::Infeasible);  // all of these problems have a solution
      CHECK(solution.residual > 1e-8);
    }
  }
  CHECK(num_solved >= 0.999 * cases);
}

TEST_CASE("Boxes in a stack stop falling, whatever their mass ratio up to 1e4") {
  const double ratio = GENERATE(1.0, 1e2, 1e4);
  const double mu = GENERATE(0.0, 0.5);
  const int facets = GENERATE(4, 8);
  const bool heavy_on_top = GENERATE(true, false);
  CAPTURE(ratio, mu, facets, heavy_on_top);
  const std::vector<double> masses =
      heavy_on_top ? std::vector<double>{1, 1, ratio} : std::vector<double>{1, ratio, 1};
  // Without friction the boxes may slide too; with it that would tip them.
  const double fall_speed = 1.0, slip = mu > 0.0 ? 0.0 : 0.3;
  const LinearComplementarityProblem problem =
      test::make_stack_lcp(masses, mu, facets, {slip, slip / 3.0, -fall_speed});
  const LcpSolution solution = solve_lemke(problem);
  REQUIRE(solution.status == SolveStatus::Converged);
  // Each patch of four contacts stops all that rests on it: its normal impulses sum to m v.
  double above = 0.0;
  for (int level = 2; level >= 0; --level) {
    above += masses[static_cast<std::size_t>(level)] * fall_speed;
    CHECK(solution.z.segment<4>(4 * level).sum() == Approx(above).epsilon(1e-7));
  }
}

TEST_CASE("Sliding stacks of mass ratio up to 1e4 are solved, whichever box is the heavy one") {
  const int facets = GENERATE(4, 6, 8);
  const double mu = GENERATE(0.3, 1.0);
  const double slip = GENERATE(0.1, 2.0);
  const int points = GENERATE(2, 3);
  for (const double ratio : {1.0, 1e1, 1e2, 1e3, 1e4}) {
    const double root = std::sqrt(ratio);
    for (const std::vector<double>& masses :
         {std::vector<double>{1, 1, ratio}, {1, ratio, 1}, {1, root, ratio}, {ratio, 1, ratio}}) {
      CAPTURE(facets, mu, slip, points, masses);
      const LinearComplementarityProblem problem =
          test::make_stack_lcp(masses, mu, facets, {slip, slip / 3.0, -1.0}, points);
      const LcpSolution solution = solve_lemke(problem);
      CHECK(solution.status == SolveStatus::Converged);
      CHECK(test::is_solution(problem, solution.z, 1e-7));
    }
  }
}

TEST_CASE("A particle thrown on a floor loses at most mu times its normal impulse") {
  const double mass = 3.0, fall_speed = 2.0, slip = 1.5;
  const double mu = GENERATE(0.0, 0.2, 0.5, 0.75, 1.0, 2.0);
  CAPTURE(mu);
  test::FrictionContact contact;
  contact.normal = Eigen::Vector3d::UnitZ();
  contact.directions.resize(4, 3);
  contact.directions << 1, 0, 0, 0, 1, 0, -1, 0, 0, 0, -1, 0;
  contact.friction_coefficient = mu;
  const LcpSolution solution = solve_lemke(test::make_friction_lcp(
      {contact}, MatrixXd::Identity(3, 3) / mass, Eigen::Vector3d(slip, 0.0, -fall_speed)));
  REQUIRE(solution.status == SolveStatus::Converged);
  const double normal = mass * fall_speed;
  CHECK(solution.z(0) == Approx(normal));
  const double friction = solution.z(1) - solution.z(3);
  CHECK(friction == Approx(-std::min(mu * normal, mass * slip)).margin(1e-12));
}

TEST_CASE("Painleve's rod, which has no acceleration, gets an impulse") {
  // A rod of half length 1 sliding into its contact: tip at (-cos a, -sin a), thrown along -x...+x.
  // With strong friction the normal acceleration is negative for every normal force.
  const double angle = 1.2, mu = 3.0, inertia = 1.0 / 3.0;
  const Eigen::Vector2d tip(-std::cos(angle), -std::sin(angle));
  test::FrictionContact contact;
  contact.normal = Eigen::Vector3d(0.0, 1.0, tip.x());  // (x, y, rotation)
  const Eigen::Vector3d tangent(1.0, 0.0, -tip.y());
  contact.directions.resize(4, 3);  // the plane knows two directions; each is listed twice
  contact.directions << tangent.transpose(), tangent.transpose(), -tangent.transpose(),
      -tangent.transpose();
  contact.friction_coefficient = mu;
  const Eigen::Vector3d inverse_mass(1.0, 1.0, 1.0 / inertia);
  const double slip_direction = GENERATE(-1.0, 1.0);
  CAPTURE(slip_direction);
  const Eigen::Vector3d velocity(slip_direction * 2.0, -0.01, 0.0);
  const LinearComplementarityProblem problem =
      test::make_friction_lcp({contact}, inverse_mass.asDiagonal(), velocity);
  // Unit normal impulse with sliding friction: the contact point accelerates into the floor for one
  // of the two slip directions.
  const double normal_response = contact.normal.dot(
      inverse_mass.asDiagonal() * (contact.normal - slip_direction * mu * tangent));
  CHECK((normal_response < 0.0) ==
        (slip_direction * tip.x() * tip.y() * 3.0 * mu < -1.0 - 3.0 * tip.x() * tip.x()));
  const LcpSolution solution = solve_lemke(problem);
  REQUIRE(solution.status == SolveStatus::Converged);
  CHECK(solution.residual <= 1e-9);
  const VectorXd impulse =
      contact.normal * solution.z(0) + contact.directions.transpose() * solution.z.segment<4>(1);
  const VectorXd after = velocity + inverse_mass.asDiagonal() * impulse;
  CHECK(contact.normal.dot(after) >= -1e-12);
  const auto energy = [&](const VectorXd& v) { return 0.5 * v.cwiseQuotient(inverse_mass).dot(v); };
  CHECK(energy(after) <= energy(velocity));
}

TEST_CASE("Contact never adds energy to the free motion") {
  std::mt19937_64 random(77);
  for (int k = 0; k < test::num_cases(5000); ++k) {
    CAPTURE(k);
    const LinearComplementarityProblem problem = test::make_random_friction_lcp(random);
    const LcpSolution solution = solve_lemke(problem);
    REQUIRE(solution.status == SolveStatus::Converged);
    // Work p'(A p / 2 + b): q holds b plus gaps >= 0, on which an active contact only loses.
    const VectorXd& z = solution.z;
    const double work = z.dot(0.5 * problem.M * z + problem.q);
    const double size = z.dot(0.5 * problem.M.cwiseAbs() * z + problem.q.cwiseAbs());
    CHECK(work <= 1e-8 * size + 1e-20);  // energies here are 1e-3 J and more
  }
}

TEST_CASE("A ball squeezed between closing walls is infeasible, and the proof is the squeeze") {
  const double mu = GENERATE(0.0, 0.3);
  CAPTURE(mu);
  std::vector<test::FrictionContact> contacts(2);
  for (int wall = 0; wall < 2; ++wall) {
    test::FrictionContact& contact = contacts[static_cast<std::size_t>(wall)];
    contact.normal = (wall == 0 ? 1.0 : -1.0) * Eigen::Vector3d::UnitX();
    contact.directions.resize(4, 3);
    contact.directions << 0, 1, 0, 0, 0, 1, 0, -1, 0, 0, 0, -1;
    contact.friction_coefficient = mu;
    contact.gap_speed = -0.5;  // overlap of both walls, to be undone within the step
  }
  const LinearComplementarityProblem problem =
      test::make_friction_lcp(contacts, MatrixXd::Identity(3, 3), Eigen::Vector3d(0.1, 0.2, -0.3));
  const LcpSolution solution = solve_lemke(problem);
  REQUIRE(solution.status == SolveStatus::Infeasible);
  REQUIRE(solution.ray.has_value());
  CHECK((*solution.ray)(0) > 0.0);
  CHECK((*solution.ray)(0) == Approx((*solution.ray)(1)));
}

}  // namespace
}  // namespace amontons

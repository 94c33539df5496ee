#include "amontons/contact/certificate/certificate.h"
#include "tests/contact/certificate/certified_scenes.h"

#include <cmath>
#include <limits>

namespace amontons::test {
namespace {

TEST_CASE("A corrupted impulse is found: without its velocity by the dynamics") {
  SlidingBlock block;
  ContactSolution solution = block.solution();
  solution.impulses(3 * 2 + 2) += 0.01;
  const Certificate certificate = certify(block.problem, solution, kTolerance);
  CHECK_FALSE(certificate.holds);
  CHECK(certificate.dynamics.where == 0);
  // The impulse turns the box more than it lifts it: |.|_M^2 = p^2 (1 + 0.1^2 (1/I_x + 1/I_y)).
  const double inertia = (0.2 * 0.2 + 0.1 * 0.1) / 12.0;
  const double change = 0.01 * std::sqrt(1.0 + 2.0 * 0.01 / inertia);
  const double speeds = (1.0 - kMu * kG * kStep) + std::sqrt(1.0 + std::pow(kG * kStep, 2));
  CHECK(certificate.dynamics.value == Approx(change / speeds).epsilon(1e-3));
}

TEST_CASE("A corrupted impulse is found: with its velocity by the law of its contact") {
  SlidingBlock block;
  SECTION("the wrong sign of friction, which also adds energy") {
    block.impulses(3 * 2) *= -1.0;
    const Certificate certificate = certify(block.problem, block.solution(), kTolerance);
    CHECK_FALSE(certificate.holds);
    CHECK(certificate.friction.where == 2);
    CHECK(certificate.dynamics.value < kVelocityRounding);
  }
  SECTION("friction beyond the cone") {
    block.impulses(3 * 3) *= 1.5;
    const Certificate certificate = certify(block.problem, block.solution(), kTolerance);
    CHECK_FALSE(certificate.holds);
    CHECK(certificate.friction.where == 3);
  }
  SECTION("adhesion: a negative normal impulse") {
    block.impulses(3 * 1 + 2) = -0.05;
    const Certificate certificate = certify(block.problem, block.solution(), kTolerance);
    CHECK_FALSE(certificate.holds);
    CHECK(certificate.normal.where == 1);
    CHECK(certificate.normal.value > 0.1);
  }
}

TEST_CASE("Friction that pushes forward adds energy, and the bound sees how much") {
  SlidingBlock block;
  const double load = kG * kStep;
  block.impulses = box_impulses(load, kMu * load);
  const Certificate certificate = certify(block.problem, block.solution(), kTolerance);
  CHECK_FALSE(certificate.holds);
  CHECK(certificate.energy_gained == Approx(kMu * load * (1.0 + kMu * load)).epsilon(1e-12));
}

TEST_CASE("A changed problem is found at the contact that changed") {
  SlidingBlock block;
  const ContactSolution solution = block.solution();
  SECTION("friction coefficient") {
    block.problem.contacts[1].friction = 0.9 * kMu;
    const Certificate certificate = certify(block.problem, solution, kTolerance);
    CHECK_FALSE(certificate.holds);
    CHECK(certificate.friction.where == 1);
  }
  SECTION("an overlap that the answer does not open") {
    block.problem.contacts[2].gap = -1e-3;
    const Certificate certificate = certify(block.problem, solution, kTolerance);
    CHECK_FALSE(certificate.holds);
    CHECK(certificate.normal.where == 2);
    CHECK(certificate.normal.value == Approx(0.1).epsilon(0.01));  // 1e-3 m in 1e-2 s over 1 m/s
  }
  SECTION("a gap across which the contact pushes") {
    block.problem.contacts[3].gap = 1e-5;
    const Certificate certificate = certify(block.problem, solution, kTolerance);
    CHECK_FALSE(certificate.holds);
    CHECK(certificate.normal.where == 3);
    CHECK(certificate.normal.value == Approx(1e-3).epsilon(0.01));
  }
}

TEST_CASE("A corrupted velocity is found by the dynamics of its articulation") {
  SceneBuilder scene(kStep);
  for (int b = 0; b < 3; ++b) {
    scene.add_ball(std::pow(1e3, b), 0.1, {1.0 * b, 0.0, 0.1});
    scene.add_contact(kWorld, b, {1.0 * b, 0.0, 0.0}, {0.0, 0.0, 1.0}, 0.0, kMu);
  }
  const ContactProblem problem = scene.build();
  Eigen::VectorXd impulses(9);
  impulses << 0, 0, kG * kStep, 0, 0, 1e3 * kG * kStep, 0, 0, 1e6 * kG * kStep;
  ContactSolution solution = solution_of(problem, {.kind = LawKind::Coulomb}, impulses);
  check_passes(certify(problem, solution, kTolerance));
  // The lightest ball, next to one a million times heavier.
  solution.velocity(3) += 1e-6;
  const Certificate certificate = certify(problem, solution, kTolerance);
  CHECK_FALSE(certificate.holds);
  CHECK(certificate.dynamics.where == 0);
  CHECK(certificate.dynamics.value == Approx(1e-6 / (kG * kStep)).epsilon(1e-4));
  CHECK(certificate.friction.where == 0);
}

TEST_CASE("A velocity or impulse that is not finite never passes") {
  SlidingBlock block;
  for (const double value :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    ContactSolution solution = block.solution();
    solution.velocity(4) = value;
    CHECK_FALSE(certify(block.problem, solution, kTolerance).holds);
    solution = block.solution();
    solution.impulses(7) = value;
    CHECK_FALSE(certify(block.problem, solution, kTolerance).holds);
  }
}

TEST_CASE("A solution of another size is refused by the name of its part") {
  SlidingBlock block;
  ContactSolution solution = block.solution();
  solution.impulses.conservativeResize(9);
  CHECK_THROWS_WITH(certify(block.problem, solution, kTolerance),
                    Catch::Matchers::Contains("impulses has 9 entries, expected 12"));
  solution = block.solution();
  solution.modes.pop_back();
  CHECK_THROWS_AS(certify(block.problem, solution, kTolerance), std::invalid_argument);
}

/// Makes two links that hang from the world, the lower one against a wall.
TEST_CASE("The certificate finds an error in a joint impulse or a joint velocity") {
  const ContactProblem problem = jointed_links();
  // Frictionless: the impulse that stops the approach, from one test impulse.
  const ContactSpace space(problem);
  const std::vector<int> only = {0};
  Eigen::Vector3d p = Eigen::Vector3d::Zero();
  p.z() = -space.free_contact_velocity()(2) / space.delassus(only)(2, 2);
  REQUIRE(p.z() > 0.0);
  ContactSolution solution = solution_of(problem, {}, p);
  const Certificate right = certify(problem, solution, kTolerance);
  CHECK(right.holds);
  // Rounding, 1e-16 of the terms, against a scale that is at least 1e-6 of them.
  CHECK(right.joint.value < 1e-9);
  CHECK(right.stabilization_work > 0.0);

  SECTION("impulse") {
    solution.joint_impulses(4) += 1e-4;
    const Certificate wrong = certify(problem, solution, kTolerance);
    CHECK_FALSE(wrong.holds);
    CHECK(wrong.dynamics.value > 1e-6);
  }
  SECTION("velocity") {
    // Both links move together along y: only the joint with the world is violated.
    solution.velocity(4) += 1e-3;
    solution.velocity(10) += 1e-3;
    const Certificate wrong = certify(problem, solution, kTolerance);
    CHECK_FALSE(wrong.holds);
    CHECK(wrong.joint.where == 1);
  }
}

}  // namespace
}  // namespace amontons::test

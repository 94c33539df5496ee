#include "amontons/contact/certificate.h"

#include "tests/support/contact_scenes.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

namespace amontons {
namespace {

using test::kWorld;
using test::SceneBuilder;

constexpr double kStep = 1e-2, kG = 9.81, kMu = 0.5;
constexpr double kTolerance = 1e-8;
constexpr double kRounding = 1e-13;

const LawKind kLawsWithFriction[] = {LawKind::Pyramid, LawKind::ConvexPyramid, LawKind::Coulomb,
                                     LawKind::ConvexCone};

/// Impulses of the box of box_on_plane() whose contacts carry `normal` in sum, tangential impulse
/// `tangential` along x in sum in proportion, and no moment about y: the front carries more.
Eigen::VectorXd box_impulses(double normal, double tangential) {
  const double tilt = -0.5 * tangential / normal;  // height of the center / half length
  Eigen::VectorXd p(12);
  for (int i = 0; i < 4; ++i) {
    const double share = 0.25 * (1.0 + (i < 2 ? -tilt : tilt));
    p.segment<3>(3 * i) << share * tangential, 0.0, share * normal;
  }
  return p;
}

void check_passes(const Certificate& certificate) {
  CHECK(certificate.claimed);
  CHECK(certificate.normal.value < kRounding);
  CHECK(certificate.friction.value < kRounding);
  CHECK(certificate.joint.value < kRounding);
  CHECK(certificate.dynamics.value < kRounding);
  CHECK(certificate.energy_gained < kRounding);
}

TEST_CASE("A block at rest obeys every law") {
  const ContactProblem problem = test::box_on_plane(kMu, {0.0, 0.0, 0.0}, kStep);
  for (const LawKind law : kLawsWithFriction) {
    CAPTURE(to_string(law));
    const Certificate certificate =
        certify(problem, test::solution_of(problem, {.kind = law}, box_impulses(kG * kStep, 0.0)),
                kTolerance);
    check_passes(certificate);
    CHECK(certificate.coulomb.value < kRounding);
    CHECK(certificate.stabilization_work == 0.0);
    CHECK(certificate.kinetic_energy == Approx(0.5 * kG * kStep * kG * kStep).epsilon(1e-14));
  }
  check_passes(
      certify(problem, test::solution_of(problem, {}, box_impulses(kG * kStep, 0.0)), kTolerance));
}

TEST_CASE("A sliding block obeys Coulomb's law and the pyramid, whose first direction it follows") {
  const ContactProblem problem = test::box_on_plane(kMu, {1.0, 0.0, 0.0}, kStep);
  const double load = kG * kStep;
  for (const LawKind law : {LawKind::Pyramid, LawKind::Coulomb}) {
    const ContactSolution solution =
        test::solution_of(problem, {.kind = law}, box_impulses(load, -kMu * load));
    CHECK(solution.velocity(3) == Approx(1.0 - kMu * load).epsilon(1e-14));
    const Certificate certificate = certify(problem, solution, kTolerance);
    check_passes(certificate);
    CHECK(certificate.energy_gained < -0.9 * kMu * load);  // friction took that much
    CHECK(certificate.dissipation.value < kRounding);
  }
  // The relaxations ask for a slope of mu between sliding and lifting, which this answer has not.
  for (const LawKind law : {LawKind::ConvexPyramid, LawKind::ConvexCone}) {
    const Certificate certificate =
        certify(problem, test::solution_of(problem, {.kind = law}, box_impulses(load, -kMu * load)),
                kTolerance);
    CHECK_FALSE(certificate.claimed);
    CHECK(certificate.normal.value == Approx(kMu).epsilon(0.06));
  }
}

TEST_CASE("A block pushed less than friction bears sticks; pushed more, it may not stick") {
  const double push = GENERATE(0.8, 1.2) * kMu * kG;
  SceneBuilder scene(kStep);
  const int box = scene.add_box(1.0, {0.2, 0.2, 0.1}, {0.0, 0.0, 0.05});
  scene.add_force(box, {push, 0.0, 0.0});
  for (const double x : {-0.1, 0.1}) {
    for (const double y : {-0.1, 0.1}) {
      scene.add_contact(kWorld, box, {x, y, 0.0}, {0.0, 0.0, 1.0}, 0.0, kMu);
    }
  }
  const ContactProblem problem = scene.build();
  for (const LawKind law : kLawsWithFriction) {
    const Certificate certificate = certify(
        problem, test::solution_of(problem, {.kind = law}, box_impulses(kG * kStep, -push * kStep)),
        kTolerance);
    if (push < kMu * kG) {
      check_passes(certificate);
    } else {
      CHECK_FALSE(certificate.claimed);
      CHECK(certificate.normal.value < kRounding);
      CHECK(certificate.friction.value > 0.01);
    }
  }
}

TEST_CASE("A block that leaves carries no impulse, and must not be pulled") {
  const ContactProblem problem = test::box_on_plane(kMu, {0.3, 0.0, 1.0}, kStep);
  const ContactSolution free =
      test::solution_of(problem, {.kind = LawKind::Coulomb}, Eigen::VectorXd::Zero(12));
  check_passes(certify(problem, free, kTolerance));

  const ContactSolution pulled = test::solution_of(problem, {.kind = LawKind::Coulomb},
                                                   box_impulses(-(1.0 - kG * kStep), 0.0));
  const Certificate certificate = certify(problem, pulled, kTolerance);
  CHECK_FALSE(certificate.claimed);
  CHECK(certificate.normal.value > 0.1);
}

TEST_CASE("A ball that rolls needs no friction") {
  SceneBuilder scene(kStep);
  const int ball = scene.add_ball(2.0, 0.1, {0.0, 0.0, 0.1}, {1.0, 0.0, 0.0}, {0.0, 10.0, 0.0});
  scene.add_contact(kWorld, ball, {0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, 0.0, kMu);
  const ContactProblem problem = scene.build();
  for (const LawKind law : kLawsWithFriction) {
    check_passes(certify(
        problem,
        test::solution_of(problem, {.kind = law}, Eigen::Vector3d(0.0, 0.0, 2.0 * kG * kStep)),
        kTolerance));
  }
}

TEST_CASE("A particle that slides under the convex relaxation lifts off at slope mu") {
  SceneBuilder scene(kStep);
  const int particle = scene.add_ball(1.0, 0.1, {0.0, 0.0, 0.0}, {1.0, 0.0, 0.0});
  scene.add_contact(kWorld, particle, {0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, 0.0, kMu);
  const ContactProblem problem = scene.build();
  // v_n = mu v_t with v_n = p - g h, v_t = 1 - mu p.
  const double p = (kG * kStep + kMu) / (1.0 + kMu * kMu);
  for (const LawKind law : {LawKind::ConvexPyramid, LawKind::ConvexCone}) {
    const Certificate certificate = certify(
        problem, test::solution_of(problem, {.kind = law}, Eigen::Vector3d(-kMu * p, 0.0, p)),
        kTolerance);
    check_passes(certificate);
    CHECK(certificate.coulomb.value > 0.1);
  }
}

TEST_CASE("Maximum dissipation without its witness is refused, not passed") {
  const ContactProblem problem = test::box_on_plane(kMu, {0.0, 0.0, 0.0}, kStep);
  for (const LawKind law : {LawKind::MaximumDissipation, LawKind::LiteralDissipation}) {
    CHECK_THROWS_AS(
        certify(problem, test::solution_of(problem, {.kind = law}, box_impulses(kG * kStep, 0.0)),
                kTolerance),
        std::invalid_argument);
  }
}

TEST_CASE("No slip is judged by the list: what is on it stands still, the rest has no friction") {
  const ContactProblem problem = test::box_on_plane(kMu, {1.0, 0.0, 0.0}, kStep);
  const auto judged = [&](const Eigen::VectorXd& impulses, ContactMode mode) {
    ContactSolution solution = test::solution_of(problem, {.kind = LawKind::NoSlip}, impulses);
    solution.modes.assign(problem.num_contacts(), mode);
    return certify(problem, solution, kTolerance);
  };
  const Eigen::VectorXd sliding = box_impulses(kG * kStep, 0.0);
  CHECK(judged(sliding, ContactMode::Slide).claimed);
  const Certificate slips = judged(sliding, ContactMode::Stick);
  CHECK_FALSE(slips.claimed);
  CHECK(slips.friction.value == Approx(1.0).epsilon(0.01));  // of V
  const Eigen::VectorXd rubbed = box_impulses(kG * kStep, -kMu * kG * kStep);
  CHECK_FALSE(judged(rubbed, ContactMode::Slide).claimed);
  CHECK_FALSE(judged(rubbed, ContactMode::Stick).claimed);
}

TEST_CASE("No slip may not be claimed across a gap or without friction") {
  for (const bool by_gap : {true, false}) {
    ContactProblem problem = test::box_on_plane(kMu, {0.0, 0.0, 0.0}, kStep, {1.0, 0.0, -kG});
    ContactSolution held = test::solution_of(problem, {.kind = LawKind::NoSlip},
                                             box_impulses(kG * kStep, -1.0 * kStep));
    held.modes.assign(problem.num_contacts(), ContactMode::Stick);
    REQUIRE(certify(problem, held, kTolerance).claimed);
    for (Contact& contact : problem.contacts) {
      if (by_gap) contact.gap = 2.0 * kTouchingGap;
      if (!by_gap) contact.friction = 0.0;
    }
    CHECK(certify(problem, held, kTolerance).friction.value > 1e-3);
  }
}

/// A sliding block with one contact of its own for each corruption to single out.
struct SlidingBlock {
  ContactProblem problem = test::box_on_plane(kMu, {1.0, 0.0, 0.0}, kStep);
  Eigen::VectorXd impulses = box_impulses(kG * kStep, -kMu* kG* kStep);
  ContactSolution solution(LawKind law = LawKind::Coulomb) const {
    return test::solution_of(problem, {.kind = law}, impulses);
  }
};

TEST_CASE("A corrupted impulse is found: without its velocity by the dynamics") {
  SlidingBlock block;
  ContactSolution solution = block.solution();
  solution.impulses(3 * 2 + 2) += 0.01;
  const Certificate certificate = certify(block.problem, solution, kTolerance);
  CHECK_FALSE(certificate.claimed);
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
    CHECK_FALSE(certificate.claimed);
    CHECK(certificate.friction.where == 2);
    CHECK(certificate.dynamics.value < kRounding);
  }
  SECTION("friction beyond the cone") {
    block.impulses(3 * 3) *= 1.5;
    const Certificate certificate = certify(block.problem, block.solution(), kTolerance);
    CHECK_FALSE(certificate.claimed);
    CHECK(certificate.friction.where == 3);
  }
  SECTION("adhesion: a negative normal impulse") {
    block.impulses(3 * 1 + 2) = -0.05;
    const Certificate certificate = certify(block.problem, block.solution(), kTolerance);
    CHECK_FALSE(certificate.claimed);
    CHECK(certificate.normal.where == 1);
    CHECK(certificate.normal.value > 0.1);
  }
}

TEST_CASE("Friction that pushes forward adds energy, and the bound sees how much") {
  SlidingBlock block;
  const double load = kG * kStep;
  block.impulses = box_impulses(load, kMu * load);
  const Certificate certificate = certify(block.problem, block.solution(), kTolerance);
  CHECK_FALSE(certificate.claimed);
  CHECK(certificate.energy_gained == Approx(kMu * load * (1.0 + kMu * load)).epsilon(1e-12));
}

TEST_CASE("A changed problem is found at the contact that changed") {
  SlidingBlock block;
  const ContactSolution solution = block.solution();
  SECTION("friction coefficient") {
    block.problem.contacts[1].friction = 0.9 * kMu;
    const Certificate certificate = certify(block.problem, solution, kTolerance);
    CHECK_FALSE(certificate.claimed);
    CHECK(certificate.friction.where == 1);
  }
  SECTION("an overlap that the answer does not open") {
    block.problem.contacts[2].gap = -1e-3;
    const Certificate certificate = certify(block.problem, solution, kTolerance);
    CHECK_FALSE(certificate.claimed);
    CHECK(certificate.normal.where == 2);
    CHECK(certificate.normal.value == Approx(0.1).epsilon(0.01));  // 1e-3 m in 1e-2 s over 1 m/s
  }
  SECTION("a gap across which the contact pushes") {
    block.problem.contacts[3].gap = 1e-5;
    const Certificate certificate = certify(block.problem, solution, kTolerance);
    CHECK_FALSE(certificate.claimed);
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
  ContactSolution solution = test::solution_of(problem, {.kind = LawKind::Coulomb}, impulses);
  check_passes(certify(problem, solution, kTolerance));
  // The lightest ball, next to one a million times heavier.
  solution.velocity(3) += 1e-6;
  const Certificate certificate = certify(problem, solution, kTolerance);
  CHECK_FALSE(certificate.claimed);
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
    CHECK_FALSE(certify(block.problem, solution, kTolerance).claimed);
    solution = block.solution();
    solution.impulses(7) = value;
    CHECK_FALSE(certify(block.problem, solution, kTolerance).claimed);
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

/// Two links hanging from the world, the lower one against a wall.
ContactProblem jointed_links() {
  SceneBuilder scene(kStep);
  const int upper = scene.add_box(1.0, {0.1, 0.1, 0.4}, {0.0, 0.0, -0.2}, {0.2, 0.0, 0.0});
  const int lower = scene.add_box(1.0, {0.1, 0.1, 0.4}, {0.0, 0.0, -0.6}, {0.5, 0.0, 0.0});
  scene.add_ball_joint(kWorld, upper, {0.0, 0.0, 0.0}, {1e-4, 0.0, -1e-4});
  scene.add_ball_joint(upper, lower, {0.0, 0.0, -0.4}, {0.0, 2e-4, 0.0});
  scene.add_contact(kWorld, lower, {0.05, 0.0, -0.8}, {-1.0, 0.0, 0.0}, 0.0, 0.0);
  return scene.build();
}

TEST_CASE("Joints are judged: an error in a joint impulse or a joint velocity is found") {
  const ContactProblem problem = jointed_links();
  // Frictionless: the impulse that stops the approach, from one test impulse.
  const ContactSpace space(problem);
  const std::vector<int> only = {0};
  Eigen::Vector3d p = Eigen::Vector3d::Zero();
  p.z() = -space.free_contact_velocity()(2) / space.delassus(only)(2, 2);
  REQUIRE(p.z() > 0.0);
  ContactSolution solution = test::solution_of(problem, {}, p);
  const Certificate right = certify(problem, solution, kTolerance);
  CHECK(right.claimed);
  // Rounding, 1e-16 of the terms, against a scale that is at least 1e-6 of them.
  CHECK(right.joint.value < 1e-9);
  CHECK(right.stabilization_work > 0.0);

  SECTION("impulse") {
    solution.joint_impulses(4) += 1e-4;
    const Certificate wrong = certify(problem, solution, kTolerance);
    CHECK_FALSE(wrong.claimed);
    CHECK(wrong.dynamics.value > 1e-6);
  }
  SECTION("velocity") {
    // Both links move together along y: only the joint with the world is violated.
    solution.velocity(4) += 1e-3;
    solution.velocity(10) += 1e-3;
    const Certificate wrong = certify(problem, solution, kTolerance);
    CHECK_FALSE(wrong.claimed);
    CHECK(wrong.joint.where == 1);
  }
}

TEST_CASE("Energy that stabilization or a moving floor injects is accounted for") {
  SceneBuilder scene(kStep, {0.0, 0.0, 0.0});
  const int ball = scene.add_ball(3.0, 0.1, {0.0, 0.0, 0.1});
  scene.add_contact(kWorld, ball, {0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, -1e-3, kMu);
  SECTION("an overlap of 1 mm opens in one step") {
    const ContactProblem problem = scene.build(1.0);
    const Certificate certificate = certify(
        problem,
        test::solution_of(problem, {.kind = LawKind::Coulomb}, Eigen::Vector3d(0.0, 0.0, 0.3)),
        kTolerance);
    check_passes(certificate);
    CHECK(certificate.stabilization_work == Approx(0.3 * 0.1).epsilon(1e-13));
  }
  SECTION("a floor that rises lifts, and one that moves sideways drags") {
    ContactProblem problem = scene.build(0.0);
    problem.contact_bias << -0.2, 0.0, -0.5;
    // The ball's contact point reaches the belt's 0.2 m/s by an impulse of 2/7 m 0.2 m/s, less than
    // mu times the 1.5 N s that the floor needs to lift it: it sticks.
    const double stick = 3.0 * 0.2 * 2.0 / 7.0;
    const Certificate certificate = certify(
        problem,
        test::solution_of(problem, {.kind = LawKind::Coulomb}, Eigen::Vector3d(stick, 0.0, 1.5)),
        kTolerance);
    check_passes(certificate);
    CHECK(certificate.stabilization_work == 0.0);
  }
}

TEST_CASE("Beyond the law's activation gap a contact is not judged, but may not push") {
  SceneBuilder scene(kStep);
  const int ball = scene.add_ball(1.0, 0.1, {0.0, 0.0, 0.1}, {0.0, 0.0, -1.0});
  scene.add_contact(kWorld, ball, {0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, 1e-3, kMu);
  const ContactProblem problem = scene.build();
  ContactLaw law{.kind = LawKind::Pyramid};
  const double speed = 1.0 + kG * kStep;
  const ContactSolution through = test::solution_of(problem, law, Eigen::Vector3d::Zero());
  CHECK_FALSE(certify(problem, through, kTolerance).claimed);

  law.activation_gap = 1e-6;
  CHECK(certify(problem, test::solution_of(problem, law, Eigen::Vector3d::Zero()), kTolerance)
            .claimed);
  const Certificate pushed = certify(
      problem, test::solution_of(problem, law, Eigen::Vector3d(0.0, 0.0, speed - 0.1)), kTolerance);
  CHECK_FALSE(pushed.claimed);
  CHECK(pushed.normal.where == 0);
}

TEST_CASE("An island that moves fast does not loosen the judgement of another") {
  SceneBuilder scene(kStep);
  scene.add_ball(1.0, 0.1, {0.0, 0.0, 0.1});
  scene.add_ball(1.0, 0.1, {1.0, 0.0, 0.1}, {1e6, 0.0, 0.0}, {0.0, 1e7, 0.0});
  for (int b = 0; b < 2; ++b) {
    scene.add_contact(kWorld, b, {1.0 * b, 0.0, 0.0}, {0.0, 0.0, 1.0}, 0.0, 0.0);
  }
  const ContactProblem problem = scene.build();
  Eigen::VectorXd impulses(6);
  impulses << 0, 0, kG * kStep + 1e-6, 0, 0, kG * kStep;
  const Certificate certificate =
      certify(problem, test::solution_of(problem, {}, impulses), kTolerance);
  CHECK_FALSE(certificate.claimed);
  CHECK(certificate.normal.where == 0);
  CHECK(certificate.normal.value == Approx(1e-6 / (kG * kStep)).epsilon(1e-6));
}

/// The same problem in other units: kg -> mass_unit, m -> length_unit, s kept.
ContactProblem in_units(const ContactProblem& problem, double mass, double length) {
  ContactProblem result = problem;
  result.mass_matrix = BlockDiagonalMatrix();
  for (const BlockDiagonalMatrix::Block& block : problem.mass_matrix.blocks()) {
    Eigen::MatrixXd matrix = mass * block.matrix;
    matrix.topLeftCorner(3, 3) *= length * length;
    result.mass_matrix.add_block(matrix);
  }
  const auto scale_rows = [&](const BlockSparseMatrix& jacobian) {
    BlockSparseMatrix scaled(jacobian.cols());
    for (std::size_t r = 0; r < jacobian.num_block_rows(); ++r) {
      scaled.add_block_row(jacobian.num_rows(r));
      for (const BlockSparseMatrix::Block& block : jacobian.block_row(r)) {
        Eigen::MatrixXd values = jacobian.values(block);
        values.leftCols(3) *= length;
        scaled.add_block(block.col, values);
      }
    }
    return scaled;
  };
  result.contact_jacobian = scale_rows(problem.contact_jacobian);
  result.joint_jacobian = scale_rows(problem.joint_jacobian);
  result.contact_bias *= length;
  result.joint_bias *= length;
  result.joint_error *= length;
  result.rest_speed *= length;
  for (Contact& contact : result.contacts) contact.gap *= length;
  for (Eigen::VectorXd* v : {&result.velocity, &result.free_velocity}) {
    for (Eigen::Index i = 3; i < v->size(); i += 6) v->segment<3>(i) *= length;
  }
  return result;
}

TEST_CASE("The figures are the same in kilograms and grams, meters and millimeters") {
  ContactProblem problem = jointed_links();
  problem.contacts[0].friction = 0.7;
  // A wrong answer of a generic kind, so that no figure is rounding.
  ContactSolution solution =
      test::solution_of(problem, {.kind = LawKind::Coulomb}, Eigen::Vector3d(0.02, -0.01, 0.13));
  solution.joint_impulses(1) += 0.01;
  solution.velocity(9) += 0.02;
  const Certificate expected = certify(problem, solution, kTolerance);
  for (const double mass : {1.0, 1e3}) {
    for (const double length : {1.0, 1e3}) {
      const ContactProblem scaled = in_units(problem, mass, length);
      ContactSolution same = solution;
      same.impulses *= mass * length;
      same.joint_impulses *= mass * length;
      for (Eigen::Index i = 3; i < same.velocity.size(); i += 6) {
        same.velocity.segment<3>(i) *= length;
      }
      const Certificate found = certify(scaled, same, kTolerance);
      for (const auto figure : {&Certificate::normal, &Certificate::friction, &Certificate::joint,
                                &Certificate::dynamics, &Certificate::coulomb}) {
        CHECK((expected.*figure).value > 1e-4);
        CHECK((found.*figure).value == Approx((expected.*figure).value).epsilon(1e-12));
        CHECK((found.*figure).where == (expected.*figure).where);
      }
    }
  }
}

TEST_CASE("Merging keeps the worse of each figure and claims only what both claim") {
  Certificate a, b;
  a.normal = {1e-9, 3};
  b.normal = {2e-9, 5};
  a.friction = {4e-9, 1};
  b.friction = {1e-9, 0};
  a.energy_gained = -1.0;
  b.energy_gained = 1e-12;
  a.claimed = true;
  b.claimed = false;
  b.missed_contacts = 2;
  a.infeasibility = 1e-4;
  Certificate merged = a;
  merged.merge(b);
  CHECK(merged.normal.where == 5);
  CHECK(merged.friction.where == 1);
  CHECK(merged.energy_gained == 1e-12);
  CHECK(merged.missed_contacts == 2);
  CHECK(merged.infeasibility == 1e-4);
  CHECK_FALSE(merged.claimed);
  Certificate unmeasured;
  unmeasured.merge(a);
  CHECK(unmeasured.normal.where == 3);
}

TEST_CASE("A missed contact, an energy gain or a figure above tolerance each deny the claim") {
  SlidingBlock block;
  Certificate certificate = certify(block.problem, block.solution(), kTolerance);
  REQUIRE(certificate.claimed);
  const Certificate right = certificate;
  certificate.missed_contacts = 1;
  certificate.judge(kTolerance);
  CHECK_FALSE(certificate.claimed);
  certificate = right;
  certificate.energy_gained = 2e-10 * (1.0 + certificate.kinetic_energy);
  certificate.judge(kTolerance);
  CHECK_FALSE(certificate.claimed);
  for (const auto figure : {&Certificate::normal, &Certificate::friction, &Certificate::joint,
                            &Certificate::dynamics}) {
    certificate = right;
    (certificate.*figure).value = 1.1e-8;
    certificate.judge(kTolerance);
    CHECK_FALSE(certificate.claimed);
    (certificate.*figure).value = std::numeric_limits<double>::quiet_NaN();
    certificate.judge(kTolerance);
    CHECK_FALSE(certificate.claimed);
  }
}

}  // namespace
}  // namespace amontons

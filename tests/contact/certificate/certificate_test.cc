#include "amontons/contact/certificate/certificate.h"

#include "tests/contact/certificate/certified_scenes.h"

namespace amontons::test {
namespace {

const LawKind kLawsWithFriction[] = {LawKind::Pyramid, LawKind::ConvexPyramid, LawKind::Coulomb,
                                     LawKind::ConvexCone};

TEST_CASE("A block at rest obeys every law") {
  const ContactProblem problem = box_on_plane(kMu, {0.0, 0.0, 0.0}, kStep);
  for (const LawKind law : kLawsWithFriction) {
    CAPTURE(to_string(law));
    const Certificate certificate = certify(
        problem, solution_of(problem, {.kind = law}, box_impulses(kG * kStep, 0.0)), kTolerance);
    check_passes(certificate);
    CHECK(certificate.coulomb.value < kVelocityRounding);
    CHECK(certificate.stabilization_work == 0.0);
    CHECK(certificate.kinetic_energy == Approx(0.5 * kG * kStep * kG * kStep).epsilon(1e-14));
  }
  check_passes(
      certify(problem, solution_of(problem, {}, box_impulses(kG * kStep, 0.0)), kTolerance));
}

TEST_CASE("A sliding block obeys Coulomb's law and the pyramid, whose first direction it follows") {
  const ContactProblem problem = box_on_plane(kMu, {1.0, 0.0, 0.0}, kStep);
  const double load = kG * kStep;
  for (const LawKind law : {LawKind::Pyramid, LawKind::Coulomb}) {
    const ContactSolution solution =
        solution_of(problem, {.kind = law}, box_impulses(load, -kMu * load));
    CHECK(solution.velocity(3) == Approx(1.0 - kMu * load).epsilon(1e-14));
    const Certificate certificate = certify(problem, solution, kTolerance);
    check_passes(certificate);
    CHECK(certificate.energy_gained < -0.9 * kMu * load);  // friction took that much
    CHECK(certificate.dissipation.value < kVelocityRounding);
  }
  // The relaxations ask for a slope of mu between sliding and lifting, which this solution lacks.
  for (const LawKind law : {LawKind::ConvexPyramid, LawKind::ConvexCone}) {
    const Certificate certificate = certify(
        problem, solution_of(problem, {.kind = law}, box_impulses(load, -kMu * load)), kTolerance);
    CHECK_FALSE(certificate.holds);
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
        problem, solution_of(problem, {.kind = law}, box_impulses(kG * kStep, -push * kStep)),
        kTolerance);
    if (push < kMu * kG) {
      check_passes(certificate);
    } else {
      CHECK_FALSE(certificate.holds);
      CHECK(certificate.normal.value < kVelocityRounding);
      CHECK(certificate.friction.value > 0.01);
    }
  }
}

TEST_CASE("A block that leaves carries no impulse, and must not be pulled") {
  const ContactProblem problem = box_on_plane(kMu, {0.3, 0.0, 1.0}, kStep);
  const ContactSolution free =
      solution_of(problem, {.kind = LawKind::Coulomb}, Eigen::VectorXd::Zero(12));
  check_passes(certify(problem, free, kTolerance));

  const ContactSolution pulled =
      solution_of(problem, {.kind = LawKind::Coulomb}, box_impulses(-(1.0 - kG * kStep), 0.0));
  const Certificate certificate = certify(problem, pulled, kTolerance);
  CHECK_FALSE(certificate.holds);
  CHECK(certificate.normal.value > 0.1);
}

TEST_CASE("A ball that rolls needs no friction") {
  SceneBuilder scene(kStep);
  const int ball = scene.add_ball(2.0, 0.1, {0.0, 0.0, 0.1}, {1.0, 0.0, 0.0}, {0.0, 10.0, 0.0});
  scene.add_contact(kWorld, ball, {0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, 0.0, kMu);
  const ContactProblem problem = scene.build();
  for (const LawKind law : kLawsWithFriction) {
    check_passes(certify(
        problem, solution_of(problem, {.kind = law}, Eigen::Vector3d(0.0, 0.0, 2.0 * kG * kStep)),
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
    const Certificate certificate =
        certify(problem, solution_of(problem, {.kind = law}, Eigen::Vector3d(-kMu * p, 0.0, p)),
                kTolerance);
    check_passes(certificate);
    CHECK(certificate.coulomb.value > 0.1);
  }
}

TEST_CASE("Maximum dissipation without its witness is refused, not passed") {
  const ContactProblem problem = box_on_plane(kMu, {0.0, 0.0, 0.0}, kStep);
  for (const LawKind law : {LawKind::MaximumDissipation, LawKind::LiteralDissipation}) {
    CHECK_THROWS_AS(
        certify(problem, solution_of(problem, {.kind = law}, box_impulses(kG * kStep, 0.0)),
                kTolerance),
        std::invalid_argument);
  }
}

TEST_CASE("No slip requires that loaded contacts stand still, whatever the modes claim") {
  const ContactProblem problem = box_on_plane(kMu, {1.0, 0.0, 0.0}, kStep);
  const auto certified = [&](const Eigen::VectorXd& impulses, ContactMode mode) {
    ContactSolution solution = solution_of(problem, {.kind = LawKind::NoSlip}, impulses);
    solution.modes.assign(problem.num_contacts(), mode);
    return certify(problem, solution, kTolerance);
  };
  const Eigen::VectorXd sliding = box_impulses(kG * kStep, 0.0);
  for (const ContactMode mode : {ContactMode::Slide, ContactMode::Open, ContactMode::Stick}) {
    const Certificate slips = certified(sliding, mode);
    CHECK_FALSE(slips.holds);
    CHECK(slips.friction.value == Approx(1.0).epsilon(0.01));  // relative to V
  }
  // Two diagonal corners can carry all: the others are loaded in other solutions, and must not turn
  // about them.
  ContactProblem spun = box_on_plane(kMu, {0.0, 0.0, 0.0}, kStep);
  spun.free_velocity(2) = 1.0;
  Eigen::VectorXd half = Eigen::VectorXd::Zero(12);
  half(2) = half(11) = 0.5 * kG * kStep;
  CHECK_FALSE(certify(spun, solution_of(spun, {.kind = LawKind::NoSlip}, half), kTolerance).holds);
  const Eigen::VectorXd rubbed = box_impulses(kG * kStep, -kMu * kG * kStep);
  CHECK_FALSE(certified(rubbed, ContactMode::Slide).holds);
  CHECK_FALSE(certified(rubbed, ContactMode::Stick).holds);
}

TEST_CASE("No slip may not be claimed across a gap or without friction") {
  for (const bool by_gap : {true, false}) {
    ContactProblem problem = box_on_plane(kMu, {0.0, 0.0, 0.0}, kStep, {1.0, 0.0, -kG});
    ContactSolution held =
        solution_of(problem, {.kind = LawKind::NoSlip}, box_impulses(kG * kStep, -1.0 * kStep));
    held.modes.assign(problem.num_contacts(), ContactMode::Stick);
    REQUIRE(certify(problem, held, kTolerance).holds);
    for (Contact& contact : problem.contacts) {
      if (by_gap) contact.gap = 1.0;
      if (!by_gap) contact.friction = 0.0;
    }
    // Across a gap nothing is loaded: friction alone would have to hold.
    if (by_gap) {
      for (Eigen::Index i = 0; i < 4; ++i) held.impulses(3 * i + 2) = 0.0;
    }
    CHECK(certify(problem, held, kTolerance).friction.value > 1e-3);
  }
}

/// Makes a sliding block with one contact for each corruption to single out.
TEST_CASE("Energy that stabilization or a moving floor injects is accounted for") {
  SceneBuilder scene(kStep, {0.0, 0.0, 0.0});
  const int ball = scene.add_ball(3.0, 0.1, {0.0, 0.0, 0.1});
  scene.add_contact(kWorld, ball, {0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, -1e-3, kMu);
  SECTION("an overlap of 1 mm opens in one step") {
    const ContactProblem problem = scene.build(1.0);
    const Certificate certificate = certify(
        problem, solution_of(problem, {.kind = LawKind::Coulomb}, Eigen::Vector3d(0.0, 0.0, 0.3)),
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
        problem, solution_of(problem, {.kind = LawKind::Coulomb}, Eigen::Vector3d(stick, 0.0, 1.5)),
        kTolerance);
    check_passes(certificate);
    CHECK(certificate.stabilization_work == 0.0);
  }
}

TEST_CASE("Beyond the law's activation gap a contact may approach, but may not push") {
  SceneBuilder scene(kStep);
  const int ball = scene.add_ball(1.0, 0.1, {0.0, 0.0, 0.1}, {0.0, 0.0, -1.0});
  scene.add_contact(kWorld, ball, {0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, 1e-3, kMu);
  const ContactProblem problem = scene.build();
  ContactLaw law{.kind = LawKind::Pyramid};
  const double speed = 1.0 + kG * kStep;
  const ContactSolution through = solution_of(problem, law, Eigen::Vector3d::Zero());
  CHECK_FALSE(certify(problem, through, kTolerance).holds);

  law.activation_gap = 1e-6;
  CHECK(certify(problem, solution_of(problem, law, Eigen::Vector3d::Zero()), kTolerance).holds);
  const Certificate pushed = certify(
      problem, solution_of(problem, law, Eigen::Vector3d(0.0, 0.0, speed - 0.1)), kTolerance);
  CHECK_FALSE(pushed.holds);
  CHECK(pushed.normal.where == 0);
}

}  // namespace
}  // namespace amontons::test

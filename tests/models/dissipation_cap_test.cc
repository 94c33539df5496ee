#include "amontons/contact/certificate/certificate.h"
#include "amontons/contact/islands/islands.h"
#include "amontons/models/common/contact_model.h"
#include "tests/support/certified_solve.h"
#include "tests/support/contact_scenes.h"
#include "tests/support/joint_row_scenes.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <numbers>

// One kappa for the whole system, as the paper prints it, against one for each island.
namespace amontons::test {
namespace {

constexpr double kTolerance = 1e-8, kMu = 0.3, kDown = 0.1;
constexpr const char* kModel = "maximum-dissipation";

/// Adds a rod of 1 m and 1 kg whose tip, below and in front of its center, strikes the ground at
/// 45 degrees. Slip along +x (sign 1) drags it into its contact, slip along -x pushes it away.
void add_rod(SceneBuilder& scene, double y, double sign) {
  const int rod = scene.add_body(1.0, 1.0 / 12.0 * Eigen::Matrix3d::Identity(), {0.0, y, 0.0},
                                 {sign, 0.0, -kDown});
  const double arm = 0.5 * std::sin(0.25 * std::numbers::pi);
  scene.add_contact(kWorld, rod, {arm, y, -arm}, {0.0, 0.0, 1.0}, 0.0, kMu);
}

/// Returns two rods far apart, of which friction loads the first and unloads the second.
ContactProblem two_rods() {
  SceneBuilder scene(1e-2, Eigen::Vector3d::Zero());
  add_rod(scene, 0.0, 1.0);
  add_rod(scene, 10.0, -1.0);
  return scene.build();
}

CertifiedSolution solve_two_rods(const ContactProblem& problem, ImpulseCap cap) {
  ModelSettings settings;
  settings.impulse_cap = cap;
  return solve_by_islands(problem, kModel, settings);
}

double kinetic_energy(const ContactProblem& problem, const ContactSolution& solution) {
  return 0.5 * solution.velocity.dot(problem.mass_matrix * solution.velocity);
}

// w_nn = 1 + 12/8 and w_tn = 12/8 of the rods, and the cap of one is kDown / w_nn. In an island
// friction may not load the tip; where it unloads it, the rod needs p_n (w_nn + mu w_tn) = kDown
// alone, and spends the rest of its cap on friction, too, which lifts it off the ground.
TEST_CASE("By one kappa a rod takes the normal impulse that friction saves at another far away") {
  const ContactProblem problem = two_rods();
  REQUIRE(find_islands(problem).size() == 2);
  const double alone = kDown / 2.5, eased = kDown / (2.5 + 1.5 * kMu);

  const CertifiedSolution own = solve_two_rods(problem, ImpulseCap::Island);
  CHECK(own.solution.law.kind == LawKind::MaximumDissipation);
  CHECK(own.certificate.holds);
  CHECK(own.solution.impulses.head<2>().norm() < 1e-10);
  CHECK(own.solution.impulses(2) == Approx(alone).epsilon(1e-8));
  CHECK(own.solution.impulses(5) == Approx(alone).epsilon(1e-8));
  CHECK(own.solution.impulses(3) == Approx(kMu * alone).epsilon(1e-8));

  const CertifiedSolution shared = solve_two_rods(problem, ImpulseCap::System);
  CHECK(shared.solution.law.kind == LawKind::SystemDissipation);
  CHECK(shared.solution.status == SolveStatus::Converged);
  CHECK(shared.certificate.holds);
  // At the first rod the same share gives more friction: the second leaves alone - eased to it.
  const Eigen::VectorXd& p = shared.solution.impulses;
  CHECK(p(5) == Approx(eased).epsilon(1e-8));
  CHECK(p(2) == Approx(2.0 * alone - eased).epsilon(1e-8));
  CHECK(p.head<2>().norm() == Approx((p(2) * 2.5 - kDown) / 1.5).epsilon(1e-7));
  CHECK(p(2) + p(5) == Approx(2.0 * alone).epsilon(1e-10));
  CHECK(kinetic_energy(problem, shared.solution) < kinetic_energy(problem, own.solution) - 1e-4);
}

TEST_CASE("An answer by one kappa has one price, and one by a kappa for each island has two") {
  const ContactProblem problem = two_rods();
  for (const ImpulseCap cap : {ImpulseCap::Island, ImpulseCap::System}) {
    ContactSolution solution = solve_two_rods(problem, cap).solution;
    const bool is_shared = cap == ImpulseCap::System;
    CAPTURE(is_shared);
    // The certificate of the problem as a whole asks for one price.
    CHECK(certify(problem, solution, kTolerance).holds == is_shared);
    CHECK(islands_of_law(problem, solution.law.kind).size() == (is_shared ? 1 : 2));
  }
}

// Two rods at the two ends of the scale of speeds.
TEST_CASE("A slow island beside a fast one keeps the law to its own speed") {
  for (const double slow : {1e-3, 1e-6}) {
    ContactProblem problem = two_rods();
    problem.velocity.head<6>() *= slow;
    problem.free_velocity.head<6>() *= slow;
    const CertifiedSolution shared = solve_two_rods(problem, ImpulseCap::System);
    CAPTURE(slow);
    CHECK(shared.certificate.holds);
    CHECK(shared.solution.status == SolveStatus::Converged);
  }
}

TEST_CASE("A problem of one island has the same bits under both caps") {
  SceneBuilder scene(1e-2, Eigen::Vector3d::Zero());
  add_rod(scene, 0.0, -1.0);
  const ContactProblem problem = scene.build();
  CHECK(solve_two_rods(problem, ImpulseCap::Island).solution.impulses ==
        solve_two_rods(problem, ImpulseCap::System).solution.impulses);
}

TEST_CASE("The bound as printed and one kappa cannot be asked for together") {
  ModelSettings settings;
  settings.impulse_cap = ImpulseCap::System;
  settings.literal_viscous_bound = true;
  CHECK_THROWS_AS(make_model(kModel, settings), std::invalid_argument);
  CHECK_THROWS_AS(impulse_cap_named("global"), std::invalid_argument);
}

TEST_CASE("A contact that slides with a driven joint and bears nothing is no miss of the law") {
  // The rail of a car drives it along the floor, which bears nothing: there is no cap to share.
  ContactProblem problem =
      joints_alone(Eigen::MatrixXd::Constant(1, 1, 2.0), Eigen::VectorXd::Constant(1, 0.7));
  problem.joint_jacobian.add_block_row(1);
  problem.joint_jacobian.block_at(0, 1)(0, 0) = 1.0;
  problem.joint_error = Eigen::VectorXd::Zero(1);
  problem.joint_bias = Eigen::VectorXd::Constant(1, -0.5);
  Contact contact;
  contact.key = {0, 1, 0};
  contact.friction = kMu;
  problem.contacts.push_back(contact);
  problem.contact_jacobian.add_block_row(3);
  problem.contact_jacobian.block_at(0, 1)(0, 0) = 1.0;
  problem.contact_bias = Eigen::VectorXd::Zero(3);
  const ContactSolution solution = certified_solve(kModel, problem);
  CHECK(solution.law.kind == LawKind::MaximumDissipation);
  CHECK(solution.impulses.isZero(0.0));
  CHECK(solution.velocity(0) == Approx(0.5));
  // A cap that is spent has a price of mu |u_t| at least.
  CHECK(solution.witnesses[0][0].price == Approx(kMu * 0.5));
}

}  // namespace
}  // namespace amontons::test

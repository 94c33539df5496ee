#include "amontons/contact/operators/contact_space.h"
#include "amontons/math/rotation.h"
#include "amontons/models/common/contact_model.h"
#include "amontons/models/islands/islandwise_solver.h"
#include "tests/support/certified_solve.h"
#include "tests/support/contact_scenes.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <numbers>
#include <random>

// Drumwright and Shell's convex model: where it is Coulomb's law, where it is not, and which
// properties it always has. conformance_test.cc tests the properties of every model.
namespace amontons {
namespace {

using test::certified_solve;
using test::kWorld;
using test::SceneBuilder;

constexpr double kStep = 1e-2, kG = 9.81, kTolerance = 1e-8;
const Eigen::Vector3d kNoGravity = Eigen::Vector3d::Zero();

ContactSolution solve(const ContactProblem& problem) {
  return certified_solve("maximum-dissipation", problem);
}

std::vector<int> all_contacts(const ContactProblem& problem) {
  std::vector<int> result;
  for (std::size_t i = 0; i < problem.num_contacts(); ++i) result.push_back(static_cast<int>(i));
  return result;
}

// Checks the five properties of the paper from A, b, s and x alone, without the certificate.
// `tolerance` is that of nonpenetration and of the cap, relative.
void check_five_properties(const ContactProblem& problem, const ContactSolution& solution,
                           double tolerance) {
  const ContactSpace space(problem);
  const std::vector<int> contacts = all_contacts(problem);
  const Eigen::MatrixXd A = space.delassus(contacts);
  const Eigen::VectorXd& b = space.free_contact_velocity();
  const Eigen::VectorXd s = problem.stabilized_gaps();
  const Eigen::VectorXd& x = solution.impulses;
  const Eigen::VectorXd u = A * x + b;
  double stabilization = 0.0, cap = 0.0, sum = 0.0, phase_one = 0.0;
  for (const int i : contacts) {
    const DissipationWitness& witness = solution.witnesses[0][static_cast<std::size_t>(i)];
    stabilization += witness.phase_one * std::max(0.0, -s(i));
    cap += witness.phase_one;
    sum += x(3 * i + 2);
    phase_one += witness.phase_one * (b(3 * i + 2) + s(i));
  }
  const double speed = 1.0 + problem.free_velocity.squaredNorm();
  CHECK(phase_one <= 1e-15 * speed);  // [C02]
  CHECK(0.5 * x.dot(A * x + 2.0 * b) <= stabilization + 1e-10 * speed);
  CHECK(sum <= cap * (1.0 + tolerance) + 1e-15);
  for (const int i : contacts) {
    const Contact& contact = problem.contacts[static_cast<std::size_t>(i)];
    const double viscous = problem.step * contact.viscous_friction * b.segment<2>(3 * i).norm();
    CHECK(u(3 * i + 2) + s(i) >= -tolerance * (1.0 + b.norm()));
    CHECK(x(3 * i + 2) >= -1e-12);
    CHECK(x.segment<2>(3 * i).norm() <= contact.friction * x(3 * i + 2) + viscous + 1e-10);
  }
}

void add_viscous_friction(ContactProblem& problem, std::mt19937_64& random) {
  for (Contact& contact : problem.contacts) {
    if (random() % 2 == 0) continue;
    contact.viscous_friction =
        std::pow(10.0, -3.0 + 6.0 * static_cast<double>(random() % 100) / 100.0);
  }
}

TEST_CASE("No energy, no approach, no pull, no wider cone, most dissipation [P1-P5, C02]") {
  for (const double mass_ratio : {1.0, 1e6}) {
    for (const bool viscous : {false, true}) {
      std::mt19937_64 random(41);
      int missed = 0;
      const int cases = test::num_cases(10000);
      for (int n = 0; n < cases; ++n) {
        ContactProblem problem =
            test::random_problem(random, 1 + static_cast<int>(random() % 20), mass_ratio, 1e-4);
        if (viscous) add_viscous_friction(problem, random);
        const ContactSolution solution =
            make_model("maximum-dissipation", {})->solve(problem, Eigen::VectorXd());
        CAPTURE(mass_ratio, viscous, n, to_string(solution.status));
        if (solution.status == SolveStatus::Infeasible) continue;
        if (solution.status != SolveStatus::Converged) {
          ++missed;
          continue;
        }
        // Between bodies of very different masses only the certificate's own tolerance is reached.
        check_five_properties(problem, solution, mass_ratio > 1.0 ? 1e-8 : 1e-9);
      }
      CAPTURE(mass_ratio, viscous, missed, cases);
      CHECK(missed * 1000 <= cases);
    }
  }
}

// No feasible point near the solution has less kinetic energy: this test uses no multipliers.
TEST_CASE("No feasible change of the impulses dissipates more") {
  std::mt19937_64 random(42);
  std::normal_distribution<double> normal;
  for (int n = 0; n < test::num_cases(2000); ++n) {
    const ContactProblem problem =
        test::random_problem(random, 1 + static_cast<int>(random() % 4), 10.0, 0.0);
    const ContactSolution solution = solve(problem);
    const ContactSpace space(problem);
    const Eigen::MatrixXd A = space.delassus(all_contacts(problem));
    const Eigen::VectorXd& b = space.free_contact_velocity();
    const Eigen::VectorXd s = problem.stabilized_gaps();
    double cap = 0.0;
    for (const DissipationWitness& witness : solution.witnesses[0]) cap += witness.phase_one;
    const Eigen::VectorXd& x = solution.impulses;
    const double least = 0.5 * x.dot(A * x) + x.dot(b);
    for (int k = 0; k < 200; ++k) {
      Eigen::VectorXd trial = x;
      const double size = std::pow(10.0, -4.0 * static_cast<double>(random() % 100) / 100.0);
      for (Eigen::Index i = 0; i < trial.size(); ++i) trial(i) += size * cap * normal(random);
      double sum = 0.0;
      bool feasible = true;
      for (std::size_t c = 0; c < problem.num_contacts(); ++c) {
        const Eigen::Index i = static_cast<Eigen::Index>(c);
        const bool open =
            problem.contacts[c].gap > 0.0 && solution.witnesses[0][c].phase_one == 0.0;
        Eigen::Vector3d own =
            open ? Eigen::Vector3d::Zero() : Eigen::Vector3d(trial.segment<3>(3 * i));
        trial.segment<3>(3 * i) = project_on_cone(own, problem.contacts[c].friction);
        sum += trial(3 * i + 2);
      }
      if (sum > cap && sum > 0.0) trial *= cap / sum;
      const Eigen::VectorXd u = A * trial + b;
      for (Eigen::Index i = 0; i < s.size(); ++i) feasible &= u(3 * i + 2) + s(i) >= 0.0;
      if (!feasible) continue;
      CHECK(0.5 * trial.dot(A * trial) + trial.dot(b) >= least - 1e-10);
    }
  }
}

// Where friction cannot change the load the law is Coulomb's: a particle, and a box that slides or
// sticks on a ramp, in any direction.
TEST_CASE("Particles and the box on the ramp move as under Coulomb's law") {
  std::mt19937_64 random(43);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  for (int n = 0; n < test::num_cases(2000); ++n) {
    SceneBuilder scene(kStep);
    const int particle = scene.add_ball(1.0 + unit(random) / 2.0, 1.0, {0.0, 0.0, 0.0},
                                        {unit(random), unit(random), unit(random)});
    const Eigen::Vector3d down(0.0, 0.0, -1e-9);  // its lever is negligible
    scene.add_contact(kWorld, particle, down, {unit(random), unit(random), 2.0}, 0.0,
                      std::abs(unit(random)));
    const ContactProblem problem = scene.build();
    CHECK((solve(problem).velocity - certified_solve("coulomb", problem).velocity).norm() < 1e-8);
  }
  for (const double slope : {0.2, 0.6}) {
    for (int k = 0; k < 12; ++k) {
      const double azimuth = k * std::numbers::pi / 12.0;
      const Eigen::Vector3d gravity(kG * std::sin(slope) * std::cos(azimuth),
                                    kG * std::sin(slope) * std::sin(azimuth),
                                    -kG * std::cos(slope));
      // A cube would rock; this box is flat enough to stay on its corners.
      const ContactProblem problem = test::box_on_plane(0.4, {0.1, -0.05, 0.0}, kStep, gravity);
      const Eigen::VectorXd difference =
          solve(problem).velocity - certified_solve("coulomb", problem).velocity;
      CAPTURE(slope, azimuth);
      CHECK(difference.norm() < 1e-8);
    }
  }
}

// A contact of a body dragged so that friction would press it against the floor. Nonpenetration
// needs the whole cap, the cap allows no more, so friction may only unload: it is absent. The same
// body pushed the other way has friction.
TEST_CASE("A rod dragged into its contact has no friction, pushed away it has") {
  const double angle = std::numbers::pi / 4.0, length = 1.0;
  for (const bool dragged : {true, false}) {
    SceneBuilder scene(kStep, kNoGravity);
    const double speed = dragged ? 1.0 : -1.0;
    // The contact is below and in front of the center: friction against +x adds to the moment of
    // the normal force, and so to the load.
    const int rod = scene.add_body(1.0, length * length / 12.0 * Eigen::Matrix3d::Identity(),
                                   {0.0, 0.0, 0.0}, {speed, 0.0, -0.1});
    const Eigen::Vector3d tip(0.5 * length * std::cos(angle), 0.0, -0.5 * length * std::sin(angle));
    scene.add_contact(kWorld, rod, tip, {0.0, 0.0, 1.0}, 0.0, 0.3);
    const ContactProblem problem = scene.build();
    const ContactSpace space(problem);
    const Eigen::MatrixXd A = space.delassus(all_contacts(problem));
    const Eigen::Vector3d b = space.free_contact_velocity();
    const double coupling = A.row(2).head<2>().dot(-b.head<2>());  // coupling of friction into u_n
    const ContactSolution solution = solve(problem);
    const ContactSolution exact = certified_solve("coulomb", problem);
    CAPTURE(dragged, coupling);
    if (coupling < 0.0) {
      CHECK(solution.impulses.head<2>().norm() < 1e-12);
      CHECK(solution.impulses(2) == Approx(-b.z() / A(2, 2)).epsilon(1e-10));
      CHECK(exact.impulses.head<2>().norm() > 0.3 * solution.impulses(2));
    } else {
      CHECK(solution.impulses.head<2>().norm() > 0.01 * solution.impulses(2));
    }
  }
}

// Three discs: the lower two are apart, the third lies in the groove. Braced by friction the
// pyramid is at rest under Coulomb's law from tan 15 degrees = 0.268 on. Here friction would raise
// the load on the lower discs, and the pyramid falls [errata DS-10].
TEST_CASE("A pyramid of three discs that stands under Coulomb's law collapses") {
  const double radius = 0.1, height = std::sqrt(3.0) * radius;
  SceneBuilder scene(kStep, {0.0, 0.0, -9.8});
  const Eigen::Matrix3d inertia = 0.5 * radius * radius * Eigen::Matrix3d::Identity();
  const int left = scene.add_body(1.0, inertia, {-radius, 0.0, radius});
  const int right = scene.add_body(1.0, inertia, {radius, 0.0, radius});
  const int top = scene.add_body(1.0, inertia, {0.0, 0.0, radius + height});
  const double mu = 0.30;
  scene.add_contact(kWorld, left, {-radius, 0.0, 0.0}, {0.0, 0.0, 1.0}, 0.0, mu);
  scene.add_contact(kWorld, right, {radius, 0.0, 0.0}, {0.0, 0.0, 1.0}, 0.0, mu);
  const double half = 0.5 * std::sqrt(3.0);
  scene.add_contact(left, top, {-radius / 2.0, 0.0, radius * (1.0 + half)}, {0.5, 0.0, half}, 0.0,
                    mu);
  scene.add_contact(right, top, {radius / 2.0, 0.0, radius * (1.0 + half)}, {-0.5, 0.0, half}, 0.0,
                    mu);
  const ContactProblem problem = scene.build();
  CHECK(certified_solve("coulomb", problem).velocity.norm() < 1e-10);
  const Eigen::VectorXd v = solve(problem).velocity;
  CHECK(v(9) == Approx(1.7e-2).epsilon(0.01));  // speed of the lower discs, apart
  CHECK(v(3) == Approx(-v(9)).epsilon(1e-9));
}

TEST_CASE("Without friction it is the frictionless model, with huge friction nothing overflows") {
  std::mt19937_64 random(44);
  const int cases = test::num_cases(2000);
  int given_up = 0;
  for (int n = 0; n < cases; ++n) {
    ContactProblem problem =
        test::random_problem(random, 1 + static_cast<int>(random() % 10), 10.0, 0.0);
    for (Contact& contact : problem.contacts) contact.friction = 0.0;
    const Eigen::VectorXd difference =
        solve(problem).velocity - certified_solve("frictionless", problem).velocity;
    CHECK(difference.norm() < 1e-8);
    for (Contact& contact : problem.contacts) contact.friction = 1e6;
    const ContactSolution solution =
        make_model("maximum-dissipation", {})->solve(problem, Eigen::VectorXd());
    CHECK(solution.velocity.allFinite());
    CHECK(certify(problem, solution, kTolerance).holds);
    if (solution.status != SolveStatus::Converged) ++given_up;
  }
  CHECK(given_up * 1000 <= cases);  // normals alone, certified as such
}

TEST_CASE("Redundant contacts, mass ratios and mu = 10^6: a block stops and a tower rests") {
  for (const int n : {2, 3, 10, 20}) {
    SceneBuilder scene(kStep);
    const int body = scene.add_box(1.0, {1.0, 1.0, 0.1}, {0.0, 0.0, 0.05}, {0.5, 0.2, 0.0});
    for (int i = 0; i < n * n; ++i) {
      scene.add_contact(kWorld, body,
                        {-0.5 + 1.0 * (i % n) / (n - 1), -0.5 + 1.0 * (i / n) / (n - 1), 0.0},
                        {0.0, 0.0, 1.0}, 0.0, 1e6);
    }
    // Friction at the rim would tip the plate: it loads one edge, never beyond the plate's weight.
    const ContactSolution solution = solve(scene.build());
    double load = 0.0;
    for (int i = 0; i < n * n; ++i) load += solution.impulses(3 * i + 2);
    CHECK(load <= kG * kStep * (1.0 + 1e-9));
    CHECK(solution.velocity.allFinite());
  }
  SceneBuilder tower(kStep);
  for (int b = 0; b < 5; ++b) {
    tower.add_box(b == 4 ? 1e6 : 1.0, {1.0, 1.0, 1.0}, {0.0, 0.0, 0.5 + b});
    for (int corner = 0; corner < 4; ++corner) {
      tower.add_contact(b - 1, b, {corner % 2 - 0.5, corner / 2 - 0.5, 1.0 * b}, {0.0, 0.0, 1.0},
                        0.0, 0.5);
    }
  }
  CHECK(solve(tower.build()).velocity.norm() < 1e-8 * kG * kStep);
}

// Between two walls the normal impulses of phase I are not unique; kappa is their least sum.
TEST_CASE("A wedged body that needs no normal impulse gets no friction from the cap") {
  SceneBuilder scene(kStep);
  const int ball = scene.add_ball(1.0, 0.1, {0.0, 0.0, 0.0});
  scene.add_contact(kWorld, ball, {0.1, 0.0, 0.0}, {-1.0, 0.0, 0.0}, 0.0, 0.5);
  scene.add_contact(kWorld, ball, {-0.1, 0.0, 0.0}, {1.0, 0.0, 0.0}, 0.0, 0.5);
  const ContactProblem problem = scene.build();
  const ContactSolution solution = solve(problem);
  CHECK(solution.impulses.isZero(1e-15));
  // Driven against one wall: the load is the impulse that stops it, whatever the other could add.
  ContactProblem driven = problem;
  driven.free_velocity(3) = 1.0;
  double cap = 0.0;
  const ContactSolution stopped = solve(driven);
  for (const DissipationWitness& witness : stopped.witnesses[0]) cap += witness.phase_one;
  CHECK(cap == Approx(1.0).epsilon(1e-9));
}

TEST_CASE("A body elsewhere changes nothing: the cap belongs to the island") {
  const auto sliding = [](bool with_other) {
    SceneBuilder scene(kStep);
    const int box = scene.add_box(1.0, {0.5, 0.5, 0.5}, {0.0, 0.0, 0.25}, {1.0, 0.3, 0.0});
    for (int corner = 0; corner < 4; ++corner) {
      scene.add_contact(kWorld, box, {0.5 * (corner % 2) - 0.25, 0.5 * (corner / 2) - 0.25, 0.0},
                        {0.0, 0.0, 1.0}, 0.0, 0.8);
    }
    if (with_other) {
      const int anvil = scene.add_ball(1e6, 1.0, {9.0, 0.0, 1.0});
      scene.add_contact(kWorld, anvil, {9.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, 0.0, 0.8);
    }
    const ContactProblem problem = scene.build();
    const auto model = make_model("maximum-dissipation", {});
    return solve_islands(problem, *model, {}, kTolerance).solution.velocity.head(6).eval();
  };
  CHECK(sliding(true) == sliding(false));
}

/// Returns the problem in tangent axes turned by an angle at each contact.
ContactProblem in_turned_frames(const ContactProblem& problem, std::mt19937_64& random) {
  ContactProblem result = problem;
  result.contact_jacobian = BlockSparseMatrix(problem.mass_matrix.size());
  for (std::size_t c = 0; c < problem.num_contacts(); ++c) {
    const Eigen::Matrix3d turn =
        rotation_from_rpy(0.0, 0.0, 6.28 * static_cast<double>(random() % 1000) / 1000.0);
    result.contact_jacobian.add_block_row(3);
    for (const BlockSparseMatrix::Block& block : problem.contact_jacobian.block_row(c)) {
      result.contact_jacobian.add_block(block.col, turn * problem.contact_jacobian.values(block));
    }
  }
  return result;
}

TEST_CASE("No tangent direction is preferred [C03]") {
  std::mt19937_64 random(45);
  for (int n = 0; n < test::num_cases(2000); ++n) {
    const ContactProblem problem =
        test::random_problem(random, 1 + static_cast<int>(random() % 10), 10.0, 0.0);
    const Eigen::VectorXd turned = solve(in_turned_frames(problem, random)).velocity;
    CHECK((turned - solve(problem).velocity).norm() < 1e-8 * (1.0 + problem.free_velocity.norm()));
  }
}

// Three corners carry a box as well as four. Neither the choice of phase I among them nor the
// rounding of gaps may matter.
TEST_CASE("Gaps of rounding size change nothing") {
  std::mt19937_64 random(47);
  const Eigen::Vector3d gravity(4.0, 1.0, -9.0);
  const Eigen::VectorXd exact =
      solve(test::box_on_plane(0.3, {0.5, 0.2, 0.0}, kStep, gravity)).velocity;
  for (int n = 0; n < 20; ++n) {
    ContactProblem problem = test::box_on_plane(0.3, {0.5, 0.2, 0.0}, kStep, gravity);
    for (Contact& contact : problem.contacts) {
      contact.gap = 1e-17 * static_cast<double>(random() % 100);
    }
    CHECK((solve(problem).velocity - exact).norm() < 1e-12);
  }
}

TEST_CASE("A ball that rolls down needs no impulse at an impact of others") {
  std::mt19937_64 random(48);
  std::uniform_real_distribution<double> share(-1.0, 1.0);
  for (int n = 0; n < 200; ++n) {
    // It rolls without slip, so that its contact has velocities of rounding alone.
    const double slope = 1.2 * share(random), speed = 2.0 * share(random), radius = 0.034;
    const Eigen::Vector3d normal(std::sin(slope), 0.0, std::cos(slope));
    const Eigen::Vector3d along(std::cos(slope), 0.0, -std::sin(slope));
    SceneBuilder scene(0.0, kNoGravity);
    const int ball = scene.add_body(87.0, 0.04 * Eigen::Matrix3d::Identity(), radius * normal,
                                    speed * along, speed / radius * normal.cross(along));
    scene.add_contact(kWorld, ball, Eigen::Vector3d::Zero(), normal, 0.0, 2.0);
    const ContactProblem problem = scene.build();
    const ContactSolution solution = solve(problem);
    CAPTURE(n, slope, speed);
    CHECK(solution.status == SolveStatus::Converged);
    CHECK((solution.velocity - problem.velocity).norm() <= 1e-14 * (1.0 + std::abs(speed)));
  }
}

}  // namespace
}  // namespace amontons

#include "amontons/contact/certificate/single_contact.h"

#include "amontons/contact/islands/island_problem.h"
#include "amontons/contact/islands/islands.h"
#include "tests/support/contact_scenes.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace amontons {
namespace {

/// Makes turned bodies that each touch the ground or, in pairs, each other, and nothing else.
ContactProblem lone_contacts(std::mt19937_64& random, int count) {
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  test::SceneBuilder scene(1e-2);
  const auto add_body = [&] {
    const double mass = std::pow(10.0, 4.0 * unit(random) - 2.0);
    const Eigen::Matrix3d axes =
        rotation_from_vector(3.0 * unit(random) * test::random_direction(random));
    const Eigen::Vector3d moments(0.5 + unit(random), 1.0 + unit(random), 1.5);
    return scene.add_body(mass, 0.01 * mass * axes * moments.asDiagonal() * axes.transpose(),
                          test::random_direction(random), 2.0 * test::random_direction(random),
                          3.0 * test::random_direction(random));
  };
  for (int i = 0; i < count; ++i) {
    const int first = unit(random) < 0.5 ? test::kWorld : add_body();
    scene.add_contact(first, add_body(), test::random_direction(random),
                      test::random_direction(random), 1e-2 * (unit(random) - 0.5), unit(random));
  }
  ContactProblem problem = scene.build();
  for (double& bias : problem.contact_bias) bias = 0.1 * (unit(random) - 0.5);
  return problem;
}

bool agree(double a, double b) { return std::abs(a - b) <= 1e-11 * (std::abs(a) + std::abs(b)); }

}  // namespace

TEST_CASE("What is known of a single contact is what the metric of its island knows") {
  std::mt19937_64 random(1);
  SingleContactFinder finder;
  for (int round = 0; round < test::num_cases(2000); ++round) {
    const ContactProblem problem = lone_contacts(random, 5);
    const auto found = finder.find(problem);
    REQUIRE(found.size() == 5);
    const ProblemScaling scaling(problem);
    for (const SingleContactIsland& island : found) {
      const SingleContact contact(problem, island);
      REQUIRE(agree(contact.inverse_mass(), scaling.scales.inverse_mass(island.contact)));
      REQUIRE(agree(contact.speed(), scaling.scales.speed(island.contact)));
      REQUIRE(contact.gap_speed() == scaling.gap_speeds(island.contact));
    }
  }
}

TEST_CASE("A single contact has the same certificate as its island's own problem, right or wrong") {
  std::mt19937_64 random(2);
  std::normal_distribution<double> normal;
  SingleContactFinder finder;
  for (int round = 0; round < test::num_cases(2000); ++round) {
    const ContactProblem problem = lone_contacts(random, 4);
    const std::vector<Island> islands = find_islands(problem);
    for (const SingleContactIsland& island : finder.find(problem)) {
      const SingleContact contact(problem, island);
      // Any impulse in the units of the contact, often outside of its cone.
      const double unit = contact.speed() / contact.inverse_mass();
      SingleContact::Response response = contact.respond(
          unit * Eigen::Vector3d(normal(random), normal(random), normal(random)), 0.0);
      const bool wrong_motion = round % 2 == 0;
      if (wrong_motion) response.velocity[0](3) += 0.1;
      for (const LawKind kind : {LawKind::Coulomb, LawKind::ConvexCone, LawKind::Frictionless}) {
        ContactLaw law;
        law.kind = kind;
        const Certificate own = contact.certify(law, response, 1e-8);

        ContactSolution whole;
        whole.law = law;
        whole.impulses = Eigen::VectorXd::Zero(problem.contact_jacobian.rows());
        whole.impulses.segment<3>(3 * island.contact) = response.impulse;
        whole.velocity = problem.free_velocity;
        contact.scatter(response, whole.velocity);
        const auto of_contact = [&](const Island& one) {
          return one.contacts.front() == island.contact;
        };
        const Island& same = *std::find_if(islands.begin(), islands.end(), of_contact);
        const ContactProblem part = extract(problem, same);
        ContactSolution part_solution = whole;
        part_solution.impulses = response.impulse;
        part_solution.modes.assign(1, ContactMode::Slide);
        part_solution.velocity.resize(part.mass_matrix.size());
        Eigen::Index next = 0;
        for (const int b : same.blocks) {
          part_solution.velocity.segment<6>(next) = whole.velocity.segment<6>(6 * b);
          next += 6;
        }
        const Certificate certified = certify(part, part_solution, 1e-8);
        if (!wrong_motion) {
          REQUIRE(agree(own.normal.value, certified.normal.value));
          REQUIRE(agree(own.friction.value, certified.friction.value));
          REQUIRE(agree(own.coulomb.value, certified.coulomb.value));
          REQUIRE(std::abs(own.energy_gained - certified.energy_gained) <=
                  1e-11 * (1.0 + own.kinetic_energy + std::abs(own.energy_gained)));
          REQUIRE(own.dynamics.value < 1e-12);
        } else {
          REQUIRE(agree(own.dynamics.value, certified.dynamics.value));
        }
        REQUIRE(agree(own.kinetic_energy, certified.kinetic_energy));
        REQUIRE(agree(own.stabilization_work, certified.stabilization_work));
        REQUIRE(own.holds == certified.holds);
        REQUIRE(own.normal.where == (own.normal.value > 0.0 ? island.contact : -1));
      }
    }
  }
}

TEST_CASE("A contact is single where its bodies touch nothing else and nothing bounces") {
  test::SceneBuilder scene(1e-2);
  const auto ball = [&](double x) { return scene.add_ball(1.0, 0.1, {x, 0.0, 0.1}); };
  const int alone = ball(0.0), first = ball(1.0), second = ball(1.2), bouncing = ball(3.0);
  scene.add_contact(test::kWorld, alone, {0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, 0.0, 0.5);
  scene.add_contact(test::kWorld, first, {1.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, 0.0, 0.5);
  scene.add_contact(first, second, {1.1, 0.0, 0.1}, {1.0, 0.0, 0.0}, 0.0, 0.5);
  scene.add_contact(test::kWorld, bouncing, {3.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, 0.0, 0.5, 0.5);
  const int jointed = ball(5.0), other = ball(6.0);
  scene.add_contact(test::kWorld, jointed, {5.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, 0.0, 0.5);
  scene.add_ball_joint(jointed, other, {5.5, 0.0, 0.1});
  SingleContactFinder finder;
  const auto found = finder.find(scene.build());
  REQUIRE(found.size() == 1);
  CHECK(found[0].contact == 0);
}

}  // namespace amontons

#include "amontons/contact/certificate/contact_space_islands.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <span>

namespace amontons {
namespace {

using Eigen::Index;

/// Makes a problem in which contacts i and j of one group act on each other where i - j is a
/// multiple of three. Its blocks are in random order.
ContactSpaceProblem random_groups(std::mt19937_64& random, int num_contacts) {
  std::normal_distribution<double> normal;
  const auto any = [&](Index, Index) { return normal(random); };
  ContactSpaceProblem problem;
  for (int i = 0; i < num_contacts; ++i) {
    for (int j = i % 3; j < num_contacts; j += 3) {
      if (i != j && std::abs(i - j) != 3) continue;
      problem.blocks.push_back({i, j, Eigen::Matrix3d::NullaryExpr(any)});
      if (i == j) problem.blocks.back().value += 5.0 * Eigen::Matrix3d::Identity();
    }
  }
  std::shuffle(problem.blocks.begin(), problem.blocks.end(), random);
  problem.q = Eigen::VectorXd::NullaryExpr(3 * num_contacts, [&](Index) { return normal(random); });
  problem.friction = Eigen::VectorXd::Constant(num_contacts, 0.5);
  return problem;
}

TEST_CASE("Contacts that act on each other are one island, whatever the order of blocks") {
  std::mt19937_64 random(3);
  const ContactSpaceProblem problem = random_groups(random, 11);
  const ContactSpaceIslands islands(problem);
  REQUIRE(islands.size() == 3);
  for (std::size_t island = 0; island < 3; ++island) {
    const std::span<const int> contacts = islands.contacts(island);
    for (std::size_t k = 0; k < contacts.size(); ++k) {
      CHECK(contacts[k] == static_cast<int>(island + 3 * k));
      CHECK(islands.place(contacts[k]) == static_cast<int>(k));
      std::size_t own = 0;
      for (const ContactSpaceProblem::Block& block : problem.blocks)
        own += block.row == contacts[k];
      CHECK(islands.row(island, k).size() == own);
      for (const int b : islands.row(island, k)) {
        CHECK(problem.blocks[static_cast<std::size_t>(b)].row == contacts[k]);
      }
    }
  }
}

TEST_CASE("An island alone moves as it does in the whole, and the whole is as bad as its worst") {
  std::mt19937_64 random(4);
  std::normal_distribution<double> normal;
  const ContactSpaceProblem problem = random_groups(random, 10);
  const ContactSpaceIslands islands(problem);
  const Eigen::VectorXd p =
      Eigen::VectorXd::NullaryExpr(30, [&](Index) { return std::abs(normal(random)); });
  const Eigen::VectorXd u = contact_velocities(problem, p);
  const ContactLaw law{LawKind::Coulomb, 4, RestitutionLaw::Newton};
  double worst_normal = 0.0, worst_friction = 0.0;
  for (std::size_t island = 0; island < islands.size(); ++island) {
    const ContactSpaceProblem part = extract(problem, islands, island);
    const std::span<const int> contacts = islands.contacts(island);
    Eigen::VectorXd own(part.q.size());
    for (std::size_t k = 0; k < contacts.size(); ++k) {
      own.segment<3>(3 * static_cast<Index>(k)) = p.segment<3>(3 * contacts[k]);
    }
    const Eigen::VectorXd velocity = contact_velocities(part, own);
    for (std::size_t k = 0; k < contacts.size(); ++k) {
      // Sums of at most four products of numbers near one, in another order.
      CHECK(
          (velocity.segment<3>(3 * static_cast<Index>(k)) - u.segment<3>(3 * contacts[k])).norm() <
          1e-13);
    }
    const Certificate alone = certify(part, law, own, 1e-8);
    const Certificate within = certify(problem, islands, island, law, p, 1e-8);
    CHECK(alone.normal.value == Approx(within.normal.value).epsilon(1e-12));
    CHECK(alone.friction.value == Approx(within.friction.value).epsilon(1e-12));
    CHECK(contacts[static_cast<std::size_t>(alone.normal.where)] == within.normal.where);
    worst_normal = std::max(worst_normal, within.normal.value);
    worst_friction = std::max(worst_friction, within.friction.value);
  }
  const Certificate whole = certify(problem, law, p, 1e-8);
  CHECK_FALSE(whole.holds);
  CHECK(whole.normal.value == worst_normal);
  CHECK(whole.friction.value == worst_friction);
}

}  // namespace
}  // namespace amontons

#include "amontons/contact/contact_law.h"

#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace amontons {
namespace {

using Eigen::Vector3d;

// Moreau's decomposition characterizes the projection on a cone K with polar K°:
// p = q + r, q in K, r in K°, q . r = 0.
TEST_CASE("Projection on the friction cone splits an impulse into cone and polar cone") {
  std::mt19937_64 random(2);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> coefficient(0.0, 2.0);
  for (int n = 0; n < amontons::test::num_cases(100000); ++n) {
    const Vector3d p(normal(random), normal(random), normal(random));
    const double mu = n % 10 == 0 ? 0.0 : coefficient(random);
    const Vector3d q = project_on_cone(p, mu);
    const Vector3d r = p - q;
    const double rounding = 1e-14 * (1.0 + p.norm());
    CHECK(q.head<2>().norm() <= mu * q.z() + rounding);
    CHECK(mu * r.head<2>().norm() <= -r.z() + rounding);
    CHECK(std::abs(q.dot(r)) < rounding * (1.0 + p.norm()));
  }
}

TEST_CASE("Projection on the cone sends the polar cone to the apex") {
  CHECK(project_on_cone({0.3, 0.4, -0.5}, 1.0) == Vector3d::Zero());
  CHECK(project_on_cone({0.0, 0.0, -2.0}, 0.5) == Vector3d::Zero());
  CHECK(project_on_cone({1.0, 1.0, 2.0}, 0.0) == Vector3d(0.0, 0.0, 2.0));
}

std::vector<LawKind> laws_where(bool (*holds)(LawKind)) {
  std::vector<LawKind> result;
  for (int i = 0; i <= static_cast<int>(kLastLaw); ++i) {
    if (holds(static_cast<LawKind>(i))) result.push_back(static_cast<LawKind>(i));
  }
  return result;
}

TEST_CASE("Each law has a row of its own and a word of its own") {
  std::set<std::string> words;
  for (int i = 0; i <= static_cast<int>(kLastLaw); ++i) {
    const LawKind law = static_cast<LawKind>(i);
    CHECK(law_traits(law).kind == law);
    words.insert(to_string(law));
  }
  CHECK(words.size() == static_cast<std::size_t>(kLastLaw) + 1);
  CHECK(words.count("") == 0);
  CHECK_THROWS_AS(law_traits(static_cast<LawKind>(static_cast<int>(kLastLaw) + 1)),
                  std::invalid_argument);
  CHECK_THROWS_AS(to_string(static_cast<LawKind>(-1)), std::invalid_argument);
}

TEST_CASE("The codes and words of laws in files stay as they are") {
  const std::vector<std::string> words = {
      "frictionless", "pyramid",           "convex-pyramid",
      "coulomb",      "convex-cone",       "maximum-dissipation",
      "no-slip",      "viscous",           "literal-dissipation",
      "impact",       "system-dissipation"};
  REQUIRE(words.size() <= static_cast<std::size_t>(kLastLaw) + 1);
  for (std::size_t i = 0; i < words.size(); ++i) {
    CHECK(to_string(static_cast<LawKind>(i)) == words[i]);
  }
}

TEST_CASE("Friction grows with the load except without friction, without slip and by drag alone") {
  const auto grows_not = [](LawKind law) { return !has_coulomb_friction(law); };
  CHECK(laws_where(grows_not) ==
        std::vector{LawKind::Frictionless, LawKind::NoSlip, LawKind::Viscous});
}

TEST_CASE("The pyramid and its relaxation bound friction by a polygon, all others by a disc") {
  CHECK(laws_where(has_polygon) == std::vector{LawKind::Pyramid, LawKind::ConvexPyramid});
}

TEST_CASE("Slip lifts the contact under the two convex relaxations alone") {
  CHECK(laws_where(lifts) == std::vector{LawKind::ConvexPyramid, LawKind::ConvexCone});
}

TEST_CASE("Maximum dissipation, no slip and collisions in sequence relate whole islands") {
  const auto whole = [](LawKind law) { return !is_single_contact_law(law); };
  CHECK(laws_where(whole) == std::vector{LawKind::MaximumDissipation, LawKind::NoSlip,
                                         LawKind::LiteralDissipation, LawKind::Impact,
                                         LawKind::SystemDissipation});
}

TEST_CASE("Maximum dissipation with one cap for the system is the one law that couples islands") {
  CHECK(laws_where(couples_islands) == std::vector{LawKind::SystemDissipation});
}

TEST_CASE("Maximum dissipation comes with the additive viscous bound and with the literal one") {
  CHECK(laws_where(dissipates_most) == std::vector{LawKind::MaximumDissipation,
                                                   LawKind::LiteralDissipation,
                                                   LawKind::SystemDissipation});
  CHECK(law_traits(LawKind::MaximumDissipation).viscous == ViscousFriction::AdditiveBound);
  CHECK(law_traits(LawKind::LiteralDissipation).viscous == ViscousFriction::LiteralBound);
}

TEST_CASE("Viscous drag acts besides every other law of steps, and impacts have none") {
  const auto drags_not = [](LawKind law) {
    return !dissipates_most(law) && law_traits(law).viscous != ViscousFriction::Drag;
  };
  CHECK(laws_where(drags_not) == std::vector{LawKind::Impact});
  CHECK(laws_where(is_collision_law) == std::vector{LawKind::Impact});
}

TEST_CASE("Coulomb's law alone has friction in the disc without lift") {
  CHECK(laws_where(is_round_coulomb_law) == std::vector{LawKind::Coulomb});
}

TEST_CASE("Reactions of a law are a cone only where the law is a relation at one contact") {
  for (int i = 0; i <= static_cast<int>(kLastLaw); ++i) {
    const LawTraits& law = law_traits(static_cast<LawKind>(i));
    CAPTURE(law.name);
    CHECK((law.is_single_contact || !law.has_reaction_cone));
  }
}

}  // namespace
}  // namespace amontons

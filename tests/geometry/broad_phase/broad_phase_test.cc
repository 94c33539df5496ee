#include "amontons/geometry/broad_phase/broad_phase.h"

#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <stdexcept>
#include <tuple>

using namespace amontons;
using Pairs = std::vector<std::pair<int, int>>;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::size_t at(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }

struct Boxes {
  std::vector<Aabb> boxes;
  std::vector<char> is_static;

  int size() const { return static_cast<int>(boxes.size()); }
  void add(const Eigen::Vector3d& center, const Eigen::Vector3d& half, bool fixed = false) {
    boxes.push_back({center - half, center + half});
    is_static.push_back(fixed ? 1 : 0);
  }
};

// Returns every pair, in lexicographic order.
Pairs compare_all(const Boxes& scene) {
  Pairs pairs;
  for (int i = 0; i < scene.size(); ++i) {
    for (int j = i + 1; j < scene.size(); ++j) {
      if (scene.is_static[at(i)] && scene.is_static[at(j)]) continue;
      if (scene.boxes[at(i)].overlaps(scene.boxes[at(j)])) pairs.emplace_back(i, j);
    }
  }
  return pairs;
}

// Makes boxes of mixed sizes, flat and long ones, some of them unbounded, on a lattice or not.
Boxes random_scene(std::mt19937_64& random) {
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  const auto chance = [&](double p) { return unit(random) < p; };
  const int n = std::uniform_int_distribution<int>(0, 300)(random);
  const double room = std::pow(10.0, 3.0 * unit(random) - 1.0), spread = 4.0 * unit(random);
  const double far_away = chance(0.3) ? std::pow(10.0, 12.0 * unit(random)) : 0.0;
  const bool on_lattice = chance(0.5);
  Boxes scene;
  for (int i = 0; i < n; ++i) {
    const double size = std::pow(10.0, -spread * unit(random));
    Eigen::Vector3d center, half;
    for (int axis = 0; axis < 3; ++axis) {
      center[axis] = room * unit(random);
      half[axis] = size * (chance(0.7) ? 1.0 : unit(random));
    }
    if (on_lattice) {  // boxes that touch exactly, and boxes without volume
      center = (4.0 * center).array().round() / 4.0;
      half = (8.0 * half).array().round() / 8.0;
    }
    if (chance(0.01)) center *= 1e6;
    center.x() += far_away;
    center.z() -= far_away;
    scene.add(center, half, chance(0.3));
    for (int axis = 0; axis < 3; ++axis) {
      if (chance(0.01)) scene.boxes.back().lower[axis] = -kInfinity;
      if (chance(0.01)) scene.boxes.back().upper[axis] = kInfinity;
    }
  }
  return scene;
}

}  // namespace

TEST_CASE("The broad phase finds exactly the overlapping pairs of any scene, in order") {
  std::mt19937_64 random(1);
  BroadPhase broad_phase;  // one for all scenes: nothing may be left over from the last
  std::size_t num_pairs = 0;
  for (int i = 0; i < test::num_cases(30000); ++i) {
    const Boxes scene = random_scene(random);
    const Pairs expected = compare_all(scene);
    CAPTURE(i, scene.size());
    REQUIRE(broad_phase.find_pairs(scene.boxes, scene.is_static) == expected);
    num_pairs += expected.size();
  }
  CHECK(num_pairs > 1000);
}

TEST_CASE("Where some boxes have changed, the pairs are those of a search of all") {
  std::mt19937_64 random(7);
  std::size_t num_pairs = 0;
  for (int i = 0; i < test::num_cases(3000); ++i) {
    BroadPhase broad_phase;
    Boxes scene = random_scene(random);
    for (int call = 0; call < 10; ++call) {
      const Pairs expected = compare_all(scene);
      CAPTURE(i, call, scene.size());
      REQUIRE(broad_phase.find_pairs(scene.boxes, scene.is_static) == expected);
      num_pairs += expected.size();
      // Up to 40 boxes, so that most calls compare the changed ones alone, take the place of
      // another, change sides or are no longer boxes.
      if (scene.size() == 0) break;
      std::uniform_int_distribution<int> any_box(0, scene.size() - 1), num_changes(0, 40),
          kind(0, 9);
      for (int change = num_changes(random); change > 0; --change) {
        const int box = any_box(random), kind_of_change = kind(random);
        scene.boxes[at(box)] = scene.boxes[at(any_box(random))];
        if (kind_of_change < 3) scene.is_static[at(box)] = static_cast<char>(kind_of_change > 0);
        if (kind_of_change == 9) scene.boxes[at(box)].lower.x() = std::nan("");
      }
    }
  }
  CHECK(num_pairs > 1000);
}

TEST_CASE("Renaming the boxes renames the pairs") {
  std::mt19937_64 random(2);
  BroadPhase broad_phase;
  const Boxes scene = random_scene(random);
  std::vector<int> new_name(scene.boxes.size());
  std::iota(new_name.begin(), new_name.end(), 0);
  std::shuffle(new_name.begin(), new_name.end(), random);
  Boxes renamed = scene;
  for (int i = 0; i < scene.size(); ++i) {
    renamed.boxes[at(new_name[at(i)])] = scene.boxes[at(i)];
    renamed.is_static[at(new_name[at(i)])] = scene.is_static[at(i)];
  }
  Pairs expected = broad_phase.find_pairs(scene.boxes, scene.is_static);
  REQUIRE(!expected.empty());
  for (auto& [i, j] : expected) {
    std::tie(i, j) = std::minmax({new_name[at(i)], new_name[at(j)]});
  }
  std::sort(expected.begin(), expected.end());
  CHECK(broad_phase.find_pairs(renamed.boxes, renamed.is_static) == expected);
}

TEST_CASE("Boxes that touch are a pair, and boxes a hair apart are not") {
  BroadPhase broad_phase;
  const double gap = GENERATE(0.0, 1e-15);
  Boxes row;
  for (int i = 0; i < 50; ++i) row.add({(1.0 + gap) * i, 0.0, 0.0}, {0.5, 0.5, 0.5});
  // Far from the origin the gap is below rounding; near it, it must count.
  CHECK(broad_phase.find_pairs(row.boxes, row.is_static) == compare_all(row));
  if (gap == 0.0) CHECK(compare_all(row).size() == 49);
}

TEST_CASE("Pairs beyond what a step can take are an error before they take memory") {
  Boxes scene;
  for (int i = 0; i < 1500; ++i) scene.add({1e-6 * i, 0.0, 0.0}, {1.0, 1.0, 1.0});
  CHECK(BroadPhase().find_pairs(scene.boxes, scene.is_static).size() == 1500 * 1499 / 2);
  for (int i = 0; i < 98500; ++i) scene.add({1e-6 * i, 0.0, 0.0}, {1.0, 1.0, 1.0});
  CHECK_THROWS_AS(BroadPhase().find_pairs(scene.boxes, scene.is_static), std::domain_error);
}

TEST_CASE("Two static boxes are never a pair; a static and a moving one are") {
  BroadPhase broad_phase;
  Boxes scene;
  for (int i = 0; i < 30; ++i) scene.add({0.01 * i, 0.0, 0.0}, {1.0, 1.0, 1.0}, i != 7);
  Pairs expected;
  for (int i = 0; i < 7; ++i) expected.emplace_back(i, 7);
  for (int j = 8; j < 30; ++j) expected.emplace_back(7, j);
  CHECK(broad_phase.find_pairs(scene.boxes, scene.is_static) == expected);
}

TEST_CASE("A floor without bounds meets all that reaches it") {
  BroadPhase broad_phase;
  Boxes scene;
  for (int i = 0; i < 100; ++i) scene.add({3.0 * i, 0.0, i < 60 ? 0.5 : 5.0}, {1.0, 1.0, 1.0});
  scene.add({0.0, 0.0, 0.0}, {kInfinity, kInfinity, kInfinity}, true);
  scene.boxes.back() = bounding_box(HalfSpace{}, Pose{});
  Pairs expected;
  for (int i = 0; i < 60; ++i) expected.emplace_back(i, 100);
  CHECK(broad_phase.find_pairs(scene.boxes, scene.is_static) == expected);
}

TEST_CASE("Boxes that are not numbers overlap nothing and disturb nothing") {
  std::mt19937_64 random(3);
  BroadPhase broad_phase;
  Boxes scene = random_scene(random);
  const Pairs before = broad_phase.find_pairs(scene.boxes, scene.is_static);
  scene.add(Eigen::Vector3d::Constant(std::nan("")), {1.0, 1.0, 1.0});
  CHECK(broad_phase.find_pairs(scene.boxes, scene.is_static) == before);
}

TEST_CASE("No boxes have no pairs, and flags must match boxes") {
  BroadPhase broad_phase;
  CHECK(broad_phase.find_pairs({}, {}).empty());
  Boxes one;
  one.add({0.0, 0.0, 0.0}, {1.0, 1.0, 1.0});
  CHECK_THROWS_AS(broad_phase.find_pairs(one.boxes, {}), std::invalid_argument);
}

TEST_CASE("A large pile of mixed sizes has the pairs of a sweep along one axis") {
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  Boxes pile;
  for (int i = 0; i < 20000; ++i) {
    const double radius = 0.01 * std::pow(30.0, unit(random) * unit(random));
    pile.add(Eigen::Vector3d(unit(random), unit(random), unit(random)),
             Eigen::Vector3d::Constant(radius));
  }
  std::vector<int> order(pile.boxes.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&pile](int a, int b) {
    return pile.boxes[at(a)].lower.x() < pile.boxes[at(b)].lower.x();
  });
  Pairs expected;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Aabb& box = pile.boxes[at(order[i])];
    for (std::size_t k = i + 1; k < order.size(); ++k) {
      if (pile.boxes[at(order[k])].lower.x() > box.upper.x()) break;
      if (box.overlaps(pile.boxes[at(order[k])])) {
        expected.push_back(std::minmax({order[i], order[k]}));
      }
    }
  }
  std::sort(expected.begin(), expected.end());
  BroadPhase broad_phase;
  CHECK(broad_phase.find_pairs(pile.boxes, pile.is_static) == expected);
}

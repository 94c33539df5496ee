// Cones around the normals of features, and the search for features that face each other.
#include "amontons/geometry/shapes/normal_cone.h"

#include "amontons/geometry/shapes/feature_list.h"
#include "amontons/geometry/shapes/feature_tree.h"
#include "amontons/math/stop.h"
#include "tests/geometry/mesh_zoo.h"

#include <Eigen/Geometry>
#include <catch2/catch.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <span>
#include <utility>
#include <vector>

using namespace amontons;
using namespace amontons::test;
using Eigen::Vector3d;

namespace {

/// Returns a random unit vector in a cone.
Vector3d draw_in(const NormalCone& cone, Dice& dice) {
  for (int n = 0; n < 1000; ++n) {
    const Vector3d drawn = (cone.axis + dice.decade(-6, 1) * dice.direction()).normalized();
    if (cone.contains(drawn)) return drawn;
  }
  return cone.axis;
}

/// Returns a random cone: all directions, one direction, or some.
NormalCone draw_cone(Dice& dice) {
  if (dice.index(10) == 0) return {};
  const double angle = dice.index(3) == 0 ? 0.0 : dice.uniform(0.0, 1.5);
  return {dice.direction(), std::cos(angle), std::sin(angle)};
}

bool is_in(const Aabb& box, const Vector3d& x) { return box.overlaps({x, x}); }

/// Holds random features as a FeatureTree takes them.
struct Features {
  std::vector<Aabb> boxes, normals;

  void add(const Vector3d& x, const NormalCone& cone) {
    boxes.push_back({x, x});
    normals.push_back(cone.bounds());
  }
};

}  // namespace

TEST_CASE("The cone of a corner holds all normals along which it may be touched") {
  Dice dice(1);
  int narrow = 0, corners = 0, touched = 0;
  for (const NamedMesh& own : mesh_zoo(dice)) {
    const CollisionMesh mesh(own.mesh);
    for (int t = 0; t < static_cast<int>(mesh.triangles().size()); ++t) {
      for (const int v : mesh.corners_of(t)) {
        const NormalCone& cone = mesh.normals_at(v);
        const std::span<const Vector3d> spokes = mesh.crease_directions(v);
        ++corners;
        narrow += cone.cosine > 0.5 ? 1 : 0;
        CAPTURE(own.name, v);
        CHECK(cone.contains(mesh.facets()[static_cast<std::size_t>(mesh.facet_of(t))].normal));
        for (int n = 0; n < 50; ++n) {
          const Vector3d normal = n % 2 == 0 ? dice.direction() : draw_in(cone, dice);
          const bool may_touch = std::all_of(spokes.begin(), spokes.end(), [&](const auto& spoke) {
            return normal.dot(spoke) <= 1e-6;
          });
          touched += may_touch ? 1 : 0;
          if (may_touch) CHECK(cone.contains(normal));
        }
      }
    }
  }
  CHECK(touched > 1000);
  CHECK(2 * narrow > corners);
}

TEST_CASE("The box of a cone holds its directions, and a grown cone those that lean from them") {
  Dice dice(2);
  for (int n = 0; n < 20000; ++n) {
    const NormalCone a = draw_cone(dice);
    const Vector3d in_a = draw_in(a, dice);
    // A cosine near one knows its angle to 1e-8 alone.
    Aabb box = a.bounds();
    box.lower.array() -= 1e-7;
    box.upper.array() += 1e-7;
    CHECK(is_in(box, in_a));
    const double angle = dice.uniform(0.0, 1.0);
    const Vector3d off =
        Eigen::AngleAxisd(angle * (1.0 - 1e-9), in_a.unitOrthogonal()).toRotationMatrix() * in_a;
    NormalCone grown = a.grown(std::cos(angle), std::sin(angle));
    grown.cosine -= 1e-7;
    CHECK(grown.contains(off));
  }
}

TEST_CASE("Features that touch along a common normal are found, and most others are not") {
  Dice dice(3);
  std::size_t found = 0, all = 0;
  for (int run = 0; run < 50; ++run) {
    const FeatureReach reach{dice.decade(-2, -0.3), dice.decade(-3, -1), dice.decade(-4, -2),
                             run % 2 == 0 ? 0.0 : 0.35};
    const Pose X_AB = dice.pose(dice.direction()), X_BA = X_AB.inverse();
    // Features of A at random; each has one of B that it touches.
    Features of_A, of_B;
    constexpr int kCount = 200;
    for (int k = 0; k < kCount; ++k) {
      const Vector3d x = 2.0 * dice.direction();
      const NormalCone cone = draw_cone(dice);
      const Vector3d n = draw_in(cone, dice);
      const double gap = dice.uniform(-reach.depth, reach.gap);
      const Vector3d beside = 0.99 * dice.uniform(0.0, reach.beside) * dice.direction();
      const double angle = dice.uniform(0.0, 0.5);
      of_A.add(x, cone);
      // The normal is in the cone of B, or off by the angle that the search allows for.
      const Vector3d lean =
          reach.lean > 0.0 ? Vector3d(0.33 * n.unitOrthogonal()) : Vector3d(0.0 * n);
      const Vector3d axis = X_BA.rotation * -(n + lean).normalized();
      of_B.add(X_BA * Vector3d(x + gap * n + beside), {axis, std::cos(angle), std::sin(angle)});
    }
    const FeatureTree A(of_A.boxes, of_A.normals), B(of_B.boxes, of_B.normals);
    std::vector<std::pair<int, int>> pairs;
    std::vector<int> own, theirs;
    A.find_facing(
        B, X_AB, reach, std::nullopt,
        [&](int a, int b) {
          pairs.emplace_back(a, b);
          return false;
        },
        own, theirs);
    std::sort(pairs.begin(), pairs.end());
    CHECK(own.empty());
    for (int k = 0; k < kCount; ++k) {
      CHECK(std::binary_search(pairs.begin(), pairs.end(), std::pair(k, k)));
    }
    found += pairs.size();
    all += kCount * kCount;
    // With the test's consent each is found once.
    A.find_facing(
        B, X_AB, reach, std::nullopt, [](int, int) { return true; }, own, theirs);
    CHECK(own.size() == kCount);
    CHECK(std::is_sorted(own.begin(), own.end()));
    CHECK(theirs.size() == kCount);
  }
  CHECK(10 * found < all);
}

TEST_CASE("A feature's own search finds what it touches, as many as there are") {
  Dice dice(4);
  for (int run = 0; run < 300; ++run) {
    const FeatureReach reach{dice.decade(-2, 0), dice.decade(-3, 0), 1e-3, 0.0};
    const int count = dice.index(70);
    Features features;
    for (int k = 0; k < count; ++k) features.add(2.0 * dice.direction(), draw_cone(dice));
    const NormalCone cone = draw_cone(dice);
    const Vector3d n = draw_in(cone, dice), x = 2.0 * dice.direction();
    features.add(x + dice.uniform(-reach.depth, reach.gap) * n, NormalCone::of_face(-n));
    const Aabb here{x, x};
    const auto find = [&](const FeatureReach& within, const FeatureVelocities* velocities) {
      std::vector<FeatureBounds> bounds;
      for (std::size_t k = 0; k < features.boxes.size(); ++k) {
        bounds.emplace_back(features.boxes[k], features.normals[k]);
      }
      std::vector<int> near{-1};
      FeatureList(bounds).find(FeatureBounds(here, cone.bounds()).facing(), RoundedReach(within),
                               velocities, near);
      CHECK(std::is_sorted(near.begin(), near.end()));
      return near;
    };
    const auto has = [](const std::vector<int>& near, int k) {
      return std::binary_search(near.begin(), near.end(), k);
    };
    CHECK(has(find(reach, nullptr), count));
    // A reach without end finds all that face the feature.
    const double kFar = std::numeric_limits<double>::infinity();
    CHECK(has(find({1.0, kFar, kFar, 0.0}, nullptr), count));
    // One whose gap a motion of the other surface may just close is found.
    ClosingMotion motion;
    for (ClosingMotion::Twist& twist : motion.twists) twist = {dice.direction(), dice.direction()};
    motion.time = dice.uniform(0.0, 1.0);
    motion.still = dice.uniform(0.0, 0.1);
    const double gap = std::min(reach.gap, motion.gap_at(x, -n));
    if (gap > motion.gap_at(x + 0.5 * gap * n, -n)) continue;
    features.add(x + gap * n, NormalCone::of_face(-n));
    const FeatureVelocities velocities(here.grown(0.5 * reach.gap), RoundedMotion(motion));
    CHECK(has(find(reach, &velocities), count + 1));
  }
}

TEST_CASE("The velocities of a group hold those of all points in its boxes, in any unit") {
  Dice dice(5);
  for (int run = 0; run < 3000; ++run) {
    const double unit = dice.decade(-4, 4);
    ClosingMotion motion;
    for (ClosingMotion::Twist& twist : motion.twists) {
      twist = {dice.decade(-3, 2) * unit * dice.direction(), dice.decade(-3, 2) * dice.direction()};
    }
    FeatureGroup group;
    std::vector<Vector3d> inside;
    for (int k = 0; k < kFeaturesOfGroup; ++k) {
      const Vector3d a = dice.decade(-2, 2) * unit * dice.direction();
      const Vector3d b = a + dice.decade(-4, 1) * unit * dice.direction();
      Aabb box = Aabb::empty();
      box.include(a);
      box.include(b);
      group.add({box, {Vector3d::UnitX(), Vector3d::UnitX()}});
      inside.push_back(a + dice.uniform(0.0, 1.0) * (b - a));
    }
    const FeatureVelocities velocities(group.lower, group.upper, RoundedMotion(motion));
    for (int k = 0; k < kFeaturesOfGroup; ++k) {
      for (const ClosingMotion::Twist& twist : motion.twists) {
        const Vector3d v = twist.at(inside[static_cast<std::size_t>(k)]);
        for (std::size_t i = 0; i < 3; ++i) {
          const double own = v[static_cast<Eigen::Index>(i)];
          CHECK(own >= static_cast<double>(velocities.lower[i][k]));
          CHECK(own <= static_cast<double>(velocities.upper[i][k]));
        }
      }
    }
  }
}

TEST_CASE("A search of features ends where it is asked to stop") {
  const FeatureList list({FeatureBounds({Vector3d::Zero(), Vector3d::Ones()},
                                        {Vector3d::UnitX(), Vector3d::UnitX()})});
  const std::atomic<bool> stop = true;
  const StopScope scope(&stop);
  std::vector<int> near;
  CHECK_THROWS_AS(list.find({}, RoundedReach({1.0, 1.0}), nullptr, near), Stopped);
}

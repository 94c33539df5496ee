#pragma once

// Signs, distances and contacts of pairs of meshes against an answer by brute force.
#include "amontons/geometry/pair_clearance.h"
#include "amontons/geometry/signed_distance.h"
#include "tests/geometry/manifold.h"
#include "tests/geometry/mesh_oracle.h"
#include "tests/geometry/mesh_zoo.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace amontons::test {

// Bound of the error of distances [m], of meshes of radius one.
inline constexpr double kError = 1e-9;

/// Holds the shapes that are drawn, beside their triangles.
struct Drawn {
  std::vector<NamedMesh> meshes;
  std::vector<Shape> shapes;

  void add(NamedMesh own, Shape shape) {
    meshes.push_back(std::move(own));
    shapes.push_back(std::move(shape));
  }
};

/// Returns the least gap of contacts; infinity without any.
inline double least_gap(const Contacts& contacts) {
  double least = std::numeric_limits<double>::infinity();
  for (const ContactPoint& contact : contacts) least = std::min(least, contact.gap);
  return least;
}

/// Draws pairs, and compares signs, distances and contacts for several horizons with brute force.
inline void check_pairs(const Drawn& As, const Drawn& Bs, int count, Dice& dice) {
  int overlapping = 0, nested = 0;
  for (int n = 0; n < count; ++n) {
    const auto i = static_cast<std::size_t>(dice.index(static_cast<int>(As.shapes.size())));
    const auto j = static_cast<std::size_t>(dice.index(static_cast<int>(Bs.shapes.size())));
    const Pose X_WA = dice.pose(dice.direction());
    const Pose X_WB = dice.pose(X_WA.translation + dice.uniform(0.0, 2.0) * dice.direction());
    const MeshRelation expected =
        relation(corners_of(As.meshes[i].mesh, X_WA), corners_of(Bs.meshes[j].mesh, X_WB));
    overlapping += expected.overlap() ? 1 : 0;
    nested += expected.nested ? 1 : 0;
    const double found = signed_distance(As.shapes[i], X_WA, Bs.shapes[j], X_WB).distance;
    CAPTURE(n, As.meshes[i].name, Bs.meshes[j].name, expected.distance, expected.nested, found);
    CHECK((found < 0.0) == expected.overlap());
    if (!expected.overlap()) CHECK(std::abs(found - expected.distance) <= kError);
    for (const double horizon : {0.0, 0.1, 1.0}) {
      CAPTURE(horizon);
      // A pair is left out only where it is clear of the horizon, and always where it is by far.
      PairClearance clearance;
      clearance.measure(As.shapes[i], X_WA, Bs.shapes[j], X_WB, horizon);
      const bool is_clear = clearance.exceeds(horizon, X_WA, Bs.shapes[j], X_WB);
      const double distance = expected.overlap() ? -1.0 : expected.distance;
      if (is_clear) CHECK(distance > horizon - kError);
      if (distance > horizon + 10.0 * kError) CHECK(is_clear);
      const double gap = least_gap(manifold(As.shapes[i], X_WA, Bs.shapes[j], X_WB, horizon));
      if (expected.overlap()) {
        CHECK(gap < 0.0);
      } else if (expected.distance < horizon - kError) {
        CHECK(std::abs(gap - expected.distance) <= kError);
      } else {
        CHECK(gap >= expected.distance - kError);
      }
    }
  }
  // Some of each kind.
  CHECK(overlapping > count / 8);
  CHECK(count - overlapping > count / 8);
  if (count > 1000) CHECK(nested > 10);
}

}  // namespace amontons::test

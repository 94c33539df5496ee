// Concave meshes against convex shapes: faces that lean a little, and walls in line.
#include "tests/geometry/manifold.h"
#include "tests/geometry/mesh_fixtures.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>

using namespace amontons;
using namespace amontons::test;
using Eigen::Vector3d;

namespace {

constexpr double kHeight = 0.6;

/// Returns an L that stands on z = 0 with its lowest corner, turned by small angles.
Pose leaning_pose(Dice& dice, const TriangleMesh& mesh) {
  Pose X = turned(at(0.0, 0.0, 0.0), dice.uniform(-3.0, 3.0), Vector3d::UnitZ());
  X = turned(X, dice.uniform(-0.1, 0.1), Vector3d::UnitX());
  X = turned(X, dice.uniform(-0.1, 0.1), Vector3d::UnitY());
  double lowest = 0.0;
  for (const Vector3d& v : mesh.vertices) lowest = std::min(lowest, (X * v).z());
  X.translation.z() -= lowest;
  return X;
}

}  // namespace

TEST_CASE("Each corner of a leaning mesh over a convex floor has its contact", "[mesh]") {
  Dice dice(92);
  const TriangleMesh mesh = l_mesh(kHeight);
  const Shape L = mesh_shape(mesh);
  const double horizon = 0.05;
  for (int k = 0; k < num_cases(20000); ++k) {
    const Pose X = leaning_pose(dice, mesh);
    const Vector3d size(8.0, 8.0, 2.0);
    const Shape floor = k % 2 == 0 ? Shape(Box{size}) : Shape(box_hull(size));
    const Contacts found = manifold(floor, at(0.0, 0.0, -1.0), L, X, horizon);
    CAPTURE(k, X.translation.transpose(), X.rotation);
    for (const Vector3d& v : mesh.vertices) {
      const Vector3d x = X * v;
      // The upper face of the L looks away, and its inner corner is no corner of the hull.
      if (v.z() > 0.0 || x.z() > horizon || v.head<2>() == Eigen::Vector2d(1.0, 1.0)) continue;
      CHECK(std::any_of(found.begin(), found.end(), [&x](const ContactPoint& contact) {
        return std::abs(contact.gap - x.z()) <= 1e-12 &&
               (contact.position_W - 0.5 * contact.gap * contact.normal_W - x).norm() <=
                   contact.gap + 1e-9 &&
               (contact.normal_W - Vector3d::UnitZ()).norm() <= 1e-12;
      }));
    }
  }
}

TEST_CASE("A box on a tile of triangles is held by no wall in line with its floor", "[mesh]") {
  // The tile begins at x = 0, and the box comes from another floor of the same height.
  const Shape tile = mesh_shape(l_mesh(kHeight));
  for (const double x : {-0.25, -0.2, -0.15, -0.1}) {
    const Pose X = at(x, 0.5, kHeight + 0.1);
    for (const ContactPoint& contact : manifold(tile, Pose{}, Box{{0.2, 0.2, 0.2}}, X, 0.2)) {
      CAPTURE(x, contact.normal_W.transpose(), contact.position_W.transpose());
      CHECK(std::abs(contact.normal_W.x()) <= 1e-12);
    }
    // An L over boxes alike.
    for (const ContactPoint& contact :
         manifold(Box{{0.2, 4.0, 0.2}}, at(x + 2.2, 0.5, -0.1), tile, Pose{}, 0.2)) {
      CAPTURE(x, contact.normal_W.transpose());
      CHECK(std::abs(contact.normal_W.x()) <= 1e-12);
    }
  }
}

// Meshes, concave ones above all, against convex shapes.
#include "amontons/geometry/shapes/contact_point.h"
#include "amontons/geometry/signed_distance.h"
#include "tests/geometry/manifold.h"
#include "tests/geometry/mesh_fixtures.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <limits>

using namespace amontons;
using namespace amontons::test;
using Eigen::Vector3d;

namespace {

constexpr double kPi = 3.14159265358979323846;

/// Checks that every contact of one manifold is in the other.
void check_same(const Contacts& found, const Contacts& expected, double tolerance) {
  REQUIRE(found.size() == expected.size());
  for (const ContactPoint& wanted : expected) {
    const auto match = std::find_if(found.begin(), found.end(), [&](const ContactPoint& c) {
      return (c.position_W - wanted.position_W).norm() <= tolerance;
    });
    REQUIRE(match != found.end());
    CHECK((match->normal_W - wanted.normal_W).norm() <= tolerance);
    CHECK(std::abs(match->gap - wanted.gap) <= tolerance);
  }
}

/// Returns a triangle as a very thin prism, which the convex narrow phase accepts.
Shape thin_prism(const Vector3d& a, const Vector3d& b, const Vector3d& c, double thickness) {
  const Vector3d n = 0.5 * thickness * (b - a).cross(c - a).normalized();
  return hull_of({a + n, b + n, c + n, a - n, b - n, c - n});
}

}  // namespace

TEST_CASE("A flat ground of random triangles is a half-space, point by point", "[mesh]") {
  Dice dice(71);
  for (const int cells : {1, 7, 40}) {
    const Shape sheet = mesh_shape(random_flat_sheet(dice, cells, 2.0));
    const HalfSpace ground{Vector3d::UnitZ(), 0.0};
    for (const Kind kind : kKinds) {
      for (int k = 0; k < num_cases(2000); ++k) {
        const Pose X_WG = k % 2 == 0 ? Pose{} : dice.pose({0.5, -0.7, 0.2});
        const Shape shape = random_shape(kind, dice, 0.3);
        Pose X_GS = dice.pose({dice.uniform(-1.0, 1.0), dice.uniform(-1.0, 1.0), 0.0});
        if (k % 3 == 0) X_GS.rotation.setIdentity();
        const double gap = dice.uniform(-0.02, 0.05);
        X_GS.translation.z() = gap - support_point(shape, X_GS, -Vector3d::UnitZ()).z();
        const Pose X_WS = X_WG * X_GS;
        CAPTURE(cells, shape_type_name(shape), k, gap);
        if (bounding_radius(shape) < 0.03) continue;  // its middle might be below
        check_same(manifold(sheet, X_WG, shape, X_WS, 0.06),
                   manifold(ground, X_WG, shape, X_WS, 0.06), 1e-12);
        const SignedDistance distance = signed_distance(sheet, X_WG, shape, X_WS);
        CHECK(std::abs(distance.distance - gap) <= 1e-12);
        CHECK((distance.normal_W - X_WG.rotation.col(2)).norm() <= 1e-12);
      }
    }
  }
}

TEST_CASE("A box made of triangles is as far from any shape as the box", "[mesh]") {
  Dice dice(72);
  const Vector3d size(1.0, 0.7, 0.4);
  const Shape mesh = mesh_shape(box_mesh(size)), box = Box{size};
  for (const Kind kind : kKinds) {
    for (int k = 0; k < num_cases(5000); ++k) {
      const Shape shape = random_shape(kind, dice, 0.3);
      const Pose X_WA = dice.pose(0.3 * dice.direction());
      const Pose X_WB = dice.pose(dice.uniform(0.3, 1.5) * dice.direction());
      const SignedDistance expected = signed_distance(box, X_WA, shape, X_WB);
      if (expected.distance <= 0.0) continue;
      const SignedDistance found = signed_distance(mesh, X_WA, shape, X_WB);
      CAPTURE(shape_type_name(shape), k, expected.distance);
      CHECK(std::abs(found.distance - expected.distance) <= 1e-11);
      CHECK((found.p_B_W - found.p_A_W - found.distance * found.normal_W).norm() <= 1e-11);
      const SignedDistance mirrored = signed_distance(shape, X_WB, mesh, X_WA);
      CHECK(mirrored.distance == found.distance);
      CHECK(mirrored.normal_W == -found.normal_W);
    }
  }
}

TEST_CASE("Any mesh is as far from a convex shape as its nearest triangle", "[mesh]") {
  Dice dice(73);
  const TriangleMesh ring = torus(1.0, 0.3, 16, 10), corner = l_mesh(0.8);
  for (const TriangleMesh& mesh : {ring, corner}) {
    const Shape surface = mesh_shape(mesh);
    std::vector<Shape> prisms;
    for (const auto& t : mesh.triangles) {
      const auto p = [&](std::size_t k) { return mesh.vertices[static_cast<std::size_t>(t[k])]; };
      prisms.push_back(thin_prism(p(0), p(1), p(2), 1e-9));
    }
    for (const Kind kind : kKinds) {
      for (int k = 0; k < num_cases(10000) / 6 + 1; ++k) {
        const Shape shape = random_shape(kind, dice, 0.25);
        const Pose pose =
            dice.pose({dice.uniform(-2, 2.5), dice.uniform(-2, 2.5), dice.uniform(-1, 1.5)});
        double least = std::numeric_limits<double>::infinity();
        for (const Shape& prism : prisms) {
          least = std::min(least, signed_distance(prism, Pose{}, shape, pose).distance);
        }
        if (least <= 1e-6) continue;
        const SignedDistance found = signed_distance(surface, Pose{}, shape, pose);
        if (found.distance < 0.0) continue;  // wholly inside
        CAPTURE(shape_type_name(shape), k, least);
        CHECK(std::abs(found.distance - least) <= 2e-9);
      }
    }
  }
}

TEST_CASE("A box resting on a box of triangles has the manifold of two boxes", "[mesh]") {
  Dice dice(74);
  const Vector3d size(1.0, 0.8, 0.4);
  const Shape mesh = mesh_shape(box_mesh(size)), box = Box{size};
  for (int k = 0; k < num_cases(5000); ++k) {
    const Box upper{{dice.uniform(0.2, 1.5), dice.uniform(0.2, 1.5), 0.3}};
    const double gap = dice.uniform(-1e-6, 1e-3);
    Pose X_WB = at(dice.uniform(-0.3, 0.3), dice.uniform(-0.3, 0.3), 0.35 + gap);
    X_WB = turned(X_WB, dice.uniform(-kPi, kPi), Vector3d::UnitZ());
    CAPTURE(k, gap, upper.size.transpose(), X_WB.translation.transpose());
    const Contacts expected = manifold(box, Pose{}, upper, X_WB, 0.01);
    const Contacts found = manifold(mesh, Pose{}, upper, X_WB, 0.01);
    check_same(found, expected, 1e-9);
  }
}

TEST_CASE("A ball in a torus's hole touches its inner side all around and not its hull", "[mesh]") {
  const Shape ring = mesh_shape(torus(1.0, 0.3, 64, 32));
  const SignedDistance free = signed_distance(ring, Pose{}, Sphere{0.2}, at(0, 0, 0));
  CHECK(free.distance > 0.49);
  CHECK(free.distance < 0.51);
  const Contacts around = manifold(ring, Pose{}, Sphere{0.71}, at(0, 0, 0), 0.0);
  CHECK(around.size() >= 64);
  for (const ContactPoint& contact : around) CHECK(contact.gap < 0.0);
  const SignedDistance inside = signed_distance(ring, Pose{}, Sphere{0.05}, at(1.0, 0.0, 0.0));
  CHECK(inside.distance < -0.33);
  CHECK(inside.distance > -0.36);
}

TEST_CASE("A box pressed into the inner corner of an L is held by both walls, however deep",
          "[mesh]") {
  const Shape corner = mesh_shape(l_mesh(4.0));
  const Box box{{0.4, 0.4, 0.4}};
  for (const double dx : {-0.05, -1e-3, -1e-8, 0.0, 1e-3}) {
    for (const double dy : {-0.05, -1e-3, -1e-8, 0.0, 1e-3}) {
      const Contacts contacts = manifold(corner, Pose{}, box, at(1.2 + dx, 1.2 + dy, 2.0), 0.01);
      double along_x = 1.0, along_y = 1.0;
      for (const ContactPoint& contact : contacts) {
        const bool is_x = (contact.normal_W - Vector3d::UnitX()).norm() < 1e-12;
        const bool is_y = (contact.normal_W - Vector3d::UnitY()).norm() < 1e-12;
        CAPTURE(dx, dy, contact.normal_W.transpose(), contact.gap);
        CHECK((is_x || is_y));
        if (is_x) along_x = std::min(along_x, contact.gap);
        if (is_y) along_y = std::min(along_y, contact.gap);
      }
      CAPTURE(dx, dy);
      CHECK(std::abs(along_x - dx) <= 1e-12);
      CHECK(std::abs(along_y - dy) <= 1e-12);
    }
  }
}

TEST_CASE("A thin wall pushes a shape back to the side of its middle", "[mesh]") {
  const Shape wall = mesh_shape(box_mesh({2.0, 2.0, 1e-3}));
  for (const double depth : {1e-4, 5e-3, 0.04}) {
    for (const double side : {1.0, -1.0}) {
      const Shape box = Box{{0.1, 0.1, 0.1}}, ball = Sphere{0.05};
      for (const Shape& shape : {box, ball}) {
        const Pose pose = at(0.3, -0.2, side * (0.0505 - depth));
        const SignedDistance found = signed_distance(wall, Pose{}, shape, pose);
        CAPTURE(depth, side, shape_type_name(shape));
        CHECK(std::abs(found.distance + depth) <= 1e-12);
        CHECK((found.normal_W - side * Vector3d::UnitZ()).norm() <= 1e-12);
      }
    }
  }
}

TEST_CASE("What leans past a shelf is not pushed up through it", "[mesh]") {
  // The plank's lower corner is under the shelf, its middle above and beside it.
  const Shape shelf = mesh_shape(box_mesh({1.0, 1.0, 0.02}));
  const Box plank{{2.0, 0.2, 0.02}};
  Pose pose = at(0.64, 0.0, 0.3);
  pose = turned(pose, -1.2, Vector3d::UnitY());
  const Contacts contacts = manifold(shelf, Pose{}, plank, pose, 0.05);
  for (const ContactPoint& contact : contacts) CHECK(contact.gap > -0.05);
  const SignedDistance exact = signed_distance(Box{{1.0, 1.0, 0.02}}, Pose{}, plank, pose);
  CHECK(std::abs(signed_distance(shelf, Pose{}, plank, pose).distance - exact.distance) <= 1e-9);
}

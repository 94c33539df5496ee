// Meshes against meshes and terrain.
#include "amontons/geometry/shapes/contact_point.h"
#include "amontons/geometry/shapes/height_field.h"
#include "amontons/geometry/shapes/triangle_distance.h"
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

/// Returns an L as the two boxes that it is made of.
std::vector<std::pair<Shape, Pose>> l_parts(double height, const Pose& pose) {
  return {{Box{{2.0, 1.0, height}}, pose * at(1.0, 0.5, 0.5 * height)},
          {Box{{1.0, 2.0, height}}, pose * at(0.5, 1.0, 0.5 * height)}};
}

}  // namespace

TEST_CASE("Two Ls of triangles are as far apart as the boxes they are made of", "[mesh]") {
  Dice dice(81);
  const double height = 0.6;
  const Shape L = mesh_shape(l_mesh(height));
  int apart = 0;
  for (int k = 0; k < num_cases(10000) * 3; ++k) {
    const Pose X_WA = dice.pose(0.5 * dice.direction());
    const Pose X_WB = dice.pose(dice.uniform(1.0, 4.0) * dice.direction());
    double least = std::numeric_limits<double>::infinity();
    for (const auto& [a, X_Wa] : l_parts(height, X_WA)) {
      for (const auto& [b, X_Wb] : l_parts(height, X_WB)) {
        least = std::min(least, signed_distance(a, X_Wa, b, X_Wb).distance);
      }
    }
    if (least <= 0.0) continue;
    ++apart;
    const SignedDistance found = signed_distance(L, X_WA, L, X_WB);
    CAPTURE(k, least);
    CHECK(std::abs(found.distance - least) <= 1e-11);
    CHECK((found.p_B_W - found.p_A_W - found.distance * found.normal_W).norm() <= 1e-11);
  }
  CHECK(apart > 100);
}

// Balls of n triangles each: every pair of triangles would be n^2, and their distance is known.
TEST_CASE("Fine meshes far apart are as far as their hulls, and few triangles suffice to find it",
          "[mesh]") {
  Dice dice(86);
  const TriangleMesh ball = ball_mesh(is_long_run() ? 200 : 60);
  const Shape fine = mesh_shape(ball), hull = hull_of(ball.vertices);
  for (int k = 0; k < num_cases(2000); ++k) {
    const Pose X_WA = dice.pose(0.5 * dice.direction());
    const Pose X_WB = dice.pose(X_WA.translation + dice.uniform(2.1, 30.0) * dice.direction());
    const double expected = signed_distance(hull, X_WA, hull, X_WB).distance;
    const SignedDistance found = signed_distance(fine, X_WA, fine, X_WB);
    CAPTURE(k, expected);
    CHECK(std::abs(found.distance - expected) <= 1e-11);
    CHECK((found.p_B_W - found.p_A_W - found.distance * found.normal_W).norm() <= 1e-11);
  }
  // The number of pairs of triangles is the square of the number of triangles. The trees leave some
  // pairs per triangle.
  const auto mesh = std::get<std::shared_ptr<const CollisionMesh>>(fine);
  std::size_t visited = 0;
  double best = std::numeric_limits<double>::infinity();
  const Pose far = at(3.0, 5.0, 1.0);
  mesh->tree().visit_nearest_pairs(mesh->tree(), far, best, [&](int a, int b) {
    ++visited;
    Triangle moved = mesh->triangle(b);
    for (Vector3d& corner : moved) corner = far * corner;
    best = std::min(best, nearest_in_triangles(mesh->triangle(a), moved).squared_distance);
    return best;
  });
  CHECK(visited < 10 * mesh->triangles().size());
}

// The nearest points of a ball and a cup's inside are on no hull.
TEST_CASE("A ball of triangles within a cup of triangles is as far from it as a ball is",
          "[mesh]") {
  Dice dice(87);
  const Shape cup = mesh_shape(
      revolved({{1e-3, 0.0}, {2.2, 0.0}, {2.2, 2.0}, {2.0, 2.0}, {2.0, 0.2}, {1e-3, 0.2}}, 24));
  const TriangleMesh mesh = ball_mesh(24);
  const Shape ball = mesh_shape(mesh), hull = hull_of(mesh.vertices);
  for (int k = 0; k < num_cases(1000); ++k) {
    const Pose X_WC = dice.pose(dice.direction());
    Pose X_CB = dice.pose({dice.uniform(-0.5, 0.5), dice.uniform(-0.5, 0.5), 1.6});
    const double expected = signed_distance(cup, X_WC, hull, X_WC * X_CB).distance;
    const SignedDistance found = signed_distance(cup, X_WC, ball, X_WC * X_CB);
    CAPTURE(k, expected);
    REQUIRE(expected > 0.1);
    CHECK(std::abs(found.distance - expected) <= 1e-11);
    CHECK((found.p_B_W - found.p_A_W - found.distance * found.normal_W).norm() <= 1e-11);
  }
}

TEST_CASE("Boxes of triangles stand on each other as boxes do", "[mesh]") {
  Dice dice(82);
  const Vector3d size(1.0, 0.8, 0.4);
  for (int k = 0; k < num_cases(5000); ++k) {
    const Vector3d upper(dice.uniform(0.2, 1.5), dice.uniform(0.2, 1.5), 0.3);
    const double gap = dice.uniform(-1e-6, 1e-3);
    Pose X_WB = at(dice.uniform(-0.3, 0.3), dice.uniform(-0.3, 0.3), 0.35 + gap);
    X_WB = turned(X_WB, dice.uniform(-3.0, 3.0), Vector3d::UnitZ());
    const Contacts expected = manifold(Box{size}, Pose{}, Box{upper}, X_WB, 0.01);
    const Contacts found =
        manifold(mesh_shape(box_mesh(size)), Pose{}, mesh_shape(box_mesh(upper)), X_WB, 0.01);
    CAPTURE(k, gap, upper.transpose(), X_WB.translation.transpose());
    REQUIRE(found.size() == expected.size());
    for (const ContactPoint& wanted : expected) {
      CHECK(std::any_of(found.begin(), found.end(), [&](const ContactPoint& c) {
        return (c.position_W - wanted.position_W).norm() <= 1e-9 &&
               (c.normal_W - wanted.normal_W).norm() <= 1e-9 &&
               std::abs(c.gap - wanted.gap) <= 1e-9;
      }));
    }
  }
}

TEST_CASE("One L fits into the corner of another and touches both its walls", "[mesh]") {
  const Shape L = mesh_shape(l_mesh(1.0));
  for (const double gap : {-1e-3, -1e-7, 1e-4}) {
    const Contacts contacts = manifold(L, Pose{}, L, at(1.0 + gap, 1.0 + gap, 0.2), 1e-3);
    bool x = false, y = false;
    for (const ContactPoint& contact : contacts) {
      CAPTURE(gap, contact.normal_W.transpose(), contact.position_W.transpose());
      CHECK(std::abs(contact.gap - gap) <= 1e-12);
      x |= (contact.normal_W - Vector3d::UnitX()).norm() < 1e-12;
      y |= (contact.normal_W - Vector3d::UnitY()).norm() < 1e-12;
    }
    CHECK(x);
    CHECK(y);
  }
}

TEST_CASE("A box of triangles on flat terrain and on a half-space has the manifold of a box",
          "[mesh]") {
  Dice dice(83);
  const Vector3d size(0.8, 0.6, 0.4);
  const Shape mesh = mesh_shape(box_mesh(size));
  const Shape terrain =
      std::make_shared<const HeightField>(Eigen::MatrixXd::Zero(21, 21), 4.0, 4.0);
  const Shape sheet = mesh_shape(random_flat_sheet(dice, 20, 2.0));
  for (int k = 0; k < num_cases(2000); ++k) {
    Pose pose = dice.pose({dice.uniform(-0.5, 0.5), dice.uniform(-0.5, 0.5), 0.0});
    if (k % 2 == 0) pose.rotation.setIdentity();
    const double gap = dice.uniform(-0.01, 0.02);
    pose.translation.z() = gap - support_point(Box{size}, pose, -Vector3d::UnitZ()).z();
    const Contacts expected = manifold(HalfSpace{}, Pose{}, Box{size}, pose, 0.03);
    for (const Shape& ground : {Shape(HalfSpace{}), terrain, sheet}) {
      const Contacts found = manifold(ground, Pose{}, mesh, pose, 0.03);
      CAPTURE(k, gap, shape_type_name(ground));
      REQUIRE(found.size() == expected.size());
      for (const ContactPoint& wanted : expected) {
        CHECK(std::any_of(found.begin(), found.end(), [&](const ContactPoint& c) {
          return (c.position_W - wanted.position_W).norm() <= 1e-12 &&
                 (c.normal_W - wanted.normal_W).norm() <= 1e-12 &&
                 std::abs(c.gap - wanted.gap) <= 1e-12;
        }));
      }
      CHECK(std::abs(signed_distance(ground, Pose{}, mesh, pose).distance - gap) <= 1e-12);
    }
  }
}

TEST_CASE("A mesh wholly inside another one is pushed out the shortest way", "[mesh]") {
  const Shape outer = mesh_shape(box_mesh({2.0, 3.0, 4.0})),
              inner = mesh_shape(box_mesh({0.2, 0.2, 0.2}));
  const SignedDistance found = signed_distance(outer, Pose{}, inner, at(0.7, 0.3, 0.2));
  CHECK(std::abs(found.distance + 0.4) <= 1e-12);
  CHECK((found.normal_W - Vector3d::UnitX()).norm() <= 1e-12);
}

TEST_CASE("A mesh with a small hole is a solid, and one without a lid a sheet", "[mesh]") {
  TriangleMesh ball = ball_mesh(12);
  const Shape closed = mesh_shape(ball);
  ball.triangles.resize(ball.triangles.size() - 2);
  const Shape holed = mesh_shape(ball);
  const Shape box = mesh_shape(box_mesh({0.2, 0.2, 0.2}));
  CHECK_FALSE(std::get<std::shared_ptr<const CollisionMesh>>(holed)->is_closed());
  CHECK(std::get<std::shared_ptr<const CollisionMesh>>(holed)->encloses());
  // From inside to far away, away from the hole.
  for (const double x : {0.0, 0.5, 0.85, 0.95, 1.05, 1.2, 3.0}) {
    const Pose X_WB = at(x, 0.1, 0.05);
    const SignedDistance expected = signed_distance(closed, Pose{}, box, X_WB);
    const SignedDistance found = signed_distance(holed, Pose{}, box, X_WB);
    CAPTURE(x, expected.distance);
    CHECK(std::abs(found.distance - expected.distance) <= 1e-12);
    CHECK((found.distance < 0.0) == (x < 1.1));
  }
  TriangleMesh open = box_mesh({1.0, 1.0, 1.0});
  open.triangles.resize(open.triangles.size() - 2);
  CHECK_FALSE(std::get<std::shared_ptr<const CollisionMesh>>(mesh_shape(open))->encloses());
}

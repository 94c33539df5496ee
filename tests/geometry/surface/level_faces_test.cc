// Concave meshes whose faces lie in one plane: they stand on each other, with walls in line.
#include "amontons/geometry/signed_distance.h"
#include "tests/geometry/manifold.h"
#include "tests/geometry/mesh_fixtures.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

using namespace amontons;
using namespace amontons::test;
using Eigen::Vector3d;

namespace {

constexpr double kPi = 3.14159265358979323846;

/// Returns a wheel with eight teeth, the faces of which are whole.
TriangleMesh toothed_wheel(double height) {
  std::vector<Eigen::Vector2d> rim;
  const int n = 32;
  for (int k = 0; k < n; ++k) {
    const double radius = k % 4 < 2 ? 1.0 : 0.75, angle = 2.0 * kPi * k / n;
    rim.emplace_back(radius * std::cos(angle), radius * std::sin(angle));
  }
  rim.emplace_back(0.0, 0.0);
  TriangleMesh mesh;
  for (const double z : {0.0, height}) {
    for (const Eigen::Vector2d& p : rim) mesh.vertices.emplace_back(p.x(), p.y(), z);
  }
  for (int k = 0; k < n; ++k) {
    const int next = (k + 1) % n, top = n + 1;
    mesh.triangles.push_back({n, next, k});
    mesh.triangles.push_back({n + top, k + top, next + top});
    mesh.triangles.push_back({k, next, next + top});
    mesh.triangles.push_back({k, next + top, k + top});
  }
  return mesh;
}

/// Returns a pose at random, or one of those in which walls are in line.
Pose standing_pose(Dice& dice, double z, bool in_line) {
  Vector3d place(dice.uniform(-1.5, 1.5), dice.uniform(-1.5, 1.5), z);
  double angle = dice.uniform(-kPi, kPi);
  if (in_line) {
    place.x() = 0.1 * std::round(10.0 * place.x());
    place.y() = 0.1 * std::round(10.0 * place.y());
    angle = 0.5 * kPi * std::round(dice.uniform(0.0, 3.0));
  }
  return turned(at(place.x(), place.y(), z), angle, Vector3d::UnitZ());
}

}  // namespace

TEST_CASE("Concave meshes that stand on each other touch upwards alone, also with walls in line",
          "[mesh]") {
  Dice dice(88);
  const double height = 0.6;
  const std::vector<TriangleMesh> meshes = {
      l_mesh(height), toothed_wheel(height),
      revolved({{0.8, 0.0}, {1.0, 0.0}, {1.0, height}, {0.8, height}}, 24)};
  int standing = 0;
  for (const TriangleMesh& mesh : meshes) {
    const Shape shape = mesh_shape(mesh);
    for (int k = 0; k < num_cases(20000); ++k) {
      const double gap = std::array{0.0, 1e-12, -1e-9, 1e-7, 1e-6}[static_cast<std::size_t>(k % 5)];
      const Pose X_WB = standing_pose(dice, height + gap, k % 2 == 0);
      const SignedDistance found = signed_distance(shape, Pose{}, shape, X_WB);
      CAPTURE(k, gap, X_WB.translation.transpose(), X_WB.rotation);
      CHECK(found.distance >= gap - 1e-12);
      const bool stands = found.distance <= gap + 1e-12;
      standing += stands ? 1 : 0;
      // Deeper, what has a line in common at most is side by side.
      if (gap < 0.0 && !stands) continue;
      for (const ContactPoint& contact : manifold(shape, Pose{}, shape, X_WB, 1e-5)) {
        CHECK(std::abs(contact.gap - gap) <= 1e-12);
        CHECK((contact.normal_W - Vector3d::UnitZ()).norm() <= 1e-12);
      }
    }
  }
  CHECK(standing > num_cases(20000));
}

TEST_CASE("Meshes that stand on each other and are pushed to a wall touch both", "[mesh]") {
  // An L lies in the corner of another one on a floor, all of them level.
  const Shape L = mesh_shape(l_mesh(1.0));
  const Shape floor = mesh_shape(l_mesh(1.0));
  const Pose above = at(1.0, 1.0, 1.0);
  for (const ContactPoint& contact : manifold(floor, Pose{}, L, above, 1e-6)) {
    CHECK((contact.normal_W - Vector3d::UnitZ()).norm() <= 1e-12);
  }
  const Contacts beside = manifold(L, at(0.0, 0.0, 1.0), L, above, 1e-6);
  CHECK(std::any_of(beside.begin(), beside.end(), [](const ContactPoint& contact) {
    return (contact.normal_W - Vector3d::UnitX()).norm() <= 1e-12;
  }));
  CHECK(std::any_of(beside.begin(), beside.end(), [](const ContactPoint& contact) {
    return (contact.normal_W - Vector3d::UnitY()).norm() <= 1e-12;
  }));
}

TEST_CASE("Equal meshes side by side, aligned, touch along the face between them", "[mesh]") {
  const Shape L = mesh_shape(l_mesh(0.6));
  const Contacts contacts = manifold(L, Pose{}, L, at(-2.0, 0.0, 0.0), 1e-6);
  CHECK(contacts.size() >= 4);
  for (const ContactPoint& contact : contacts) {
    CHECK((contact.normal_W + Vector3d::UnitX()).norm() <= 1e-12);
    CHECK(std::abs(contact.gap) <= 1e-12);
  }
}

TEST_CASE("The inner corner of an L is touched by no wall that it lies in line with", "[mesh]") {
  const auto L = std::get<std::shared_ptr<const CollisionMesh>>(mesh_shape(l_mesh(0.6)));
  for (std::size_t v = 0; v < L->vertices().size(); ++v) {
    if (L->vertices()[v].head<2>() != Eigen::Vector2d(1.0, 1.0)) continue;
    for (const Vector3d& n : {Vector3d(-1, 0, 0), Vector3d(0, -1, 0), Vector3d(-1, -1, 0)}) {
      bool is_touched = true;
      for (const Vector3d& way : L->crease_directions(static_cast<int>(v))) {
        is_touched = is_touched && n.dot(way) <= 1e-6;
      }
      CHECK_FALSE(is_touched);
    }
  }
}

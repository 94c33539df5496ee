#include "amontons/geometry/signed_distance.h"
#include "tests/geometry/manifold.h"
#include "tests/geometry/mesh_fixtures.h"
#include "tests/support/test_size.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <random>

using namespace amontons;
using namespace amontons::test;

TEST_CASE("A fine flat mesh in single precision has a plate about it, however it is tilted") {
  std::mt19937 engine(17);
  std::normal_distribution<double> normal;
  for (int round = 0; round < num_cases(800); ++round) {
    const Eigen::Quaterniond turn =
        Eigen::Quaterniond(normal(engine), normal(engine), normal(engine), normal(engine))
            .normalized();
    const int n = 12 + round % 20;
    TriangleMesh grid;
    for (int i = 0; i < n * n; ++i) {
      const Eigen::Vector3d flat(2.0 * (i / n) / (n - 1) - 1.0, 2.0 * (i % n) / (n - 1) - 1.0, 0.0);
      grid.vertices.push_back((turn * flat).cast<float>().cast<double>());
      if (i / n == n - 1 || i % n == n - 1) continue;
      grid.triangles.push_back({i, i + n, i + 1});
      grid.triangles.push_back({i + 1, i + n, i + n + 1});
    }
    const CollisionMesh mesh(grid, 1e-6);
    REQUIRE(mesh.plate() != nullptr);
    // The plate supports the four corners of the square, and nothing reaches farther.
    for (const double x : {-1.0, 1.0}) {
      for (const double y : {-1.0, 1.0}) {
        const Eigen::Vector3d out = turn * Eigen::Vector3d(x, y, 0.0);
        double reach = 0.0;
        for (const Eigen::Vector3d& v : mesh.plate()->vertices()) {
          reach = std::max(reach, out.dot(v));
        }
        CHECK(reach == Approx(2.0).margin(1e-6));
      }
    }
  }
}

TEST_CASE("A flat sheet touches a half-space at its lowest corner") {
  Dice dice(91);
  const HalfSpace ground{Eigen::Vector3d::UnitZ(), 0.0};
  // Two rectangles of one plane that share nothing: they are two facets.
  TriangleMesh mesh = random_flat_sheet(dice, 3, 1.0);
  const int first = static_cast<int>(mesh.vertices.size());
  for (int v = 0; v < first; ++v) {
    mesh.vertices.push_back(mesh.vertices[static_cast<std::size_t>(v)] +
                            Eigen::Vector3d(3.0, 0.5, 0.0));
  }
  const std::size_t triangles = mesh.triangles.size();
  for (std::size_t t = 0; t < triangles; ++t) {
    const auto [a, b, c] = mesh.triangles[t];
    mesh.triangles.push_back({a + first, b + first, c + first});
  }
  const Shape sheet = mesh_shape(mesh);
  for (int k = 0; k < num_cases(2000); ++k) {
    const Pose X = dice.pose({0.1, 0.2, dice.uniform(-1.0, 2.0)});
    double lowest = 1e9;
    for (const Eigen::Vector3d& v : mesh.vertices) lowest = std::min(lowest, (X * v).z());
    const SignedDistance distance = signed_distance(ground, Pose{}, sheet, X);
    CHECK(std::abs(distance.distance - lowest) <= 1e-8);
    CHECK((distance.normal_W - Eigen::Vector3d::UnitZ()).norm() <= 1e-12);
  }
}

TEST_CASE("A flat sheet with backs is a half-space on either side") {
  Dice dice(92);
  const HalfSpace ground{Eigen::Vector3d::UnitZ(), 0.0}, ceiling{-Eigen::Vector3d::UnitZ(), 0.0};
  TriangleMesh mesh = random_flat_sheet(dice, 5, 2.0);
  const int count = static_cast<int>(mesh.vertices.size());
  const std::vector<Eigen::Vector3d> front = mesh.vertices;
  mesh.vertices.insert(mesh.vertices.end(), front.begin(), front.end());
  for (std::size_t t = 0, n = mesh.triangles.size(); t < n; ++t) {
    const auto [a, b, c] = mesh.triangles[t];
    mesh.triangles.push_back({a + count, c + count, b + count});
  }
  const Shape sheet = mesh_shape(mesh);
  for (const Kind kind : kKinds) {
    for (int k = 0; k < num_cases(2000); ++k) {
      const Shape shape = random_shape(kind, dice, 0.3);
      if (bounding_radius(shape) < 0.05) continue;  // its middle might be on the other side
      const double side = k % 2 == 0 ? 1.0 : -1.0;
      Pose X = dice.pose({dice.uniform(-1.0, 1.0), dice.uniform(-1.0, 1.0), 0.0});
      const double gap = dice.uniform(-0.005, 0.05);
      const Eigen::Vector3d up = side * Eigen::Vector3d::UnitZ();
      X.translation.z() = side * gap - support_point(shape, X, -up).z();
      const Contacts found = manifold(sheet, Pose{}, shape, X, 0.06);
      const Contacts expected = manifold(side > 0.0 ? ground : ceiling, Pose{}, shape, X, 0.06);
      CAPTURE(shape_type_name(shape), k, gap, side);
      REQUIRE(found.size() == expected.size());
      for (const ContactPoint& contact : found) {
        CHECK((contact.normal_W - up).norm() <= 1e-12);
        CHECK(std::any_of(expected.begin(), expected.end(), [&](const ContactPoint& other) {
          return (other.position_W - contact.position_W).norm() <= 1e-12 &&
                 std::abs(other.gap - contact.gap) <= 1e-12;
        }));
      }
    }
  }
}

#include "amontons/geometry/repair/orient_outwards.h"
#include "amontons/geometry/repair/weld_vertices.h"
#include "amontons/geometry/shapes/collision_mesh.h"
#include "amontons/geometry/shapes/coplanar_groups.h"
#include "amontons/geometry/shapes/mass_properties.h"
#include "amontons/math/stop.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <ctime>
#include <functional>
#include <random>

using namespace amontons;

namespace {

/// Returns the triangles of a bowl with a rim, from n x n squares.
TriangleMesh bowl(int n) {
  TriangleMesh mesh;
  for (int i = 0; i <= n; ++i) {
    for (int j = 0; j <= n; ++j) {
      const double x = i - 0.5 * n, y = j - 0.5 * n;
      mesh.vertices.emplace_back(x, y, 1e-3 * (x * x + 2.0 * y * y));
    }
  }
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const int a = i * (n + 1) + j, b = a + n + 1;
      mesh.triangles.push_back({a, b, b + 1});
      mesh.triangles.push_back({a, b + 1, a + 1});
    }
  }
  return mesh;
}

/// Returns points on a unit sphere, all of them corners of its hull.
std::vector<Eigen::Vector3d> points_on_sphere(int count) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  std::vector<Eigen::Vector3d> points;
  for (int i = 0; i < count; ++i) {
    points.push_back(Eigen::Vector3d(normal(random), normal(random), normal(random)).normalized());
  }
  return points;
}

/// Returns the processor time that a function takes in this thread [s].
double thread_seconds(const std::function<void()>& function) {
  const auto now = [] {
    std::timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  const double before = now();
  function();
  return now() - before;
}

}  // namespace

TEST_CASE("Each part of making a mesh hears a stop") {
  const TriangleMesh mesh = bowl(40);
  std::vector<FacetLoop> loops;
  for (const auto& [a, b, c] : mesh.triangles) loops.push_back({a, b, c});
  const std::vector<std::vector<int>> neighbors(loops.size());
  const std::vector<std::function<void()>> parts = {
      [&] { weld_vertices(mesh, 1e-9); },
      [&] { is_closed(mesh); },
      [&] { orient_outwards(mesh); },
      [&] { group_coplanar(mesh.vertices, loops, neighbors, 1e-9); },
      [&] { distinct_points(mesh.vertices); },
      [&] { compute_hull_facets(mesh.vertices); },
      [&] { first_simplex(mesh.vertices); },
      [&] { ConvexPolyhedron::hull_of(mesh.vertices); },
      [&] { CollisionMesh{mesh}; },
  };
  for (const std::function<void()>& part : parts) {
    CHECK_NOTHROW(part());
    const std::atomic<bool> stop = true;
    const StopScope scope(&stop);
    CHECK_THROWS_AS(part(), Stopped);
  }
}

TEST_CASE("A convex hull is given up in the middle, not when it is whole") {
  const std::vector<Eigen::Vector3d> points = points_on_sphere(40000);
  std::vector<FacetLoop> facets;
  const double whole = thread_seconds([&] { facets = compute_hull_facets(points); });
  CHECK(facets.size() == 2 * points.size() - 4);  // Euler's formula for triangles
  const double given_up = thread_seconds([&] {
    const std::atomic<bool> stop = true;
    const StopScope scope(&stop);
    CHECK_THROWS_AS(compute_hull_facets(points), Stopped);
  });
  CHECK(given_up < 0.5 * whole);
}

#include "amontons/geometry/broad_phase/broad_phase.h"
#include "amontons/geometry/contact_manifold.h"
#include "amontons/geometry/shapes/collision_mesh.h"
#include "amontons/geometry/signed_distance.h"
#include "amontons/math/rotation.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <utility>
#include <vector>

namespace amontons {
namespace {

// Pairs of a box and another shape, near touching, in random poses.
std::vector<Pose> random_poses(double distance) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  std::vector<Pose> poses;
  for (int i = 0; i < 256; ++i) {
    Eigen::Vector3d direction(normal(random), normal(random), normal(random));
    poses.push_back({rotation_from_vector(
                         3.0 * Eigen::Vector3d(normal(random), normal(random), normal(random))),
                     distance * direction.normalized()});
  }
  return poses;
}

void distance_to_box(benchmark::State& state, const Shape& shape) {
  const Shape box = Box{{1.0, 1.0, 1.0}};
  const std::vector<Pose> poses = random_poses(1.2);
  std::size_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(signed_distance(box, Pose{}, shape, poses[i++ % poses.size()]));
  }
}

void box_on_box_manifold(benchmark::State& state) {
  const Shape box = Box{{1.0, 1.0, 1.0}};
  const Pose above{rotation_from_rpy(0.0, 0.0, 0.3), {0.1, 0.2, 1.0}};
  std::vector<ContactPoint> contacts;
  for (auto _ : state) {
    contacts.clear();
    find_contact_manifold(box, Pose{}, box, above, {1e-3}, contacts);
    benchmark::DoNotOptimize(contacts.data());
  }
  state.counters["contacts"] = static_cast<double>(contacts.size());
}

// A sphere of 2 n^2 triangles, with dents.
Shape dented_sphere(int n) {
  TriangleMesh mesh;
  const auto radius = [](double u, double v) {
    return 1.0 + 0.1 * std::sin(3.0 * u) * std::sin(v);
  };
  mesh.vertices = {{0.0, 0.0, 1.0}, {0.0, 0.0, -1.0}};
  const auto index = [n](int i, int j) { return 2 + (i - 1) * 2 * n + (j % (2 * n)); };
  for (int i = 1; i < n; ++i) {
    for (int j = 0; j < 2 * n; ++j) {
      const double v = M_PI * i / n, u = M_PI * j / n;
      mesh.vertices.push_back(radius(u, v) * Eigen::Vector3d(std::sin(v) * std::cos(u),
                                                             std::sin(v) * std::sin(u),
                                                             std::cos(v)));
    }
  }
  for (int j = 0; j < 2 * n; ++j) {
    mesh.triangles.push_back({0, index(1, j), index(1, j + 1)});
    mesh.triangles.push_back({1, index(n - 1, j + 1), index(n - 1, j)});
    for (int i = 1; i + 1 < n; ++i) {
      mesh.triangles.push_back({index(i, j), index(i + 1, j), index(i + 1, j + 1)});
      mesh.triangles.push_back({index(i, j), index(i + 1, j + 1), index(i, j + 1)});
    }
  }
  return std::make_shared<const CollisionMesh>(std::move(mesh));
}

// A small shape at the surface of a large mesh: time grows like the logarithm of its triangles.
void mesh_manifold(benchmark::State& state, const Shape& shape) {
  const Shape mesh = dented_sphere(static_cast<int>(state.range(0)));
  const std::vector<Pose> poses = random_poses(1.05);
  std::vector<ContactPoint> contacts;
  std::size_t i = 0, found = 0;
  for (auto _ : state) {
    contacts.clear();
    find_contact_manifold(mesh, Pose{}, shape, poses[i++ % poses.size()], {1e-3}, contacts);
    found += contacts.size();
  }
  state.counters["contacts"] = static_cast<double>(found) / static_cast<double>(i);
}

std::vector<Aabb> packed_spheres(std::size_t n, std::mt19937_64& random) {
  constexpr double kRadius = 0.04, kPacking = 0.55;
  const double volume = 4.0 / 3.0 * M_PI * kRadius * kRadius * kRadius;
  const double side = std::cbrt(static_cast<double>(n) * volume / kPacking);
  std::uniform_real_distribution<double> uniform(0.0, side);
  std::vector<Aabb> boxes(n);
  for (Aabb& box : boxes) {
    const Eigen::Vector3d center(uniform(random), uniform(random), uniform(random));
    box.lower = center.array() - kRadius;
    box.upper = center.array() + kRadius;
  }
  return boxes;
}

// Spheres at a packing of 0.55: time per body must not depend on their number. A few bodies need
// many arrangements, or the processor predicts all their branches.
void broad_phase(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  std::mt19937_64 random(7);
  std::vector<std::vector<Aabb>> arrangements(std::max<std::size_t>(1, 10000 / n));
  for (std::vector<Aabb>& boxes : arrangements) boxes = packed_spheres(n, random);
  const std::vector<char> is_static(n, 0);
  BroadPhase phase;
  std::size_t i = 0, pairs = 0;
  for (auto _ : state) {
    pairs += phase.find_pairs(arrangements[i++ % arrangements.size()], is_static).size();
  }
  const double bodies = static_cast<double>(n * i);
  state.counters["per_body"] =
      benchmark::Counter(bodies, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  state.counters["pairs_per_body"] = static_cast<double>(pairs) / bodies;
}

BENCHMARK_CAPTURE(distance_to_box, sphere, Sphere{0.5});
BENCHMARK_CAPTURE(distance_to_box, box, Box{{1.0, 1.0, 1.0}});
BENCHMARK_CAPTURE(distance_to_box, capsule, Capsule{0.3, 0.6});
BENCHMARK_CAPTURE(distance_to_box, cylinder, Cylinder{0.4, 0.8});
BENCHMARK_CAPTURE(distance_to_box, ellipsoid, Ellipsoid{{0.5, 0.4, 0.3}});
BENCHMARK(box_on_box_manifold);
BENCHMARK_CAPTURE(mesh_manifold, sphere, Sphere{0.02})->Arg(8)->Arg(32)->Arg(128);
BENCHMARK_CAPTURE(mesh_manifold, box, Box{{0.04, 0.04, 0.04}})->Arg(8)->Arg(32)->Arg(128);
BENCHMARK(broad_phase)->Arg(100)->Arg(1000)->Arg(10000)->Arg(100000);

}  // namespace
}  // namespace amontons

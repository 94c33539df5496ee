#pragma once

#include "tests/geometry/mesh_fixtures.h"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace amontons::test {

/// Names a mesh, so that a failed case says which pair it was.
struct NamedMesh {
  std::string name;
  TriangleMesh mesh;
};

/// Returns both meshes as one, not joined.
inline TriangleMesh both(TriangleMesh a, const TriangleMesh& b) {
  const int first = static_cast<int>(a.vertices.size());
  a.vertices.insert(a.vertices.end(), b.vertices.begin(), b.vertices.end());
  for (const auto& [i, j, k] : b.triangles) {
    a.triangles.push_back({i + first, j + first, k + first});
  }
  return a;
}

inline TriangleMesh moved(TriangleMesh mesh, const Pose& X, double scale = 1.0) {
  for (Eigen::Vector3d& v : mesh.vertices) v = X * Eigen::Vector3d(scale * v);
  return mesh;
}

inline TriangleMesh inverted(TriangleMesh mesh) {
  for (auto& triangle : mesh.triangles) std::swap(triangle[1], triangle[2]);
  return mesh;
}

/// Makes a solid of layers, from low to high, of polygons with one number of corners that are
/// star-shaped about the z axis. Fans about the axis close both ends.
inline TriangleMesh loft(const std::vector<std::vector<Eigen::Vector3d>>& layers) {
  TriangleMesh mesh;
  const int n = static_cast<int>(layers.front().size()), last = static_cast<int>(layers.size()) - 1;
  for (const auto& layer : layers) {
    mesh.vertices.insert(mesh.vertices.end(), layer.begin(), layer.end());
  }
  const int low = static_cast<int>(mesh.vertices.size()), high = low + 1;
  mesh.vertices.emplace_back(0.0, 0.0, layers.front().front().z());
  mesh.vertices.emplace_back(0.0, 0.0, layers.back().front().z());
  for (int k = 0; k < n; ++k) {
    const int next = (k + 1) % n;
    mesh.triangles.push_back({low, next, k});
    mesh.triangles.push_back({high, last * n + k, last * n + next});
    for (int layer = 0; layer < last; ++layer) {
      const int here = layer * n, above = here + n;
      mesh.triangles.push_back({here + k, here + next, above + next});
      mesh.triangles.push_back({here + k, above + next, above + k});
    }
  }
  return mesh;
}

/// Makes a gear, or with a twist [rad] a screw: teeth between two radii, and a height.
inline TriangleMesh gear(int teeth, double inner, double outer, double height, double twist,
                         int num_layers) {
  std::vector<std::vector<Eigen::Vector3d>> layers;
  for (int layer = 0; layer <= num_layers; ++layer) {
    const double share = static_cast<double>(layer) / num_layers;
    layers.emplace_back();
    for (int k = 0; k < 4 * teeth; ++k) {
      const double angle = 2.0 * 3.14159265358979323846 * k / (4 * teeth) + share * twist;
      const double r = k % 4 < 2 ? outer : inner;
      layers.back().emplace_back(r * std::cos(angle), r * std::sin(angle), (share - 0.5) * height);
    }
  }
  return loft(layers);
}

/// Moves each vertex towards or away from the origin by a share of its distance of at most `depth`.
inline TriangleMesh dented(Dice& dice, TriangleMesh mesh, double depth) {
  for (Eigen::Vector3d& v : mesh.vertices) v *= 1.0 + dice.uniform(-depth, depth);
  return mesh;
}

/// Returns closed meshes of radius one or so: convex, dented, hollow, of several parts, and such
/// as can interlock.
inline std::vector<NamedMesh> mesh_zoo(Dice& dice) {
  const TriangleMesh ball = ball_mesh(5);
  const TriangleMesh U =
      prism({{0, 0}, {3, 0}, {3, 2}, {2, 2}, {2, 1}, {1, 1}, {1, 2}, {0, 2}},
            {{0, 1, 4}, {0, 4, 5}, {1, 2, 3}, {1, 3, 4}, {0, 5, 6}, {0, 6, 7}}, 1.0);
  return {
      {"ball", ball},
      {"box", box_mesh({1.2, 0.8, 0.5})},
      {"slightly dented ball", dented(dice, ball, 1e-3)},
      {"dented ball", dented(dice, ball, 0.1)},
      {"star", dented(dice, ball, 0.5)},
      {"hollow ball", both(ball, inverted(moved(ball, Pose{}, 0.8)))},
      {"two balls", both(moved(ball, at(0.6, 0, 0), 0.4), moved(ball, at(-0.6, 0.1, 0), 0.5))},
      {"L", moved(l_mesh(0.5), at(-0.5, -0.5, -0.25), 0.7)},
      {"U", moved(U, at(-0.75, -0.5, -0.25), 0.5)},
      {"torus", torus(0.8, 0.2, 12, 6)},
      {"thin ring", torus(0.95, 0.04, 14, 4)},
      {"tube", revolved({{0.6, -1}, {0.8, -1}, {0.8, 1}, {0.6, 1}}, 10)},
      {"cup",
       revolved({{1e-3, -0.6}, {1.0, -0.6}, {1.0, 0.6}, {0.9, 0.6}, {0.9, -0.5}, {1e-3, -0.5}}, 9)},
      {"gear", gear(8, 0.7, 1.0, 0.3, 0.0, 1)},
      {"screw", gear(3, 0.25, 0.4, 1.8, 3.0, 8)},
      {"plate", box_mesh({1.6, 1.6, 0.02})},
      {"rod", box_mesh({0.1, 0.1, 2.0})},
  };
}

}  // namespace amontons::test

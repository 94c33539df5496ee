#pragma once

#include "amontons/geometry/shapes/collision_mesh.h"
#include "amontons/geometry/shapes/convex_polyhedron.h"
#include "tests/geometry/shape_fixtures.h"

#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace amontons::test {

inline Shape mesh_shape(TriangleMesh mesh) {
  return std::make_shared<const CollisionMesh>(std::move(mesh));
}

/// Makes a box as twelve triangles.
inline TriangleMesh box_mesh(const Eigen::Vector3d& size) {
  return triangulate(*std::get<std::shared_ptr<const ConvexPolyhedron>>(box_hull(size)));
}

/// Makes a prism over a simple polygon (counterclockwise, x and y) along z from 0 to `height`. Its
/// caps are given as triangles of the polygon's corners.
inline TriangleMesh prism(const std::vector<Eigen::Vector2d>& polygon,
                          const std::vector<std::array<int, 3>>& caps, double height) {
  TriangleMesh mesh;
  const int n = static_cast<int>(polygon.size());
  for (const double z : {0.0, height}) {
    for (const Eigen::Vector2d& p : polygon) mesh.vertices.emplace_back(p.x(), p.y(), z);
  }
  for (const auto& [a, b, c] : caps) {
    mesh.triangles.push_back({a, c, b});
    mesh.triangles.push_back({a + n, b + n, c + n});
  }
  for (int k = 0; k < n; ++k) {
    const int next = (k + 1) % n;
    mesh.triangles.push_back({k, next, next + n});
    mesh.triangles.push_back({k, next + n, k + n});
  }
  return mesh;
}

/// Makes an L of the given height: [0, 2] x [0, 1] and [0, 1] x [0, 2].
inline TriangleMesh l_mesh(double height) {
  return prism({{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}},
               {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}}, height);
}

/// Makes a ball of radius 1: `rings` parallels of 2 `rings` corners, and two poles.
inline TriangleMesh ball_mesh(int rings) {
  TriangleMesh mesh;
  const int n = 2 * rings;
  const double step = 3.14159265358979323846 / rings;  // in both angles
  const auto corner = [n](int ring, int k) { return ring * n + (k + n) % n; };
  for (int ring = 0; ring < rings; ++ring) {
    const double polar = (ring + 0.5) * step;
    for (int k = 0; k < n; ++k) {
      mesh.vertices.emplace_back(std::sin(polar) * std::cos(k * step),
                                 std::sin(polar) * std::sin(k * step), std::cos(polar));
    }
  }
  const int north = rings * n, south = north + 1;
  mesh.vertices.emplace_back(0.0, 0.0, 1.0);
  mesh.vertices.emplace_back(0.0, 0.0, -1.0);
  for (int k = 0; k < n; ++k) {
    mesh.triangles.push_back({north, corner(0, k), corner(0, k + 1)});
    mesh.triangles.push_back({south, corner(rings - 1, k + 1), corner(rings - 1, k)});
    for (int ring = 0; ring + 1 < rings; ++ring) {
      mesh.triangles.push_back({corner(ring, k), corner(ring + 1, k), corner(ring + 1, k + 1)});
      mesh.triangles.push_back({corner(ring, k), corner(ring + 1, k + 1), corner(ring, k + 1)});
    }
  }
  return mesh;
}

/// Makes the surface of revolution about z of a closed profile (r, z), r > 0, counterclockwise with
/// r to the right.
inline TriangleMesh revolved(const std::vector<Eigen::Vector2d>& profile, int segments) {
  TriangleMesh mesh;
  const int n = static_cast<int>(profile.size());
  for (int s = 0; s < segments; ++s) {
    const double angle = 2.0 * 3.14159265358979323846 * s / segments;
    for (const Eigen::Vector2d& p : profile) {
      mesh.vertices.emplace_back(p.x() * std::cos(angle), p.x() * std::sin(angle), p.y());
    }
  }
  for (int s = 0; s < segments; ++s) {
    const int here = s * n, there = (s + 1) % segments * n;
    for (int k = 0; k < n; ++k) {
      const int next = (k + 1) % n;
      mesh.triangles.push_back({here + k, there + k, there + next});
      mesh.triangles.push_back({here + k, there + next, here + next});
    }
  }
  return mesh;
}

inline TriangleMesh torus(double major, double minor, int around, int across) {
  std::vector<Eigen::Vector2d> profile;
  for (int k = 0; k < across; ++k) {
    const double angle = 2.0 * 3.14159265358979323846 * k / across;
    profile.emplace_back(major + minor * std::cos(angle), minor * std::sin(angle));
  }
  return revolved(profile, around);
}

/// Makes a rectangle of the x-y plane, [-half, half]^2, cut into triangles at random. It is a grid
/// whose inner vertices are displaced, some until slivers are left, and whose diagonals are drawn.
inline TriangleMesh random_flat_sheet(Dice& dice, int cells, double half) {
  TriangleMesh mesh;
  const double step = 2.0 * half / cells;
  for (int i = 0; i <= cells; ++i) {
    for (int j = 0; j <= cells; ++j) {
      double x = -half + i * step, y = -half + j * step;
      const bool inner = i > 0 && j > 0 && i < cells && j < cells;
      const double reach = dice.index(4) == 0 ? 0.4999 : 0.3;
      if (inner) x += step * reach * (dice.index(2) == 0 ? 1.0 : dice.uniform(-1.0, 1.0));
      if (inner) y += step * reach * (dice.index(2) == 0 ? -1.0 : dice.uniform(-1.0, 1.0));
      mesh.vertices.emplace_back(x, y, 0.0);
    }
  }
  const auto area = [&](const std::array<int, 3>& t) {
    const auto p = [&](int k) {
      return mesh.vertices[static_cast<std::size_t>(t[static_cast<std::size_t>(k)])];
    };
    return (p(1) - p(0)).cross(p(2) - p(0)).z();
  };
  for (int i = 0; i < cells; ++i) {
    for (int j = 0; j < cells; ++j) {
      const int a = i * (cells + 1) + j, b = a + cells + 1, c = b + 1, d = a + 1;
      const std::array<std::array<int, 3>, 2> one{{{a, b, c}, {a, c, d}}},
          other{{{a, b, d}, {b, c, d}}};
      const bool can_one = area(one[0]) > 0.0 && area(one[1]) > 0.0;
      const bool can_other = area(other[0]) > 0.0 && area(other[1]) > 0.0;
      const bool take_one = can_one && (!can_other || dice.index(2) == 0);
      for (const auto& t : take_one ? one : other) mesh.triangles.push_back(t);
    }
  }
  return mesh;
}

}  // namespace amontons::test

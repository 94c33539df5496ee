#include "amontons/io/mjcf/mjcf_builtin_mesh.h"

#include "amontons/io/common/parse_number.h"
#include "amontons/math/elementary.h"

#include <cmath>
#include <map>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

// Meshes by parameters, as MuJoCo's documentation defines them ("XML Reference", mesh/builtin).

namespace amontons::io {
namespace {

using Eigen::Vector3d;

/// Returns sgn(x) |x|^e, with the rounding of a zero removed.
double signed_power(double x, double e) {
  const double size = std::abs(x);
  if (size < 1e-14) return 0.0;
  const double power = e == 0.0 ? 1.0 : elementary::pow(size, e);
  return x < 0.0 ? -power : power;
}

/// Returns the point of a superellipse at an angle.
Eigen::Vector2d superellipse(double angle, double e) {
  return {signed_power(elementary::cos(angle), e), signed_power(elementary::sin(angle), e)};
}

/// Adds the two triangles of a quadrangle, its corners counterclockwise seen from outside.
void add_quadrangle(TriangleMesh& mesh, int a, int b, int c, int d) {
  mesh.triangles.push_back({a, b, c});
  mesh.triangles.push_back({a, c, d});
}

/// Returns the icosahedron whose triangles are cut into four, several times.
TriangleMesh sphere(int subdivisions) {
  const double g = std::numbers::phi;
  TriangleMesh mesh;
  for (const Vector3d& v :
       {Vector3d(-1, g, 0), Vector3d(1, g, 0), Vector3d(-1, -g, 0), Vector3d(1, -g, 0),
        Vector3d(0, -1, g), Vector3d(0, 1, g), Vector3d(0, -1, -g), Vector3d(0, 1, -g),
        Vector3d(g, 0, -1), Vector3d(g, 0, 1), Vector3d(-g, 0, -1), Vector3d(-g, 0, 1)}) {
    mesh.vertices.push_back(v.normalized());
  }
  mesh.triangles = {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                    {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                    {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                    {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};
  for (int k = 0; k < subdivisions; ++k) {
    std::map<std::pair<int, int>, int> middles;
    const auto middle = [&](int a, int b) {
      const auto [it, is_new] =
          middles.emplace(std::minmax(a, b), static_cast<int>(mesh.vertices.size()));
      if (is_new) {
        const Vector3d sum =
            mesh.vertices[static_cast<std::size_t>(a)] + mesh.vertices[static_cast<std::size_t>(b)];
        mesh.vertices.push_back(sum.normalized());
      }
      return it->second;
    };
    std::vector<std::array<int, 3>> finer;
    for (const auto& [a, b, c] : mesh.triangles) {
      const int ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
      finer.insert(finer.end(), {{a, ab, ca}, {b, bc, ab}, {c, ca, bc}, {ab, bc, ca}});
    }
    mesh.triangles = std::move(finer);
  }
  return mesh;
}

/// Returns the surface between the rings of a solid about z, from the lowest to the highest, and
/// the points that close it below and above.
TriangleMesh surface_of_rings(const std::vector<std::vector<Vector3d>>& rings, double bottom,
                              double top) {
  TriangleMesh mesh;
  for (const auto& ring : rings) {
    mesh.vertices.insert(mesh.vertices.end(), ring.begin(), ring.end());
  }
  const int n = static_cast<int>(rings.front().size()), last = static_cast<int>(rings.size()) - 1;
  const int low = static_cast<int>(mesh.vertices.size()), high = low + 1;
  mesh.vertices.emplace_back(0.0, 0.0, bottom);
  mesh.vertices.emplace_back(0.0, 0.0, top);
  for (int i = 0; i < n; ++i) {
    const int next = (i + 1) % n;
    mesh.triangles.push_back({low, next, i});
    mesh.triangles.push_back({high, last * n + i, last * n + next});
    for (int r = 0; r < last; ++r) {
      add_quadrangle(mesh, r * n + i, r * n + next, (r + 1) * n + next, (r + 1) * n + i);
    }
  }
  return mesh;
}

/// Returns a prism, pyramid or frustum over a regular polygon, from z = -1 to 1.
TriangleMesh cone(int n, double radius) {
  std::vector<std::vector<Vector3d>> rings(radius > 0.0 ? 2 : 1);
  for (int i = 0; i < n; ++i) {
    const double angle = 2.0 * std::numbers::pi * i / n;
    const double x = elementary::cos(angle), y = elementary::sin(angle);
    rings[0].emplace_back(x, y, -1.0);
    if (radius > 0.0) rings[1].emplace_back(radius * x, radius * y, 1.0);
  }
  return surface_of_rings(rings, -1.0, 1.0);
}

/// Returns a superellipsoid with the exponents `e` along its parallels and `n` along meridians.
TriangleMesh supersphere(int resolution, double e, double n) {
  std::vector<std::vector<Vector3d>> rings;
  for (int r = 1; r < resolution; ++r) {
    const Eigen::Vector2d meridian =
        superellipse(std::numbers::pi * (static_cast<double>(r) / resolution - 0.5), n);
    rings.emplace_back();
    for (int i = 0; i < resolution; ++i) {
      const Eigen::Vector2d p =
          meridian.x() * superellipse(2.0 * std::numbers::pi * i / resolution, e);
      rings.back().emplace_back(p.x(), p.y(), meridian.y());
    }
  }
  return surface_of_rings(rings, -1.0, 1.0);
}

/// Returns a supertoroid of major radius 1, with the exponents `s` of its sections and `t` of the
/// ring.
TriangleMesh supertorus(int n, double radius, double s, double t) {
  TriangleMesh mesh;
  for (int i = 0; i < n; ++i) {
    const Eigen::Vector2d ring = superellipse(2.0 * std::numbers::pi * i / n, t);
    for (int k = 0; k < n; ++k) {
      const Eigen::Vector2d section = radius * superellipse(2.0 * std::numbers::pi * k / n, s);
      const double reach = 1.0 + section.x();
      mesh.vertices.emplace_back(reach * ring.x(), reach * ring.y(), section.y());
    }
  }
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < n; ++k) {
      const int i1 = (i + 1) % n, k1 = (k + 1) % n;
      add_quadrangle(mesh, i * n + k, i1 * n + k, i1 * n + k1, i * n + k1);
    }
  }
  return mesh;
}

/// Refuses a parameter out of its range.
void check_range(const MjcfElement& mesh, double value, double least, double most) {
  if (value >= least && value <= most) return;
  mesh.fail("params", "has " + shortest_text(value) + " where " + shortest_text(least) + " to " +
                          shortest_text(most) + " may be");
}

}  // namespace

TriangleMesh make_builtin_mesh(const MjcfElement& mesh) {
  constexpr int kFinest = 300;        // bounds time and memory: 180,000 triangles
  constexpr double kLargest = 100.0;  // an exponent of a shape that is a needle
  const std::string kind = mesh.text("builtin");
  const std::size_t count = kind == "sphere"        ? 1
                            : kind == "cone"        ? 2
                            : kind == "supersphere" ? 3
                            : kind == "supertorus"  ? 4
                                                    : 0;
  if (count == 0) {
    mesh.word("builtin", {"hemisphere", "wedge", "plate"}, "");
    mesh.note("builtin", ImportFate::Refused,
              "a mesh of this kind is not made here: nothing is there to collide");
    return {};
  }
  if (!mesh.has("params")) mesh.fail("needs the attribute 'params'");
  const std::vector<double> p = mesh.numbers("params", count, count);
  if (kind == "sphere") check_range(mesh, p[0], 0.0, 4.0);
  if (kind != "sphere") check_range(mesh, p[0], 3.0, kFinest);
  if (p[0] != std::floor(p[0])) mesh.fail("params", "must begin with an integer");
  const int n = static_cast<int>(p[0]);
  if (kind == "sphere") return sphere(n);
  if (kind == "cone" || kind == "supertorus") check_range(mesh, p[1], 0.0, 1.0);
  if (kind == "cone") return cone(n, p[1]);
  for (std::size_t i = count - 2; i < count; ++i) check_range(mesh, p[i], 0.0, kLargest);
  return kind == "supersphere" ? supersphere(n, p[1], p[2]) : supertorus(n, p[1], p[2], p[3]);
}

}  // namespace amontons::io

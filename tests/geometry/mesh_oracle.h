#pragma once

// An independent answer, by brute force over all triangles, to where two closed meshes are.
#include "amontons/geometry/shapes/mass_properties.h"
#include "amontons/math/pose.h"

#include <Eigen/Dense>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace amontons::test {

using Corners = std::array<Eigen::Vector3d, 3>;

/// Returns the triangles of a mesh at a pose.
inline std::vector<Corners> corners_of(const TriangleMesh& mesh, const Pose& X) {
  std::vector<Corners> corners;
  for (const auto& [a, b, c] : mesh.triangles) {
    const auto at = [&](int v) -> Eigen::Vector3d {
      return X * mesh.vertices[static_cast<std::size_t>(v)];
    };
    corners.push_back({at(a), at(b), at(c)});
  }
  return corners;
}

/// Returns the winding number of a mesh about a point: the solid angles of its triangles over
/// 4 pi [van Oosterom, Strackee 1983].
inline double winding_by_solid_angles(const std::vector<Corners>& mesh, const Eigen::Vector3d& x) {
  double sum = 0.0;
  for (const Corners& t : mesh) {
    const Eigen::Vector3d a = t[0] - x, b = t[1] - x, c = t[2] - x;
    const double A = a.norm(), B = b.norm(), C = c.norm();
    sum +=
        2.0 * std::atan2(a.dot(b.cross(c)), A * B * C + a.dot(b) * C + b.dot(c) * A + c.dot(a) * B);
  }
  return sum / (4.0 * 3.14159265358979323846);
}

/// Returns the squared distance of a point from a triangle: the least of that to its plane, if the
/// foot is inside, and to its sides.
inline double squared_distance(const Eigen::Vector3d& x, const Corners& t) {
  const Eigen::Vector3d n = (t[1] - t[0]).cross(t[2] - t[0]);
  double least = std::numeric_limits<double>::infinity();
  bool inside = n.squaredNorm() > 0.0;
  for (std::size_t k = 0; k < 3; ++k) {
    const Eigen::Vector3d along = t[(k + 1) % 3] - t[k], to = x - t[k];
    const double s = std::clamp(along.dot(to) / along.squaredNorm(), 0.0, 1.0);
    least = std::min(least, (to - s * along).squaredNorm());
    inside = inside && n.dot(along.cross(to)) >= 0.0;
  }
  const double height = n.dot(x - t[0]);
  return inside ? std::min(least, height * height / n.squaredNorm()) : least;
}

/// Returns the squared distance of two segments: it is convex in both parameters, so that it is
/// least at an inner point of both, or at an end of one.
inline double squared_distance(const Eigen::Vector3d& p, const Eigen::Vector3d& u,
                               const Eigen::Vector3d& q, const Eigen::Vector3d& v) {
  const auto to_point = [](const Eigen::Vector3d& x, const Eigen::Vector3d& tail,
                           const Eigen::Vector3d& along) {
    const double s = std::clamp(along.dot(x - tail) / along.squaredNorm(), 0.0, 1.0);
    return (x - tail - s * along).squaredNorm();
  };
  double least = std::min(
      {to_point(p, q, v), to_point(p + u, q, v), to_point(q, p, u), to_point(q + v, p, u)});
  Eigen::Matrix2d H;
  H << u.dot(u), -u.dot(v), -u.dot(v), v.dot(v);
  if (!(H.determinant() > 1e-14 * H(0, 0) * H(1, 1))) return least;
  const Eigen::Vector2d x = H.inverse() * Eigen::Vector2d(u.dot(q - p), -v.dot(q - p));
  if (x.minCoeff() < 0.0 || x.maxCoeff() > 1.0) return least;
  return std::min(least, (p + x(0) * u - q - x(1) * v).squaredNorm());
}

/// Returns true if a side of one triangle runs through the other.
inline bool pierces(const Corners& a, const Corners& b) {
  const Eigen::Vector3d n = (b[1] - b[0]).cross(b[2] - b[0]);
  for (std::size_t k = 0; k < 3; ++k) {
    const Eigen::Vector3d p = a[k], q = a[(k + 1) % 3];
    const double from = n.dot(p - b[0]), to = n.dot(q - b[0]);
    if (from * to >= 0.0) continue;
    const Eigen::Vector3d x = p + from / (from - to) * (q - p);
    bool inside = true;
    for (std::size_t j = 0; j < 3; ++j) {
      inside = inside && n.dot((b[(j + 1) % 3] - b[j]).cross(x - b[j])) >= 0.0;
    }
    if (inside) return true;
  }
  return false;
}

/// Says where two closed meshes are.
struct MeshRelation {
  bool cross = false;     ///< their surfaces cross
  bool nested = false;    ///< a part of one is inside the other, and the surfaces do not cross
  double distance = 0.0;  ///< of the surfaces, where they do not cross [m]

  bool overlap() const { return cross || nested; }
};

/// Returns where two closed meshes are.
inline MeshRelation relation(const std::vector<Corners>& A, const std::vector<Corners>& B) {
  MeshRelation found;
  double least = std::numeric_limits<double>::infinity();
  for (const Corners& a : A) {
    for (const Corners& b : B) {
      const Eigen::Vector3d low = a[0].cwiseMin(a[1]).cwiseMin(a[2]);
      const Eigen::Vector3d high = a[0].cwiseMax(a[1]).cwiseMax(a[2]);
      const Eigen::Vector3d gap = (low - b[0].cwiseMax(b[1]).cwiseMax(b[2]))
                                      .cwiseMax(b[0].cwiseMin(b[1]).cwiseMin(b[2]) - high)
                                      .cwiseMax(0.0);
      if (gap.squaredNorm() > least) continue;
      if (pierces(a, b) || pierces(b, a)) return {true, false, 0.0};
      for (std::size_t i = 0; i < 3; ++i) {
        least = std::min({least, squared_distance(a[i], b), squared_distance(b[i], a)});
        for (std::size_t j = 0; j < 3; ++j) {
          least = std::min(
              least, squared_distance(a[i], a[(i + 1) % 3] - a[i], b[j], b[(j + 1) % 3] - b[j]));
        }
      }
    }
  }
  found.distance = std::sqrt(least);
  // Where the surfaces do not cross, each part is wholly inside or wholly outside the other mesh.
  const auto any_inside = [](const std::vector<Corners>& inner, const std::vector<Corners>& outer) {
    return std::any_of(inner.begin(), inner.end(), [&](const Corners& t) {
      return winding_by_solid_angles(outer, t[0]) > 0.5;
    });
  };
  found.nested = any_inside(A, B) || any_inside(B, A);
  return found;
}

}  // namespace amontons::test

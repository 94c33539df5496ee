#include "amontons/geometry/surface/mesh_crossing.h"

#include "amontons/geometry/shapes/triangle_distance.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace amontons::narrow_phase {
namespace {

using Eigen::Vector3d;

/// Holds two points on the line of two planes, in its direction.
struct Chord {
  Vector3d enter, leave;
};

/// Returns the heights of the corners of a triangle over a plane, times the length of its normal.
std::array<double, 3> heights_over(const Triangle& triangle, const Vector3d& normal,
                                   const Vector3d& point) {
  return {normal.dot(triangle[0] - point), normal.dot(triangle[1] - point),
          normal.dot(triangle[2] - point)};
}

/// Returns true if corners are on both sides of a plane. One in the plane counts as in front of it.
bool is_cut(const std::array<double, 3>& height) {
  return (height[0] < 0.0) != (height[1] < 0.0) || (height[1] < 0.0) != (height[2] < 0.0);
}

/// Returns the points in which the sides of a triangle that is cut cross a plane.
Chord chord_in_plane(const Triangle& triangle, const std::array<double, 3>& height,
                     const Vector3d& along) {
  std::array<Vector3d, 2> found;
  std::size_t count = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const std::size_t next = (k + 1) % 3;
    if ((height[k] < 0.0) == (height[next] < 0.0)) continue;
    const double share = height[k] / (height[k] - height[next]);
    found[count++] = triangle[k] + share * (triangle[next] - triangle[k]);
  }
  if (along.dot(found[1] - found[0]) < 0.0) std::swap(found[0], found[1]);
  return {found[0], found[1]};
}

/// Returns the common part of two triangles that cross.
std::optional<Chord> common_chord(const Triangle& A, const Triangle& B) {
  // Most pairs are told apart by one plane.
  const Vector3d n_A = (A[1] - A[0]).cross(A[2] - A[0]);
  const std::array<double, 3> height_B = heights_over(B, n_A, A[0]);
  if (!is_cut(height_B)) return std::nullopt;
  const Vector3d n_B = (B[1] - B[0]).cross(B[2] - B[0]);
  const std::array<double, 3> height_A = heights_over(A, n_B, B[0]);
  if (!is_cut(height_A)) return std::nullopt;
  const Vector3d along = n_A.cross(n_B);
  const Chord of_A = chord_in_plane(A, height_A, along), of_B = chord_in_plane(B, height_B, along);
  // Both lie on one line; their common part begins where the later one does.
  const Vector3d tail = along.dot(of_B.enter - of_A.enter) > 0.0 ? of_B.enter : of_A.enter;
  const Vector3d head = along.dot(of_B.leave - of_A.leave) < 0.0 ? of_B.leave : of_A.leave;
  if (!(along.dot(head - tail) > 0.0)) return std::nullopt;
  return Chord{tail, head};
}

}  // namespace

std::vector<Crossing> find_crossings(const CollisionMesh& A, const CollisionMesh& B,
                                     const Pose& X_AB) {
  std::vector<Crossing> crossings;
  // Pairs with one triangle of B follow each other.
  int last = -1;
  Triangle theirs;
  A.features().visit_overlaps(B.features(), X_AB, [&](int a, int b) {
    if (b != last) {
      last = b;
      theirs = B.triangle(b);
      for (Vector3d& corner : theirs) corner = X_AB * corner;
    }
    if (const auto chord = common_chord(A.triangle(a), theirs)) {
      crossings.push_back({a, b, chord->enter, chord->leave});
    }
  });
  std::sort(crossings.begin(), crossings.end(), [](const Crossing& x, const Crossing& y) {
    return std::pair(x.a, x.b) < std::pair(y.a, y.b);
  });
  return crossings;
}

}  // namespace amontons::narrow_phase

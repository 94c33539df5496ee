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

/// Returns the points in which the sides of a triangle cross a plane; nothing if it is on one side.
/// A corner in the plane counts as in front of it.
std::optional<Chord> chord_in_plane(const Triangle& triangle, const Vector3d& normal,
                                    const Vector3d& point, const Vector3d& along) {
  std::array<double, 3> height{};
  for (std::size_t k = 0; k < 3; ++k) height[k] = normal.dot(triangle[k] - point);
  std::array<Vector3d, 2> found;
  std::size_t count = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const std::size_t next = (k + 1) % 3;
    if ((height[k] < 0.0) == (height[next] < 0.0)) continue;
    const double share = height[k] / (height[k] - height[next]);
    found[count++] = triangle[k] + share * (triangle[next] - triangle[k]);
  }
  if (count < 2) return std::nullopt;
  if (along.dot(found[1] - found[0]) < 0.0) std::swap(found[0], found[1]);
  return Chord{found[0], found[1]};
}

/// Returns the common part of two triangles that cross.
std::optional<Chord> common_chord(const Triangle& A, const Triangle& B) {
  const Vector3d n_A = (A[1] - A[0]).cross(A[2] - A[0]), n_B = (B[1] - B[0]).cross(B[2] - B[0]);
  const Vector3d along = n_A.cross(n_B);
  const auto of_B = chord_in_plane(B, n_A, A[0], along);
  if (!of_B) return std::nullopt;
  const auto of_A = chord_in_plane(A, n_B, B[0], along);
  if (!of_A) return std::nullopt;
  // Both lie on one line; their common part begins where the later one does.
  const Vector3d tail = along.dot(of_B->enter - of_A->enter) > 0.0 ? of_B->enter : of_A->enter;
  const Vector3d head = along.dot(of_B->leave - of_A->leave) < 0.0 ? of_B->leave : of_A->leave;
  if (!(along.dot(head - tail) > 0.0)) return std::nullopt;
  return Chord{tail, head};
}

}  // namespace

std::vector<Crossing> find_crossings(const CollisionMesh& A, const CollisionMesh& B,
                                     const Pose& X_AB) {
  std::vector<Crossing> crossings;
  A.features().visit_overlaps(B.features(), X_AB, [&](int a, int b) {
    Triangle theirs = B.triangle(b);
    for (Vector3d& corner : theirs) corner = X_AB * corner;
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

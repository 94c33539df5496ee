#include "amontons/geometry/convex/box_axes.h"

#include <Eigen/Geometry>

#include <cmath>
#include <limits>

namespace amontons::narrow_phase {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

// Edges closer to parallel than this have no useful common normal: sine squared [-].
constexpr double kParallelSineSquared = 1e-18;

/// Keeps the axis with the largest gap; the first one found when rounding decides.
class Search {
 public:
  explicit Search(double size) : tie_(4.0 * std::numeric_limits<double>::epsilon() * size) {}

  /// Returns true if a gap [m] beats the best by more than rounding.
  /// @param sine  sine of the angle between the edges: rounding grows as they become parallel.
  bool is_better(double distance, double sine) const {
    return distance > best_.distance + tie_ / sine;
  }
  void offer(double distance, const Vector3d& normal, BoxAxes::Kind kind, int axis_A, int axis_B,
             double sine = 1.0) {
    if (is_better(distance, sine)) best_ = {distance, normal, kind, axis_A, axis_B};
  }
  const BoxAxes& best() const { return best_; }

 private:
  BoxAxes best_{-std::numeric_limits<double>::infinity(), Vector3d::UnitZ(), BoxAxes::Kind::FaceOfA,
                0, 0};
  double tie_;
};

/// Returns the first axis of edges. A segment has one edge, along z, and no faces: axes of its
/// edges start at 2, not at 0.
int first_edge_axis(const ConvexCore& core) { return core.type == CoreType::Segment ? 2 : 0; }
int num_face_axes(const ConvexCore& core) { return core.type == CoreType::Segment ? 0 : 3; }

/// Returns the middle of the edge of direction `axis` that supports the core along n.
Vector3d edge_middle(const ConvexCore& core, int axis, const Vector3d& n) {
  Vector3d corner = support_G(core, core.R.transpose() * n);
  corner[axis] = 0.0;
  return core.R * corner + core.p;
}

}  // namespace

BoxAxes find_box_axis(const CorePair& pair) {
  const ConvexCore& A = pair.A;
  const ConvexCore& B = pair.B;
  // C holds the cosines between the axes of both boxes; half-length projections follow from |C|.
  const Matrix3d C = A.R.transpose() * B.R;
  const Matrix3d abs_C = C.cwiseAbs();
  const Vector3d offset = B.p - A.p;
  const Vector3d offset_A = A.R.transpose() * offset;
  const Vector3d offset_B = B.R.transpose() * offset;
  const Vector3d reach_A = A.half + abs_C * B.half;              // along A's axes
  const Vector3d reach_B = B.half + abs_C.transpose() * A.half;  // along B's axes

  Search search(pair.size());
  // Faces: gap = |offset along the normal| - reach of both boxes along it.
  for (int i = 0; i < num_face_axes(A); ++i) {
    const double sign = offset_A[i] < 0.0 ? -1.0 : 1.0;
    search.offer(std::abs(offset_A[i]) - reach_A[i], sign * A.R.col(i), BoxAxes::Kind::FaceOfA, i,
                 i);
  }
  for (int j = 0; j < num_face_axes(B); ++j) {
    const double sign = offset_B[j] < 0.0 ? -1.0 : 1.0;
    search.offer(std::abs(offset_B[j]) - reach_B[j], sign * B.R.col(j), BoxAxes::Kind::FaceOfB, j,
                 j);
  }
  // Edges: the axis a_i x b_j, whose components in the frames of A and B are entries of C.
  for (int i = first_edge_axis(A); i < 3; ++i) {
    const int i1 = (i + 1) % 3;
    const int i2 = (i + 2) % 3;
    for (int j = first_edge_axis(B); j < 3; ++j) {
      const int j1 = (j + 1) % 3;
      const int j2 = (j + 2) % 3;
      const double sine_squared = C(i1, j) * C(i1, j) + C(i2, j) * C(i2, j);
      if (sine_squared < kParallelSineSquared) continue;
      const double along = offset_A[i2] * C(i1, j) - offset_A[i1] * C(i2, j);
      const double reach = A.half[i1] * abs_C(i2, j) + A.half[i2] * abs_C(i1, j) +
                           B.half[j1] * abs_C(i, j2) + B.half[j2] * abs_C(i, j1);
      const double sine = std::sqrt(sine_squared);
      const double distance = (std::abs(along) - reach) / sine;
      if (!search.is_better(distance, sine)) continue;
      const Vector3d axis = (along < 0.0 ? -1.0 : 1.0) * A.R.col(i).cross(B.R.col(j));
      search.offer(distance, axis.normalized(), BoxAxes::Kind::Edges, i, j, sine);
    }
  }
  return search.best();
}

Separation edge_contact(const CorePair& pair, const BoxAxes& axes) {
  const Vector3d u = pair.A.R.col(axes.axis_A);
  const Vector3d v = pair.B.R.col(axes.axis_B);
  const Vector3d a = edge_middle(pair.A, axes.axis_A, axes.normal);
  const Vector3d b = edge_middle(pair.B, axes.axis_B, -axes.normal);
  // Nearest points of the lines a + s u and b + t v, from (b + t v - a - s u) normal to u and v.
  const Vector3d w = b - a;
  const double sine_squared = u.cross(v).squaredNorm();
  const double cosine = u.dot(v);
  const double s = (w.dot(u) - cosine * w.dot(v)) / sine_squared;
  const double t = (cosine * w.dot(u) - w.dot(v)) / sine_squared;
  const double reach_A = pair.A.half[axes.axis_A];
  const double reach_B = pair.B.half[axes.axis_B];
  Separation result;
  result.normal = axes.normal;
  result.a = a + std::clamp(s, -reach_A, reach_A) * u;
  result.b = b + std::clamp(t, -reach_B, reach_B) * v;
  result.distance = axes.normal.dot(result.b - result.a);
  return result;
}

}  // namespace amontons::narrow_phase

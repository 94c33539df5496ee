#include "amontons/geometry/shapes/triangle_distance.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <limits>

namespace amontons {
namespace {

using Eigen::Vector3d;

/// Holds the ends of a segment [m].
struct Segment {
  Vector3d tail, head;
};

/// Returns the side of a triangle from corner k to the next.
Segment edge(const Triangle& triangle, std::size_t k) {
  return {triangle[k], triangle[(k + 1) % 3]};
}

/// Clamps a parameter to [0, 1].
double within(double x) { return std::clamp(x, 0.0, 1.0); }

/// Returns nearest points of two segments [Ericson 2005, sec. 5.1.9]. Parallel segments have many;
/// any of them is returned.
std::array<Vector3d, 2> nearest_in_segments(const Segment& A, const Segment& B) {
  const Vector3d u = A.head - A.tail, v = B.head - B.tail, w = A.tail - B.tail;
  const double uu = u.squaredNorm(), vv = v.squaredNorm(), uv = u.dot(v);
  const double uw = u.dot(w), vw = v.dot(w);
  // Nearest points of the lines solve [uu -uv; uv -vv] (s, t) = (-uw, -vw); s is clamped first.
  const double determinant = uu * vv - uv * uv;
  double s = determinant > 0.0 ? within((uv * vw - uw * vv) / determinant) : 0.0;
  double t = vv > 0.0 ? (uv * s + vw) / vv : 0.0;
  // Where t leaves its segment it is clamped, and s becomes the point nearest to that end.
  if (t < 0.0 || t > 1.0 || !(vv > 0.0)) {
    t = within(t);
    s = uu > 0.0 ? within((uv * t - uw) / uu) : 0.0;
  }
  return {A.tail + s * u, B.tail + t * v};
}

/// Keeps the nearest of the pairs of points offered to it; the first of several equal ones.
class Search {
 public:
  void offer(const Vector3d& a, const Vector3d& b) {
    const double squared = (b - a).squaredNorm();
    if (squared < best_.squared_distance) best_ = {a, b, squared};
  }
  const NearestInTriangles& best() const { return best_; }

 private:
  NearestInTriangles best_{{}, {}, std::numeric_limits<double>::infinity()};
};

/// Returns true if an edge crosses the plane of a triangle, and finds where.
bool crosses_plane(const Segment& segment, const Triangle& triangle, Vector3d& crossing) {
  const Vector3d normal = (triangle[1] - triangle[0]).cross(triangle[2] - triangle[0]);
  const double from = normal.dot(segment.tail - triangle[0]);
  const double to = normal.dot(segment.head - triangle[0]);
  if (!(from * to < 0.0)) return false;
  crossing = segment.tail + from / (from - to) * (segment.head - segment.tail);
  return true;
}

}  // namespace

Vector3d nearest_in_triangle(const Triangle& triangle, const Vector3d& p) {
  const auto& [a, b, c] = triangle;
  const Vector3d ab = b - a, ac = c - a;
  const double d1 = ab.dot(p - a), d2 = ac.dot(p - a);
  // Regions of the corners: p lies behind both edges of the corner.
  if (d1 <= 0.0 && d2 <= 0.0) return a;
  const double d3 = ab.dot(p - b), d4 = ac.dot(p - b);
  if (d3 >= 0.0 && d4 <= d3) return b;
  const double d5 = ab.dot(p - c), d6 = ac.dot(p - c);
  if (d6 >= 0.0 && d5 <= d6) return c;
  // Regions of the edges: va, vb, vc are barycentric weights of the projection, times the area
  // twice.
  const double vc = d1 * d4 - d3 * d2;
  if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0) return a + d1 / (d1 - d3) * ab;
  const double vb = d5 * d2 - d1 * d6;
  if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0) return a + d2 / (d2 - d6) * ac;
  const double va = d3 * d6 - d5 * d4;
  if (va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0) {
    return b + (d4 - d3) / ((d4 - d3) + (d5 - d6)) * (c - b);
  }
  // Inside: barycentric weights. A triangle without area falls back to a corner.
  const double sum = va + vb + vc;
  if (!(sum > 0.0)) return a;
  return a + vb / sum * ab + vc / sum * ac;
}

NearestInTriangles nearest_in_triangles(const Triangle& A, const Triangle& B) {
  Search search;
  Vector3d crossing;
  for (std::size_t i = 0; i < 3; ++i) {
    search.offer(A[i], nearest_in_triangle(B, A[i]));
    search.offer(nearest_in_triangle(A, B[i]), B[i]);
    for (std::size_t j = 0; j < 3; ++j) {
      const auto [a, b] = nearest_in_segments(edge(A, i), edge(B, j));
      search.offer(a, b);
    }
    if (crosses_plane(edge(A, i), B, crossing)) {
      search.offer(crossing, nearest_in_triangle(B, crossing));
    }
    if (crosses_plane(edge(B, i), A, crossing)) {
      search.offer(nearest_in_triangle(A, crossing), crossing);
    }
  }
  return search.best();
}

}  // namespace amontons

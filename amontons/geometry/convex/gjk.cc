#include "amontons/geometry/convex/gjk.h"

#include "amontons/math/stop.h"

#include <Eigen/Geometry>

#include <cmath>
#include <limits>

namespace amontons::narrow_phase {
namespace {

using Eigen::Vector3d;

// Bounds a search that otherwise ends at the tolerance, or where rounding allows no progress.
constexpr int kMaxIterations = 128;
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

/// Reduces a simplex to some of its points.
void keep(Simplex& simplex, std::initializer_list<int> kept) {
  const std::array<DifferencePoint, 4> points = simplex.points;
  simplex.count = 0;
  for (const int i : kept) {
    simplex.points[static_cast<std::size_t>(simplex.count++)] = points[static_cast<std::size_t>(i)];
  }
}

/// Returns true if both are positive or both negative.
bool same_sign(double a, double b) { return (a > 0.0 && b > 0.0) || (a < 0.0 && b < 0.0); }

/// Returns point i of the difference set.
const Vector3d& w(const Simplex& simplex, int i) {
  return simplex.points[static_cast<std::size_t>(i)].w;
}

/// Reduces a segment to the part nearest to the origin, with t / |edge|^2 along it.
void nearest_on_segment(Simplex& simplex) {
  const Vector3d edge = w(simplex, 1) - w(simplex, 0);
  const double length_squared = edge.squaredNorm();
  const double t = -w(simplex, 0).dot(edge);
  if (t <= 0.0 || length_squared == 0.0) {
    keep(simplex, {0});
    simplex.weights = {1.0, 0.0, 0.0, 0.0};
  } else if (t >= length_squared) {
    keep(simplex, {1});
    simplex.weights = {1.0, 0.0, 0.0, 0.0};
  } else {
    simplex.weights = {1.0 - t / length_squared, t / length_squared, 0.0, 0.0};
  }
}

/// Keeps the best of several sub-simplices.
class Best {
 public:
  void offer(const Simplex& candidate) {
    const double distance = candidate.nearest().w.squaredNorm();
    if (distance < distance_) {
      distance_ = distance;
      simplex_ = candidate;
    }
  }
  const Simplex& simplex() const { return simplex_; }

 private:
  double distance_ = std::numeric_limits<double>::infinity();
  Simplex simplex_;
};

/// Returns the simplex of some points, reduced to the part nearest to the origin.
Simplex sub_simplex(const Simplex& simplex, std::initializer_list<int> kept) {
  Simplex result = simplex;
  keep(result, kept);
  reduce_to_nearest(result);
  return result;
}

/// Reduces a triangle to the part nearest to the origin. The triangle is projected along the axis
/// that leaves it the largest area. The signs of the areas that the origin's foot makes with two
/// corners say where the foot lies.
void nearest_on_triangle(Simplex& simplex) {
  const Vector3d& p = w(simplex, 0);
  const Vector3d& q = w(simplex, 1);
  const Vector3d& r = w(simplex, 2);
  const Vector3d normal = (q - p).cross(r - p);
  const double normal_squared = normal.squaredNorm();
  Best best;
  // Areas of the triangles of the foot and two corners, and of the whole, in the projection.
  if (normal_squared > 0.0) {
    const Vector3d foot = normal * (normal.dot(p) / normal_squared);
    Eigen::Index axis = 0;
    normal.cwiseAbs().maxCoeff(&axis);
    const Eigen::Index x = (axis + 1) % 3;
    const Eigen::Index y = (axis + 2) % 3;
    const auto area = [x, y](const Vector3d& a, const Vector3d& b, const Vector3d& c) {
      return (b[x] - a[x]) * (c[y] - a[y]) - (b[y] - a[y]) * (c[x] - a[x]);
    };
    const double total = normal[axis];
    const std::array<double, 3> parts = {area(foot, q, r), area(foot, r, p), area(foot, p, q)};
    // All signs equal: the foot is inside, with the areas as barycentric weights.
    if (same_sign(total, parts[0]) && same_sign(total, parts[1]) && same_sign(total, parts[2])) {
      const double sum = parts[0] + parts[1] + parts[2];
      simplex.weights = {parts[0] / sum, parts[1] / sum, parts[2] / sum, 0.0};
      return;
    }
    // Beyond a side, the nearest point lies on that side or on another one that the foot is beyond.
    if (!same_sign(total, parts[0])) best.offer(sub_simplex(simplex, {1, 2}));
    if (!same_sign(total, parts[1])) best.offer(sub_simplex(simplex, {0, 2}));
    if (!same_sign(total, parts[2])) best.offer(sub_simplex(simplex, {0, 1}));
  } else {
    // A triangle without area is as good as its sides.
    best.offer(sub_simplex(simplex, {1, 2}));
    best.offer(sub_simplex(simplex, {0, 2}));
    best.offer(sub_simplex(simplex, {0, 1}));
  }
  simplex = best.simplex();
}

/// Returns six times the signed volume of the tetrahedron (0, a, b, c).
double volume(const Vector3d& a, const Vector3d& b, const Vector3d& c) { return a.dot(b.cross(c)); }

/// Reduces a tetrahedron to the part nearest to the origin, or keeps all if the origin is inside.
void nearest_in_tetrahedron(Simplex& simplex) {
  const Vector3d& p = w(simplex, 0);
  const Vector3d& q = w(simplex, 1);
  const Vector3d& r = w(simplex, 2);
  const Vector3d& s = w(simplex, 3);
  // Signed volumes of the tetrahedra in which the origin replaces one corner.
  const std::array<double, 4> parts = {volume(q, r, s), -volume(p, r, s), volume(p, q, s),
                                       -volume(p, q, r)};
  const double total = volume(q - p, r - p, s - p);
  Best best;
  bool inside = total != 0.0;
  const std::array<std::array<int, 3>, 4> opposite = {{{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}}};
  for (std::size_t i = 0; i < 4; ++i) {
    if (total != 0.0 && same_sign(total, parts[i])) continue;
    inside = false;
    best.offer(sub_simplex(simplex, {opposite[i][0], opposite[i][1], opposite[i][2]}));
  }
  if (inside) {
    const double sum = parts[0] + parts[1] + parts[2] + parts[3];
    for (std::size_t i = 0; i < 4; ++i) simplex.weights[i] = parts[i] / sum;
  } else {
    simplex = best.simplex();
  }
}

/// Returns true if a point is a corner of the simplex.
bool contains(const Simplex& simplex, const Vector3d& point) {
  for (int i = 0; i < simplex.count; ++i) {
    if (w(simplex, i) == point) return true;
  }
  return false;
}

}  // namespace

DifferencePoint Simplex::nearest() const {
  DifferencePoint sum{Vector3d::Zero(), Vector3d::Zero(), Vector3d::Zero()};
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    sum.a += weights[i] * points[i].a;
    sum.b += weights[i] * points[i].b;
    sum.w += weights[i] * points[i].w;
  }
  return sum;
}

void reduce_to_nearest(Simplex& simplex) {
  switch (simplex.count) {
    case 1:
      simplex.weights = {1.0, 0.0, 0.0, 0.0};
      return;
    case 2:
      return nearest_on_segment(simplex);
    case 3:
      return nearest_on_triangle(simplex);
    default:
      return nearest_in_tetrahedron(simplex);
  }
}

GjkResult gjk(const CorePair& pair, const Vector3d& initial_direction, double tolerance,
              double enough) {
  GjkResult result;
  Simplex& simplex = result.simplex;
  simplex.points[0] = nearest_along(pair, initial_direction);
  simplex.count = 1;
  reduce_to_nearest(simplex);
  DifferencePoint v = simplex.nearest();
  double distance = v.w.norm();
  result.lower_bound = -std::numeric_limits<double>::infinity();
  // Nearer to the origin than rounding of the support points, the sets count as overlapping.
  const double touching = 16.0 * kEpsilon * pair.size();

  for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
    check_stop();
    if (distance <= touching) {
      result.overlap = true;
      return result;
    }
    // The point farthest towards the origin gives a support plane, hence a lower bound.
    const DifferencePoint next = nearest_along(pair, v.w);
    const double gap = next.w.dot(v.w) / distance;
    if (gap > result.lower_bound) {
      result.lower_bound = gap;
      result.best_normal = v.w / distance;
    }
    // A point that the simplex contains cannot improve v: the search has converged to rounding.
    if (distance - result.lower_bound <= tolerance || contains(simplex, next.w) ||
        result.lower_bound > enough) {
      break;
    }
    const Simplex previous = simplex;
    simplex.points[static_cast<std::size_t>(simplex.count++)] = next;
    reduce_to_nearest(simplex);
    // A tetrahedron around the origin means overlap.
    if (simplex.count == 4) {
      result.overlap = true;
      return result;
    }
    const DifferencePoint nearer = simplex.nearest();
    const double nearer_distance = nearer.w.norm();
    if (nearer_distance >= distance) {  // rounding allows no further progress
      simplex = previous;
      break;
    }
    v = nearer;
    distance = nearer_distance;
  }
  result.separation = {distance, v.w / distance, v.a, v.b};
  return result;
}

}  // namespace amontons::narrow_phase

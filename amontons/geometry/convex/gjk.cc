#include "amontons/geometry/convex/gjk.h"

#include <Eigen/Geometry>

#include <cmath>
#include <limits>

namespace amontons::narrow_phase {
namespace {

using Eigen::Vector3d;

constexpr int kMaxIterations = 128;
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

void keep(Simplex& simplex, std::initializer_list<int> kept) {
  const std::array<DifferencePoint, 4> points = simplex.points;
  simplex.count = 0;
  for (const int i : kept) {
    simplex.points[static_cast<std::size_t>(simplex.count++)] = points[static_cast<std::size_t>(i)];
  }
}

bool same_sign(double a, double b) { return (a > 0.0 && b > 0.0) || (a < 0.0 && b < 0.0); }

const Vector3d& w(const Simplex& simplex, int i) {
  return simplex.points[static_cast<std::size_t>(i)].w;
}

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

/// The best of several sub-simplices.
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

Simplex sub_simplex(const Simplex& simplex, std::initializer_list<int> kept) {
  Simplex result = simplex;
  keep(result, kept);
  reduce_to_nearest(result);
  return result;
}

/// The triangle is projected along the axis that leaves it the largest area; the signs of the areas
/// that the origin's foot makes with two corners tell where the foot lies.
void nearest_on_triangle(Simplex& simplex) {
  const Vector3d& p = w(simplex, 0);
  const Vector3d& q = w(simplex, 1);
  const Vector3d& r = w(simplex, 2);
  const Vector3d normal = (q - p).cross(r - p);
  const double normal_squared = normal.squaredNorm();
  Best best;
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
    if (same_sign(total, parts[0]) && same_sign(total, parts[1]) && same_sign(total, parts[2])) {
      const double sum = parts[0] + parts[1] + parts[2];
      simplex.weights = {parts[0] / sum, parts[1] / sum, parts[2] / sum, 0.0};
      return;
    }
    if (!same_sign(total, parts[0])) best.offer(sub_simplex(simplex, {1, 2}));
    if (!same_sign(total, parts[1])) best.offer(sub_simplex(simplex, {0, 2}));
    if (!same_sign(total, parts[2])) best.offer(sub_simplex(simplex, {0, 1}));
  } else {
    best.offer(sub_simplex(simplex, {1, 2}));
    best.offer(sub_simplex(simplex, {0, 2}));
    best.offer(sub_simplex(simplex, {0, 1}));
  }
  simplex = best.simplex();
}

double volume(const Vector3d& a, const Vector3d& b, const Vector3d& c) { return a.dot(b.cross(c)); }

void nearest_in_tetrahedron(Simplex& simplex) {
  const Vector3d& p = w(simplex, 0);
  const Vector3d& q = w(simplex, 1);
  const Vector3d& r = w(simplex, 2);
  const Vector3d& s = w(simplex, 3);
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

GjkResult gjk(const CorePair& pair, const Vector3d& initial_direction, double tolerance) {
  GjkResult result;
  Simplex& simplex = result.simplex;
  simplex.points[0] = nearest_along(pair, initial_direction);
  simplex.count = 1;
  reduce_to_nearest(simplex);
  DifferencePoint v = simplex.nearest();
  double distance = v.w.norm();
  result.lower_bound = -std::numeric_limits<double>::infinity();
  const double touching = 16.0 * kEpsilon * pair.size();

  for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
    if (distance <= touching) {
      result.overlap = true;
      return result;
    }
    const DifferencePoint next = nearest_along(pair, v.w);
    const double gap = next.w.dot(v.w) / distance;
    if (gap > result.lower_bound) {
      result.lower_bound = gap;
      result.best_normal = v.w / distance;
    }
    if (distance - result.lower_bound <= tolerance || contains(simplex, next.w)) break;
    const Simplex previous = simplex;
    simplex.points[static_cast<std::size_t>(simplex.count++)] = next;
    reduce_to_nearest(simplex);
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

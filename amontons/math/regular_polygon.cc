#include "amontons/math/regular_polygon.h"

#include "amontons/math/elementary.h"

#include <algorithm>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <string>

namespace amontons {

using Eigen::Index;
using Eigen::Vector2d;

Eigen::Matrix2Xd polygon_directions(int directions) {
  if (directions < 4 || directions % 2 != 0) {
    throw std::invalid_argument("friction directions: " + std::to_string(directions) +
                                ", must be even and at least 4");
  }
  Eigen::Matrix2Xd result(2, directions);
  // Opposite directions are exact negatives, so that no direction is preferred by rounding.
  const int half = directions / 2;
  for (int k = 0; k < half; ++k) {
    const double angle = 2.0 * std::numbers::pi * k / directions;
    // The axes are exact, so that a polygon of four does not leak between t1 and t2.
    const bool on_t2 = 4 * k == directions;
    result.col(k) << (on_t2 ? 0.0 : elementary::cos(angle)), (on_t2 ? 1.0 : elementary::sin(angle));
    result.col(k + half) = -result.col(k);
  }
  return result;
}

Index polygon_sector(const Vector2d& z, Index directions) {
  // Sectors have equal angles; rounding at 2 pi must not give a sector too many.
  const double sector_angle = 2.0 * std::numbers::pi / static_cast<double>(directions);
  double angle = elementary::atan2(z.y(), z.x());
  if (angle < 0.0) angle += 2.0 * std::numbers::pi;
  if (!(angle >= 0.0)) return 0;  // no number
  return std::min(directions - 1, static_cast<Index>(angle / sector_angle));
}

PolygonPoint nearest_on_polygon(const Vector2d& z, double radius,
                                const Eigen::Matrix2Xd& directions) {
  PolygonPoint result;
  // What is no number is in no sector, and stays none.
  if (!z.allFinite()) {
    result.point.setConstant(std::numeric_limits<double>::quiet_NaN());
    return result;
  }
  const Index n = directions.cols(), k = polygon_sector(z, n);
  // In a regular polygon the nearest point lies on the edge of the sector that z is in.
  const Vector2d first = directions.col(k), last = directions.col((k + 1) % n);
  const Vector2d edge = last - first, outward(edge.y(), -edge.x());
  // Inside the edge's half-plane the point is its own projection.
  if (radius > 0.0 && outward.dot(z - radius * first) <= 0.0) {
    result.point = z;
    result.inside = true;
    return result;
  }
  // Along the edge: z projects on its interior, or on one of the two corners.
  const double share = edge.dot(z - radius * first), whole = radius * edge.squaredNorm();
  if (share > 0.0 && share < whole) {
    result.along = edge.normalized();
    result.growth = 0.5 * (first + last);
    result.point = radius * first + share / edge.squaredNorm() * edge;
    return result;
  }
  // A corner moves with the radius alone.
  result.growth = share > 0.0 ? last : first;
  result.point = radius * result.growth;
  return result;
}

}  // namespace amontons

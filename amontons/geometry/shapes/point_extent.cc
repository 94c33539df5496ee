#include "amontons/geometry/shapes/point_extent.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace amontons {
namespace {

/// Returns the largest absolute coordinate [m]. @throws std::invalid_argument for one not finite.
double largest_coordinate(const std::vector<Eigen::Vector3d>& points) {
  double largest = 0.0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!points[i].allFinite()) {
      throw std::invalid_argument("point " + std::to_string(i) + " is not finite");
    }
    largest = std::max(largest, points[i].cwiseAbs().maxCoeff());
  }
  return largest;
}

/// Returns the first of the points at the largest distance.
template <typename Distance>
const Eigen::Vector3d& farthest(const std::vector<Eigen::Vector3d>& points,
                                const Distance& distance) {
  std::size_t best = 0;
  double best_distance = distance(points[0]);
  for (std::size_t i = 1; i < points.size(); ++i) {
    const double d = distance(points[i]);
    if (d <= best_distance) continue;
    best = i;
    best_distance = d;
  }
  return points[best];
}

/// Measures points that need not span space; returns their dimension, 0 to 3.
int measure(const std::vector<Eigen::Vector3d>& points, double resolution, PointExtent& result) {
  if (points.empty()) throw std::invalid_argument("there are no points");
  const double epsilon = std::numeric_limits<double>::epsilon();
  // Coordinates are known to a few units in the last place of the largest.
  const double zero = std::max(resolution, 8.0 * epsilon * largest_coordinate(points));

  const auto distance_to = [](const Eigen::Vector3d& o) {
    return [o](const Eigen::Vector3d& p) { return (p - o).norm(); };
  };
  // The farthest point a from any point, and the farthest b from a: |b - a| >= half the diameter.
  const Eigen::Vector3d a = farthest(points, distance_to(points[0]));
  const Eigen::Vector3d b = farthest(points, distance_to(a));
  const double length = (b - a).norm();
  if (length <= zero) return 0;

  // Third point c: farthest from the line a b. A zero width means points on one line.
  const double narrow = zero + 64.0 * epsilon * length;
  const Eigen::Vector3d along = (b - a) / length;
  const auto off_line = [&](const Eigen::Vector3d& p) { return (p - a).cross(along).norm(); };
  const Eigen::Vector3d c = farthest(points, off_line);
  const double width = off_line(c);
  if (width <= narrow) return 1;

  // An error of the corners turns the plane's normal by that error over the triangle's width.
  const double flat = zero + 64.0 * epsilon * length * length / width;
  const Eigen::Vector3d normal = along.cross(c - a).normalized();
  const auto off_plane = [&](const Eigen::Vector3d& p) { return std::abs(normal.dot(p - a)); };
  const double thickness = off_plane(farthest(points, off_plane));
  if (thickness <= flat) return 2;
  result = {length, thickness, narrow};
  return 3;
}

}  // namespace

PointExtent measure_extent(const std::vector<Eigen::Vector3d>& points, double resolution) {
  PointExtent result;
  const int dimension = measure(points, resolution, result);
  const std::string all = "all " + std::to_string(points.size()) + " points ";
  if (dimension == 0) throw std::invalid_argument(all + "coincide");
  if (dimension == 1) throw std::invalid_argument(all + "lie on one line");
  if (dimension == 2) throw std::invalid_argument(all + "lie in one plane");
  return result;
}

int dimension_of(const std::vector<Eigen::Vector3d>& points, double resolution) {
  PointExtent unused;
  return measure(points, resolution, unused);
}

}  // namespace amontons

#pragma once

#include "amontons/optimization/ccp/cone_projection.h"

#include <Eigen/Core>

#include <array>
#include <cstdint>
#include <vector>

namespace amontons {

/// A convex cone in the rows (t1, t2, n) of a contact; of its points the apex alone has n <= 0.
struct GeneratedCone {
  enum class Kind : std::uint8_t {
    Rays,     ///< combinations of up to two rays; without any, the apex alone
    Polygon,  ///< over a regular polygon around the axis n
    Disc,     ///< round: |(t1, t2)| <= radius n
  };
  Kind kind = Kind::Rays;
  int num_rays = 0;
  /// Each with n = 1.
  std::array<Eigen::Vector3d, 2> rays = {Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero()};
  double radius = 0.0;  ///< of the disc, or of the polygon's corners, at n = 1; > 0
  int corners = 0;      ///< of the polygon, even, >= 4
  double turn = 0.0;    ///< angle of its first corner

  bool is_apex() const { return kind == Kind::Rays && num_rays == 0; }

  /// A generator of unit length; of rays or a polygon. 0 <= k < the number of rays, or of corners,
  /// k = corners the axis: without it a wide cone's axis would be a difference of large numbers.
  Eigen::Vector3d generator(int k) const;

  /// The generator with the largest g . generator; of rays or a polygon, at least one.
  int steepest(const Eigen::Vector3d& g) const;

  /// The nearest point of the cone, and a generalized derivative.
  ConeProjection project(const Eigen::Vector3d& z) const;
};

/// The polygon of so many corners within a disc, the first of them in the direction of a point.
GeneratedCone polygon_within(const GeneratedCone& disc, int corners, const Eigen::Vector3d& toward);

/// A generator's share of a point.
struct ConeCoordinate {
  int generator = 0;
  double value = 0.0;  ///< > 0
};

/// A point of the cone as a combination of few generators; of rays or a polygon.
std::vector<ConeCoordinate> coordinates(const GeneratedCone& cone, const Eigen::Vector3d& inside);

}  // namespace amontons

#pragma once

#include "amontons/optimization/ccp/cone_projection.h"

#include <Eigen/Core>

#include <array>
#include <cstdint>
#include <vector>

namespace amontons {

/// Describes a convex cone in the rows (t1, t2, n) of a contact. Only its apex has n <= 0.
struct GeneratedCone {
  /// Names the form of a cone.
  enum class Kind : std::uint8_t {
    Rays,     ///< combinations of up to two rays; without any, the apex alone
    Polygon,  ///< over a regular polygon around the axis n
    Disc,     ///< round: |(t1, t2)| <= radius n
  };
  Kind kind = Kind::Rays;  ///< form
  int num_rays = 0;        ///< number of rays, 0 to 2
  /// Points on the rays, each with n = 1.
  std::array<Eigen::Vector3d, 2> rays = {Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero()};
  double radius = 0.0;  ///< radius of the disc, or of the polygon's corners, at n = 1; > 0
  int corners = 0;      ///< corners of the polygon, even, >= 4
  double turn = 0.0;    ///< angle of the first corner [rad]

  /// Returns true if the cone is its apex alone.
  bool is_apex() const { return kind == Kind::Rays && num_rays == 0; }

  /// Returns a generator of unit length, for rays or a polygon. 0 <= k < the number of rays, or of
  /// corners; k = corners is the axis. Without the axis, a wide cone's axis would be a difference
  /// of large numbers.
  Eigen::Vector3d generator(int k) const;

  /// Returns the generator with the largest g . generator, for rays or a polygon, at least one.
  int steepest(const Eigen::Vector3d& g) const;

  /// Returns the nearest point of the cone, and a generalized derivative.
  ConeProjection project(const Eigen::Vector3d& z) const;
};

/// Returns the polygon with this number of corners within a disc, the first towards a point.
GeneratedCone polygon_within(const GeneratedCone& disc, int corners, const Eigen::Vector3d& toward);

/// Gives a generator's share of a point.
struct ConeCoordinate {
  int generator = 0;   ///< number of the generator
  double value = 0.0;  ///< > 0
};

/// Writes a point of the cone as a combination of few generators, for rays or a polygon.
std::vector<ConeCoordinate> coordinates(const GeneratedCone& cone, const Eigen::Vector3d& inside);

}  // namespace amontons

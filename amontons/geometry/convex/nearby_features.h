#pragma once

#include "amontons/geometry/convex/convex_core.h"

#include <array>

namespace amontons::narrow_phase {

/// Describes a part of a shape's surface with a smooth support function: a vertex, a circle or an
/// ellipsoid.
struct SmoothPiece {
  enum class Kind { Vertex, Circle, Ellipsoid };

  Kind kind = Kind::Vertex;
  Eigen::Vector3d center = Eigen::Vector3d::Zero();  ///< vertex, or center [m]
  Eigen::Vector3d axis = Eigen::Vector3d::UnitZ();   ///< axis of the circle
  double radius = 0.0;                               ///< radius of the circle [m]
  const ConvexCore* ellipsoid = nullptr;

  /// Returns the point with outward normal n.
  Eigen::Vector3d point(const Eigen::Vector3d& n) const;
  /// Returns the second derivative of the support function [m]: the radii of curvature, in the
  /// tangent plane of n.
  Eigen::Matrix3d curvature(const Eigen::Vector3d& n) const;
};

/// Describes an edge, or the side of a cylinder: straight along `direction`, touched if n is normal
/// to it.
struct StraightPiece {
  Eigen::Vector3d direction;
  SmoothPiece across;
};

/// Holds the features of a shape near its point of outward normal n.
struct NearbyFeatures {
  // Bounds the number of combinations of features to try.
  static constexpr int kMax = 12;

  std::array<Eigen::Vector3d, kMax> face_normals;
  std::array<StraightPiece, kMax> straight;
  std::array<double, kMax> lean;
  int num_faces = 0;
  int num_straight = 0;

  /// Adds a face unless there are too many.
  void add_face(const Eigen::Vector3d& normal);
  /// Adds a straight piece; when there are too many, the farthest is dropped.
  /// @param lean  how far the piece is from touching [-].
  void add_straight(const Eigen::Vector3d& direction, const SmoothPiece& across, double lean = 0.0);
};

/// Finds the faces and straight pieces whose normals lie within an angle of sine `window` of n. If
/// there are more than kMax, the first faces and the nearest straight pieces are taken.
NearbyFeatures find_nearby(const ConvexCore& core, const Eigen::Vector3d& n, double window);

/// Returns the smooth piece that supports the core along n.
SmoothPiece smooth_piece(const ConvexCore& core, const Eigen::Vector3d& n);

}  // namespace amontons::narrow_phase

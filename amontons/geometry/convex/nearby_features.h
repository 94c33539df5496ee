#pragma once

#include "amontons/geometry/convex/convex_core.h"

#include <array>

namespace amontons::narrow_phase {

/// A part of a shape's surface with a smooth support function: a vertex, a circle or an ellipsoid.
struct SmoothPiece {
  enum class Kind { Vertex, Circle, Ellipsoid };

  Kind kind = Kind::Vertex;
  Eigen::Vector3d center = Eigen::Vector3d::Zero();  ///< vertex, or center [m]
  Eigen::Vector3d axis = Eigen::Vector3d::UnitZ();   ///< of the circle
  double radius = 0.0;                               ///< of the circle [m]
  const ConvexCore* ellipsoid = nullptr;

  /// The point with outward normal n.
  Eigen::Vector3d point(const Eigen::Vector3d& n) const;
  /// Second derivative of the support function: the radii of curvature, in the tangent plane of n.
  Eigen::Matrix3d curvature(const Eigen::Vector3d& n) const;
};

/// An edge, or the side of a cylinder: straight along `direction`, touched if n is normal to it.
struct StraightPiece {
  Eigen::Vector3d direction;
  SmoothPiece across;
};

/// What a shape has near its point of outward normal n.
struct NearbyFeatures {
  static constexpr int kMax = 12;

  std::array<Eigen::Vector3d, kMax> face_normals;
  std::array<StraightPiece, kMax> straight;
  std::array<double, kMax> lean;
  int num_faces = 0;
  int num_straight = 0;

  void add_face(const Eigen::Vector3d& normal);
  /// @param lean  how far the piece is from touching; when there are too many the farthest goes.
  void add_straight(const Eigen::Vector3d& direction, const SmoothPiece& across, double lean = 0.0);
};

/// Faces and straight pieces whose normals lie within an angle of sine `window` of n. Of more than
/// kMax faces the first are taken, of straight pieces the nearest.
NearbyFeatures find_nearby(const ConvexCore& core, const Eigen::Vector3d& n, double window);

/// The smooth piece that supports the core along n.
SmoothPiece smooth_piece(const ConvexCore& core, const Eigen::Vector3d& n);

}  // namespace amontons::narrow_phase

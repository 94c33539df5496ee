#pragma once

#include "amontons/geometry/shapes/bounding_box.h"
#include "amontons/geometry/shapes/shape.h"
#include "amontons/math/pose.h"

#include <Eigen/Core>

#include <algorithm>

/// Building blocks of signed_distance() and find_contact_manifold(). All of them work in a frame F
/// with world axes whose origin lies at one of the two shapes, so that no digits are lost far from
/// the origin of the world.
namespace amontons::narrow_phase {

enum class CoreType { Point, Segment, Box, Cylinder, Ellipsoid, Polyhedron };

/// A bounded convex shape in F: a core, grown by a ball.
struct ConvexCore {
  CoreType type = CoreType::Point;
  Eigen::Matrix3d R = Eigen::Matrix3d::Identity();  ///< orientation in F
  Eigen::Vector3d p = Eigen::Vector3d::Zero();      ///< origin in F [m]
  /// Segment: (0, 0, length / 2); box: half lengths; cylinder: (r, r, length / 2); ellipsoid:
  /// semi-axes [m].
  Eigen::Vector3d half = Eigen::Vector3d::Zero();
  const ConvexPolyhedron* polyhedron = nullptr;
  double radius = 0.0;  ///< of the ball [m]
  double size = 0.0;    ///< radius of the core about p [m]; zero for a point
};

/// The core of a bounded convex shape.
/// @param origin_W  origin of F [m].
/// @pre the shape is neither half-space nor height field.
ConvexCore make_core(const Shape& shape, const Pose& X_WG, const Eigen::Vector3d& origin_W);

/// True for polytopes: cores with vertices and edges only.
bool is_polytope(const ConvexCore& core);

/// The core's point farthest along d (any length, not zero), in its own frame and in F.
Eigen::Vector3d support_G(const ConvexCore& core, const Eigen::Vector3d& d_G);
Eigen::Vector3d support(const ConvexCore& core, const Eigen::Vector3d& d);

/// The box around a core and its ball, grown by a margin [m].
Aabb bounds_of(const ConvexCore& core, double margin);

/// A point well inside the core: the mean of its vertices, or its center.
Eigen::Vector3d middle_of(const ConvexCore& core);

/// Two cores seen as their difference set { b - a }: its distance from the origin is theirs.
struct CorePair {
  const ConvexCore& A;
  const ConvexCore& B;

  /// A length to measure tolerances by [m].
  double size() const { return A.size + B.size + A.radius + B.radius; }
  /// The radius of the smaller core, of those that are no points [m].
  double small_size() const {
    if (A.size == 0.0) return B.size;
    return B.size == 0.0 ? A.size : std::min(A.size, B.size);
  }
};

/// A pair of points, one of each core, and their difference w = b - a.
struct DifferencePoint {
  Eigen::Vector3d a, b, w;
};

/// The pair that is nearest along n: b lowest, a highest. n . w is the gap of the two support
/// planes normal to n, a lower bound of the signed distance for every unit n and equal to it for
/// the best.
inline DifferencePoint nearest_along(const CorePair& pair, const Eigen::Vector3d& n) {
  const Eigen::Vector3d a = support(pair.A, n);
  const Eigen::Vector3d b = support(pair.B, -n);
  return {a, b, b - a};
}

/// Distance of two cores along a unit normal from A into B, with the points that realize it.
struct Separation {
  double distance = 0.0;
  Eigen::Vector3d normal = Eigen::Vector3d::UnitZ();
  Eigen::Vector3d a = Eigen::Vector3d::Zero();
  Eigen::Vector3d b = Eigen::Vector3d::Zero();
};

}  // namespace amontons::narrow_phase

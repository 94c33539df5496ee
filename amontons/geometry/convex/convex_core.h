#pragma once

#include "amontons/geometry/shapes/bounding_box.h"
#include "amontons/geometry/shapes/shape.h"
#include "amontons/math/pose.h"

#include <Eigen/Core>

#include <algorithm>

/// Holds the building blocks of signed_distance() and find_contact_manifold(). All of them work in
/// a frame F with world axes whose origin lies at one of the two shapes. So no digits are lost far
/// from the origin of the world.
namespace amontons::narrow_phase {

/// Names the kinds of cores.
enum class CoreType { Point, Segment, Box, Cylinder, Ellipsoid, Polyhedron };

/// Describes a bounded convex shape in F: a core, grown by a ball.
struct ConvexCore {
  CoreType type = CoreType::Point;
  Eigen::Matrix3d R = Eigen::Matrix3d::Identity();  ///< orientation in F
  Eigen::Vector3d p = Eigen::Vector3d::Zero();      ///< origin in F [m]
  /// Holds (0, 0, length / 2) for a segment, half lengths for a box, (r, r, length / 2) for a
  /// cylinder, semi-axes for an ellipsoid [m].
  Eigen::Vector3d half = Eigen::Vector3d::Zero();
  const ConvexPolyhedron* polyhedron = nullptr;
  double radius = 0.0;  ///< radius of the ball [m]
  double size = 0.0;    ///< radius of the core about p [m]; zero for a point
};

/// Returns the core of a bounded convex shape.
/// @param origin_W  origin of F [m].
/// @pre the shape is neither half-space nor height field.
ConvexCore make_core(const Shape& shape, const Pose& X_WG, const Eigen::Vector3d& origin_W);

/// Returns true for polytopes: cores with vertices and edges only.
bool is_polytope(const ConvexCore& core);

/// Returns true for a core with edges or faces; others touch in one point.
bool has_flat_features(const ConvexCore& core);

/// Returns the core's point farthest along d (any length, not zero), in its own frame and in F.
Eigen::Vector3d support_G(const ConvexCore& core, const Eigen::Vector3d& d_G);
Eigen::Vector3d support(const ConvexCore& core, const Eigen::Vector3d& d);

/// Returns the box around a core and its ball, grown by a margin [m].
Aabb bounds_of(const ConvexCore& core, double margin);

/// Returns a point well inside the core: the mean of its vertices, or its center.
Eigen::Vector3d middle_of(const ConvexCore& core);

/// Refers to two cores. Their difference set { b - a } has the distance from the origin that they
/// have from each other.
struct CorePair {
  const ConvexCore& A;
  const ConvexCore& B;

  /// Returns a length that serves as the scale of tolerances [m].
  double size() const { return A.size + B.size + A.radius + B.radius; }
  /// Returns the radius of the smaller core among those that are no points [m].
  double small_size() const {
    if (A.size == 0.0) return B.size;
    return B.size == 0.0 ? A.size : std::min(A.size, B.size);
  }
};

/// Holds a pair of points, one of each core, and their difference w = b - a [m].
struct DifferencePoint {
  Eigen::Vector3d a, b, w;
};

/// Returns the pair that is nearest along n: b lowest, a highest. Then n . w is the gap of the two
/// support planes normal to n. It is a lower bound of the signed distance for every unit n, and
/// equal to it for the best.
inline DifferencePoint nearest_along(const CorePair& pair, const Eigen::Vector3d& n) {
  const Eigen::Vector3d a = support(pair.A, n);
  const Eigen::Vector3d b = support(pair.B, -n);
  return {a, b, b - a};
}

/// Holds the distance of two cores along a unit normal from A into B, with the points that realize
/// it.
struct Separation {
  double distance = 0.0;  ///< [m]; negative where they overlap
  Eigen::Vector3d normal = Eigen::Vector3d::UnitZ();
  Eigen::Vector3d a = Eigen::Vector3d::Zero();  ///< witness point on A, in F [m]
  Eigen::Vector3d b = Eigen::Vector3d::Zero();  ///< witness point on B, in F [m]
};

}  // namespace amontons::narrow_phase

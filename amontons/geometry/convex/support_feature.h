#pragma once

#include "amontons/geometry/convex/convex_core.h"

#include <array>

namespace amontons::narrow_phase {

/// Holds the face (three vertices or more), edge (two) or vertex (one) with which a shape meets a
/// plane.
struct SupportFeature {
  // Faces with more corners are thinned, as the memory is fixed.
  static constexpr int kMaxVertices = 32;

  /// Holds a corner of the feature.
  struct Vertex {
    Eigen::Vector3d position;  ///< in F [m]
    int id = 0;                ///< names the vertex on its shape, below 2^14
  };
  std::array<Vertex, kMaxVertices> vertices;  ///< a face's: counterclockwise seen along -n
  int count = 0;
  /// Holds a face's normal; for an edge or vertex the direction nearest to n.
  Eigen::Vector3d plane_normal = Eigen::Vector3d::UnitZ();

  /// Appends a vertex; ids are cut to 14 bits.
  void add(const Eigen::Vector3d& position, int id);
};

/// Directions closer than this are parallel: a leaning face counts as flat [-].
inline constexpr double kParallelSine = 1e-6;

/// Faces and edges that lean by less than this (sine of 20 degrees) from the contact plane enter a
/// manifold whole. Their far points are kept or dropped by their own gaps.
inline constexpr double kManifoldSine = 0.342;

/// Corners of the polygon that represents a cylinder's cap.
inline constexpr int kCylinderRing = 16;
/// Names a point on the rim of the cap that is turned away; the ids of caps and sides are smaller.
inline constexpr int kUpperRimId = 2 * kCylinderRing + 2;

/// Bounds how far a feature may lean from the support plane and still be taken whole.
struct FeatureTolerance {
  double sine = 0.0;   ///< sine of the angle between face or edge and plane [-]
  double depth = 0.0;  ///< or, up to 70 degrees, its farthest vertex behind the plane [m]
};

/// Returns the feature of a core (grown by its ball) that is farthest along the unit vector n.
SupportFeature support_feature(const ConvexCore& core, const Eigen::Vector3d& n,
                               const FeatureTolerance& tolerance);

}  // namespace amontons::narrow_phase

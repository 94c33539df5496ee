#pragma once

#include "amontons/geometry/convex/convex_core.h"

#include <array>

namespace amontons::narrow_phase {

/// The face (three vertices or more), edge (two) or vertex (one) with which a shape meets a plane.
struct SupportFeature {
  static constexpr int kMaxVertices = 32;

  struct Vertex {
    Eigen::Vector3d position;  ///< in F [m]
    int id = 0;                ///< names the vertex on its shape, below 2^14
  };
  std::array<Vertex, kMaxVertices> vertices;  ///< of a face: counterclockwise seen along -n
  int count = 0;
  /// The plane of the feature: a face's normal; for an edge or vertex the direction nearest to n.
  Eigen::Vector3d plane_normal = Eigen::Vector3d::UnitZ();

  void add(const Eigen::Vector3d& position, int id);
};

/// Directions closer than this are parallel: a leaning face counts as flat [-].
inline constexpr double kParallelSine = 1e-6;

/// Faces and edges that lean by less than this (20 degrees) from the contact plane enter a manifold
/// whole: their far points are kept or dropped by their own gaps.
inline constexpr double kManifoldSine = 0.342;

/// Corners of the polygon that stands for a cylinder's cap, and the id of a point on the rim of the
/// cap that is turned away. Ids of caps are below.
inline constexpr int kCylinderRing = 16;
inline constexpr int kUpperRimId = 2 * kCylinderRing + 2;

/// How far a feature may lean from the support plane and still be taken whole.
struct FeatureTolerance {
  double sine = 0.0;   ///< of the angle between face or edge and plane [-]
  double depth = 0.0;  ///< or, up to 70 degrees, its farthest vertex behind the plane [m]
};

/// The feature of a core (grown by its ball) that is farthest along the unit vector n.
SupportFeature support_feature(const ConvexCore& core, const Eigen::Vector3d& n,
                               const FeatureTolerance& tolerance);

}  // namespace amontons::narrow_phase

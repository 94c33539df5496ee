#pragma once

#include "amontons/geometry/convex/support_feature.h"

#include <array>
#include <cstdint>

namespace amontons::narrow_phase {

/// Holds the common part of two support features seen along n, with the heights of both above it.
struct FeatureOverlap {
  static constexpr int kMaxPoints = 2 * SupportFeature::kMaxVertices;

  /// Holds a corner of the common part.
  struct Point {
    Eigen::Vector3d a, b;       ///< on A's and B's feature, b = a + gap n, in F [m]
    double gap = 0.0;           ///< height of B's feature above A's [m]
    std::uint32_t feature = 0;  ///< vertex of A, vertex of B, or crossing of two edges, by id
  };
  std::array<Point, kMaxPoints> points;  ///< around n, counterclockwise
  int count = 0;
};

/// Returns the name of a contact at a vertex of B alone.
std::uint32_t vertex_of_B(int id);

/// Clips two features against each other in the plane normal to n. Faces are clipped by the method
/// of Sutherland and Hodgman; edges leave their clipped or common segment, or their crossing. A
/// vertex remains if it is within the other feature.
/// @param slack  lateral distance [m] below which a vertex counts as inside and points as one.
/// @returns no points if the features do not meet.
FeatureOverlap overlap(const SupportFeature& A, const SupportFeature& B, const Eigen::Vector3d& n,
                       double slack);

}  // namespace amontons::narrow_phase

#pragma once

#include "amontons/geometry/convex/convex_core.h"

namespace amontons::narrow_phase {

/// Describes the best separating axis of two boxes, of which one may be a segment.
struct BoxAxes {
  /// Says which features prescribe the axis.
  enum class Kind { FaceOfA, FaceOfB, Edges };

  double distance = 0.0;   ///< gap of the support planes, the largest over all candidates [m]
  Eigen::Vector3d normal;  ///< from A into B
  Kind kind = Kind::FaceOfA;
  int axis_A = 0, axis_B = 0;  ///< directions of the face normal or of the two edges
};

/// Tests the face normals of both and the cross products of their edges [Gottschalk, Lin, Manocha
/// 1996]. When the two overlap, the result is the signed distance. When they are apart it is a
/// lower bound, equal to the distance unless a vertex meets a vertex or an edge.
BoxAxes find_box_axis(const CorePair& pair);

/// Returns the nearest points of the two edges that support the cores along the result's normal.
Separation edge_contact(const CorePair& pair, const BoxAxes& axes);

}  // namespace amontons::narrow_phase

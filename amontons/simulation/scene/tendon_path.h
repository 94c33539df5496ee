#pragma once

#include "amontons/geometry/wrap.h"
#include "amontons/math/pose.h"

#include <Eigen/Core>

#include <optional>

namespace amontons {

/// Holds a point that is fixed to a body.
struct TendonPoint {
  int body = -1;                                  ///< index of a link of the model or of a body
  Eigen::Vector3d p_B = Eigen::Vector3d::Zero();  ///< the point in that body [m]
};

/// Holds a surface around which a part of a tendon may pass.
struct TendonObstacle {
  int body = -1;                    ///< index of a link of the model or of a body
  Pose X_BG;                        ///< frame of the surface in that body
  WrapSurface surface;              ///< sphere or cylinder
  std::optional<TendonPoint> side;  ///< point that chooses the way around (wrap_cord()), or none
};

/// Measures the way from one point to another along an axis, instead of the distance between them.
struct TendonSlide {
  Eigen::Vector3d axis_B = Eigen::Vector3d::UnitZ();  ///< unit, in the body of the first point
  /// Holds the length of a rod from the second point to a slider on the axis [m]; the way is then
  /// that of the slider. Where the rod is too short it is that of the second point.
  std::optional<double> rod;
};

/// Holds a part of the path of a tendon in space: from one point to the next, straight or around a
/// surface between them. Bodies are links of a model in a scene, and bodies of a system there.
struct TendonSegment {
  TendonPoint start, end;                  ///< ends of the part
  std::optional<TendonObstacle> obstacle;  ///< surface between them, or none
  double share = 1.0;  ///< weight of its length in that of the tendon; behind a pulley less [-]
  std::optional<TendonSlide> slide = {};  ///< replaces the distance of the ends
};

}  // namespace amontons

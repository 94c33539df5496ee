#pragma once

#include "amontons/io/picture/camera_settings.h"
#include "amontons/io/picture/extent.h"

#include <Eigen/Core>

namespace amontons::io {

/// Holds a camera at one instant: a perspective whose picture has `height` rows over 2 slope.
struct Camera {
  Eigen::Vector3d position = Eigen::Vector3d::Zero();  ///< in the world [m]
  Eigen::Vector3d target = Eigen::Vector3d::Zero();    ///< in the world [m]
  Eigen::Vector3d right, up, back;                     ///< unit axes; it looks along -back
  double slope = 0.3;                                  ///< tangent of half the vertical angle [-]
};

/// Moves a camera over the frames of a run as its settings say.
class CameraPath {
 public:
  /// @param run     the leading run; its first frame sets where the motion of `follow` begins.
  /// @param aspect  width by height of the picture.
  /// @throws std::invalid_argument  for settings that make no sense, or a body that is not there.
  CameraPath(const CameraSettings& settings, const ReplayRun& run, const Extent& extent,
             double aspect);

  /// Returns the camera at a frame of the leading run.
  Camera at(const ReplayFrame& frame) const;

 private:
  double azimuth_ = 0.0, elevation_ = 0.0;  // [rad]
  double orbit_ = 0.0;                      // [rad/s]
  double first_time_ = 0.0;                 // [s]
  double distance_ = 1.0;                   // [m]
  double slope_ = 0.3;
  Eigen::Vector3d target_;        // at the first frame [m]
  int follow_ = -1;               // index of a body
  Eigen::Vector3d follow_start_;  // its position at the first frame [m]
};

}  // namespace amontons::io

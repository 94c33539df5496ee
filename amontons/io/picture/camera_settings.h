#pragma once

#include <Eigen/Core>

#include <optional>
#include <string>
#include <vector>

namespace amontons::io {

/// Sets from where a picture is taken. The camera's direction is seen from its target.
struct CameraSettings {
  std::string view = "usual";             ///< "usual", "front", "side" or "top"
  std::optional<double> azimuth;          ///< about z, from +x towards +y [deg]; else that of view
  std::optional<double> elevation;        ///< above the horizontal, -90 to 90 [deg]; else of view
  std::optional<Eigen::Vector3d> target;  ///< point in the middle, in the world [m]
  std::optional<double> distance;  ///< from the target [m]; else such that the bodies are in view
  std::string follow;              ///< name of a body whose motion the camera follows
  double zoom = 1.0;               ///< enlarges the picture about its middle
  double orbit = 0.0;              ///< rate of the azimuth [deg/s of the run]
};

/// Reads "KEY=VALUE,KEY=VALUE": azimuth, elevation, target (X:Y:Z), distance, follow, zoom, orbit.
/// @param view  the view that applies without azimuth and elevation.
/// @throws ParseError  naming the key and the keys there are, or the value and what it must be.
CameraSettings parse_camera(const std::string& text, const std::string& view = "usual");

/// Checks values that were not read from a text.
/// @throws std::invalid_argument  naming the key.
void check_camera(const CameraSettings& camera);

}  // namespace amontons::io

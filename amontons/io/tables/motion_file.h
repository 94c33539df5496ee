#pragma once

#include <Eigen/Core>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace amontons::io {

/// Holds the measured motion of one body. NaN is a number that is missing.
struct MeasuredBody {
  std::string name;  ///< as the file names it, or as its caller does
  Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor> positions;  ///< of its origin, in W [m]
  /// Holds w, x, y, z of each row, of any length; no rows where orientations are not measured.
  Eigen::Matrix<double, Eigen::Dynamic, 4, Eigen::RowMajor> quaternions;
  std::optional<Eigen::Vector3d> linear_velocity;   ///< of the origin at the start, in W [m/s]
  std::optional<Eigen::Vector3d> angular_velocity;  ///< at the start, in W [rad/s]
};

/// Holds the measured positions of a joint of one coordinate [rad or m]; NaN: missing.
struct MeasuredJoint {
  std::string name;
  std::vector<double> positions;
};

/// Holds a measured motion: as many positions and quaternions of each as times.
struct MotionFile {
  std::vector<double> times;  ///< ascending from 0, the first row [s]
  std::vector<MeasuredBody> bodies;
  std::vector<MeasuredJoint> joints;
};

/// Holds the units of a file in those of SI; angles are in rad.
struct MotionUnits {
  double length = 1.0;  ///< [m]
  double time = 1.0;    ///< [s]
};

/// Reads a CSV file whose first line names its columns, separated by commas, semicolons or tabs.
/// `t` (also `time`, `timestamp`) is the time. BODY.x, .y, .z are positions of a body, and BODY.qw,
/// .qx, .qy, .qz its orientation. BODY.vx .. .vz and BODY.wx .. .wz of the first row are its
/// velocity at the start. Every other column is a joint. An empty cell is missing, and # begins a
/// line that is a comment. Where semicolons or tabs separate, numbers may have decimal commas.
/// @param name  the file, for errors.
/// @param body  the body of columns such as `x` without one; empty: there are none.
/// @throws ParseError with the line for everything else.
MotionFile parse_motion_csv(std::string_view text, const std::string& name, const std::string& body,
                            const MotionUnits& units = {});

/// Reads a trajectory in the TUM format: lines `timestamp tx ty tz qx qy qz qw` of one body. A
/// first line with these names is left out.
/// @throws ParseError with the line for anything else.
MotionFile parse_tum(std::string_view text, const std::string& name, const std::string& body,
                     const MotionUnits& units = {});

/// Returns true if the first line that is no comment is one of the TUM format: eight numbers, or
/// their names.
/// @param name  the file, for errors.
/// @throws ParseError for a text in UTF-16, and for binary files.
bool is_tum(std::string_view text, const std::string& name);

}  // namespace amontons::io

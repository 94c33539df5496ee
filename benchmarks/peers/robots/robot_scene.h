#pragma once

#include "amontons/io/scene/scene_file.h"

#include <Eigen/Core>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace amontons::peers {

/// Names a robot's file, on the disk or in memory.
struct RobotSource {
  std::string name, file;
  std::map<std::string, std::filesystem::path> packages;  ///< folders of `package://NAME/...`
  std::shared_ptr<const io::FileSource> files;            ///< null: the disk
};

/// Describes how a robot starts above the ground, at rest.
struct RobotPose {
  std::string name;
  Eigen::Vector3d rpy_deg;  ///< roll, pitch and yaw of its root [degrees]
  double clearance = 0.0;   ///< height of its lowest point [m]
};

/// Returns Solo12, HyQ and Panda below the folder of shared data, and the humanoid.
std::vector<RobotSource> default_robots();

/// Returns a robot from a file on the disk.
RobotSource robot_from(const std::filesystem::path& file,
                       const std::map<std::string, std::filesystem::path>& packages);

/// Returns upright but for some degrees, tilted and on its side.
std::vector<RobotPose> robot_poses();

/// Reads a robot with a free root above a plane z = 0, in steps of 1 ms.
/// @param collide  "mesh" or "hull", as the scene's key `collide`.
/// @throws io::ParseError, or std::invalid_argument for a robot without shapes.
Scene robot_scene(const RobotSource& robot, const RobotPose& pose, const std::string& collide);

}  // namespace amontons::peers

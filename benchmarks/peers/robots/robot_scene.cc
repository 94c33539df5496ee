#include "benchmarks/peers/robots/robot_scene.h"

#include "amontons/geometry/shapes/bounding_box.h"
#include "amontons/io/common/file_source.h"
#include "amontons/io/scene/model_scene.h"
#include "amontons/simulation/system/kinematics.h"
#include "benchmarks/peers/robots/humanoid.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace amontons::peers {
namespace {

constexpr const char* kHumanoid = "humanoid.xml";

/// Reads the robot with its root at a height [m].
Scene scene_at(const RobotSource& robot, const RobotPose& pose, const std::string& collide,
               double height) {
  using nlohmann::json;
  const Eigen::Vector3d& rpy = pose.rpy_deg;
  json model{
      {"name", "robot"},
      {"file", robot.file},
      {"pose", {{"position", {0.0, 0.0, height}}, {"rpy_deg", {rpy.x(), rpy.y(), rpy.z()}}}}};
  // An MJCF file itself says how its root moves.
  if (std::filesystem::path(robot.file).extension() == ".urdf") model["base"] = "free";
  const json half_space{{"half_space", {{"normal", {0, 0, 1}}}}};
  const json ground{{"name", "ground"}, {"fixed", true}, {"shapes", json::array({half_space})}};
  const json scene{{"amontons", 1},
                   {"simulation", {{"step", 0.001}, {"duration", 100.0}}},
                   {"collide", collide},
                   {"bodies", json::array({ground})},
                   {"models", json::array({model})}};
  io::LoadOptions options;
  options.packages = robot.packages;
  const io::DiskFiles disk;
  Scene result = io::parse_scene(scene.dump(), robot.name + ".yaml",
                                 robot.files ? *robot.files : disk, options);
  // The world of the peers has one friction and no restitution: files may give more.
  for (Material& material : result.materials) material = Material{material.name};
  result.material_pairs.clear();
  return result;
}

/// Returns the height of the lowest point of all moving shapes at the start [m].
double lowest_point(const Scene& scene) {
  const System system(scene);
  const State start = system.initial_state();
  SystemKinematics kinematics;
  compute_kinematics(system, start.q, start.v, 0.0, kinematics);
  double lowest = std::numeric_limits<double>::infinity();
  for (const CollisionShape& shape : system.shapes()) {
    if (system.bodies()[static_cast<std::size_t>(shape.body)].articulation < 0) continue;
    const Pose X_WG = frame_pose(kinematics, shape.body, shape.X_BG);
    lowest = std::min(lowest, bounding_box(shape.shape, X_WG).lower.z());
  }
  if (!std::isfinite(lowest)) throw std::invalid_argument(scene.file + ": nothing collides");
  return lowest;
}

}  // namespace

std::vector<RobotSource> default_robots() {
  const std::filesystem::path data =
      AMONTONS_SOURCE_DIR "/../shared/data/robots/example-robot-data";
  const std::map<std::string, std::filesystem::path> packages{{"example-robot-data", data}};
  std::vector<RobotSource> robots;
  for (const char* file :
       {"solo_description/robots/solo12.urdf", "hyq_description/robots/hyq_no_sensors.urdf",
        "panda_description/urdf/panda.urdf"}) {
    robots.push_back(robot_from(data / "robots" / file, packages));
  }
  auto files = std::make_shared<io::MemoryFiles>();
  files->add(kHumanoid, humanoid_model());
  robots.push_back({"humanoid", kHumanoid, {}, files});
  return robots;
}

RobotSource robot_from(const std::filesystem::path& file,
                       const std::map<std::string, std::filesystem::path>& packages) {
  return {file.stem(), std::filesystem::absolute(file), packages, nullptr};
}

std::vector<RobotPose> robot_poses() {
  // Exactly upright, a robot could come to rest in a position that is not stable.
  return {{"upright", {4.0, 3.0, 0.0}, 0.1},
          {"tilted", {60.0, 20.0, 0.0}, 0.1},
          {"on its side", {90.0, 0.0, 0.0}, 0.01}};
}

Scene robot_scene(const RobotSource& robot, const RobotPose& pose, const std::string& collide) {
  // Hulls and meshes have the same lowest point, so that both start at the same height.
  const double height = pose.clearance - lowest_point(scene_at(robot, pose, collide, 0.0));
  return scene_at(robot, pose, collide, height);
}

}  // namespace amontons::peers

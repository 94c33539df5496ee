#include "amontons/io/picture/camera.h"

#include "amontons/math/elementary.h"
#include "amontons/math/nearest_name.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

namespace amontons::io {
namespace {

constexpr double kDegree = std::numbers::pi / 180.0;
constexpr double kHalfAngle = 17.5 * kDegree;  // half the vertical angle of the page's camera
// The share of the picture that the bodies take.
constexpr double kWidthShare = 0.92, kHeightShare = 0.9;

/// Returns the page's direction of a view, seen from the target.
Eigen::Vector3d direction_of(const std::string& view) {
  if (view == "front") return {0.0, -1.0, 0.0};
  if (view == "side") return {1.0, 0.0, 0.0};
  if (view == "top") return {0.0, 0.0, 1.0};
  return Eigen::Vector3d(0.5, -0.78, 0.42).normalized();
}

/// Sets the axes of a camera; from straight above, the picture's up direction is +y.
void aim(double azimuth, double elevation, Camera& camera) {
  const double c = elementary::cos(azimuth), s = elementary::sin(azimuth);
  const double level = elementary::cos(elevation), height = elementary::sin(elevation);
  camera.back = {level * c, level * s, height};
  camera.right = {-s, c, 0.0};
  camera.up = camera.back.cross(camera.right);
}

/// Returns the least distance [m] at which every corner of the box is in view, with a margin.
double fitting_distance(const Eigen::AlignedBox3d& box, const Eigen::Vector3d& target,
                        const Camera& camera, double slope, double aspect) {
  double distance = 0.0;
  for (const auto corner :
       {Eigen::AlignedBox3d::BottomLeftFloor, Eigen::AlignedBox3d::BottomRightFloor,
        Eigen::AlignedBox3d::TopLeftFloor, Eigen::AlignedBox3d::TopRightFloor,
        Eigen::AlignedBox3d::BottomLeftCeil, Eigen::AlignedBox3d::BottomRightCeil,
        Eigen::AlignedBox3d::TopLeftCeil, Eigen::AlignedBox3d::TopRightCeil}) {
    const Eigen::Vector3d p = box.corner(corner) - target;
    const double needed = std::max(std::abs(p.dot(camera.right)) / (kWidthShare * slope * aspect),
                                   std::abs(p.dot(camera.up)) / (kHeightShare * slope));
    distance = std::max(distance, needed + p.dot(camera.back));
  }
  return distance;
}

int index_of(const std::string& name, const ReplayRun& run) {
  std::vector<std::string> names;
  for (std::size_t b = 0; b < run.bodies.size(); ++b) {
    if (run.bodies[b].name == name) return static_cast<int>(b);
    names.push_back(run.bodies[b].name);
  }
  throw std::invalid_argument("camera: follow: the run has no body '" + name + "'" +
                              did_you_mean(name, names));
}

}  // namespace

CameraPath::CameraPath(const CameraSettings& settings, const ReplayRun& run, const Extent& extent,
                       double aspect) {
  check_camera(settings);
  const ReplayFrame& first = run.frames.front();
  const Eigen::Vector3d direction = direction_of(settings.view);
  elevation_ =
      settings.elevation
          ? *settings.elevation * kDegree
          : elementary::atan2(direction.z(), elementary::hypot(direction.x(), direction.y()));
  // From above, y is up in the picture.
  const bool is_above = settings.view == "top";
  azimuth_ = settings.azimuth ? *settings.azimuth * kDegree
             : is_above       ? -0.5 * std::numbers::pi
                              : elementary::atan2(direction.y(), direction.x());
  orbit_ = settings.orbit * kDegree;
  first_time_ = first.time;
  slope_ = elementary::tan(kHalfAngle) / settings.zoom;
  // Without a target a camera that follows looks at its body, any other at the middle of the
  // bodies.
  Eigen::AlignedBox3d box = extent.box;
  target_ = box.center();
  if (!settings.follow.empty()) {
    follow_ = index_of(settings.follow, run);
    follow_start_ = first.poses[static_cast<std::size_t>(follow_)].position;
    target_ = follow_start_;
    const Eigen::AlignedBox3d now = box_in(run, first);
    if (!now.isEmpty()) box = now;
  }
  if (settings.target) target_ = *settings.target;
  Camera camera;
  aim(azimuth_, elevation_, camera);
  distance_ = settings.distance
                  ? *settings.distance
                  : std::max(fitting_distance(box, target_, camera, slope_ * settings.zoom, aspect),
                             0.1 * extent.body_radius);
}

Camera CameraPath::at(const ReplayFrame& frame) const {
  Camera camera;
  aim(azimuth_ + orbit_ * (frame.time - first_time_), elevation_, camera);
  camera.slope = slope_;
  camera.target = target_;
  if (follow_ >= 0) {
    camera.target += frame.poses[static_cast<std::size_t>(follow_)].position - follow_start_;
  }
  camera.position = camera.target + distance_ * camera.back;
  return camera;
}

}  // namespace amontons::io

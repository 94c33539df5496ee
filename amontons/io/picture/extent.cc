#include "amontons/io/picture/extent.h"

#include "amontons/io/picture/grid_plane.h"
#include "amontons/math/elementary.h"
#include "amontons/math/rotation.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace amontons::io {
namespace {

constexpr double kFarRadii = 1000.0;
constexpr std::size_t kMostSamples = 40'000;  // positions of the later frames

double reach_of(const ReplayBody& body) {
  double reach = 0.0;
  for (const ReplayShape& shape : body.shapes) reach = std::max(reach, reach_of(shape));
  return reach;
}

bool is_resting(const ReplayRun& run, std::size_t body) {
  const Eigen::Vector3d& first = run.frames.front().poses[body].position;
  return std::all_of(run.frames.begin(), run.frames.end(),
                     [&](const ReplayFrame& frame) { return frame.poses[body].position == first; });
}

/// Returns the bodies that move; all bodies of finite size where none does.
std::vector<std::size_t> chosen_bodies(const ReplayRun& run) {
  std::vector<std::size_t> sized, moving;
  for (std::size_t b = 0; b < run.bodies.size(); ++b) {
    if (reach_of(run.bodies[b]) == 0.0) continue;
    sized.push_back(b);
    if (!run.bodies[b].fixed || !is_resting(run, b)) moving.push_back(b);
  }
  return moving.empty() ? sized : moving;
}

double percentile(const std::vector<double>& sorted, double fraction) {
  return sorted[static_cast<std::size_t>(
      std::lround(fraction * static_cast<double>(sorted.size() - 1)))];
}

}  // namespace

double reach_of(const ReplayShape& shape) {
  const double offset = shape.X_BG.translation.norm();
  const std::vector<double>& s = shape.size;
  if (shape.type == "half_space") return 0.0;
  if (shape.type == "sphere") return offset + s[0];
  if (shape.type == "box") return offset + 0.5 * Eigen::Vector3d(s[0], s[1], s[2]).norm();
  if (shape.type == "capsule") return offset + s[0] + 0.5 * s[1];
  if (shape.type == "cylinder") return offset + elementary::hypot(s[0], 0.5 * s[1]);
  if (shape.type == "ellipsoid") return offset + std::max({s[0], s[1], s[2]});
  double reach = 0.0;
  for (std::size_t v = 0; v + 2 < shape.vertices.size(); v += 3) {
    const Eigen::Vector3d point(shape.vertices[v], shape.vertices[v + 1], shape.vertices[v + 2]);
    reach = std::max(reach, point.norm());
  }
  return offset + reach;
}

Pose pose_in(const ReplayFrame& frame, std::size_t body) {
  const ReplayPose& pose = frame.poses[body];
  return {quaternion_from_wxyz(pose.quat_wxyz).normalized().toRotationMatrix(), pose.position};
}

Extent measure_extent(const std::vector<ReplayRun>& runs) {
  std::array<std::vector<double>, 3> first, later;
  std::vector<double> reaches;
  for (const ReplayRun& run : runs) {
    const std::vector<std::size_t> chosen = chosen_bodies(run);
    const std::size_t stride =
        std::max<std::size_t>(1, chosen.size() * run.frames.size() / kMostSamples);
    for (const std::size_t b : chosen) {
      const double reach = reach_of(run.bodies[b]);
      reaches.push_back(reach);
      for (std::size_t f = 0; f < run.frames.size(); f += f == 0 ? 1 : stride) {
        for (std::size_t k = 0; k < 3; ++k) {
          const double x = run.frames[f].poses[b].position[static_cast<Eigen::Index>(k)];
          std::vector<double>& values = (f == 0 ? first : later)[k];
          values.insert(values.end(), {x - reach, x + reach});
        }
      }
    }
  }
  Extent extent;
  if (reaches.empty()) {
    extent.box = {Eigen::Vector3d(-0.5, -0.5, 0.0), Eigen::Vector3d(0.5, 0.5, 1.0)};
    return extent;
  }
  Eigen::Vector3d low, high;
  for (std::size_t k = 0; k < 3; ++k) {
    if (later[k].empty()) later[k] = first[k];
    std::sort(first[k].begin(), first[k].end());
    std::sort(later[k].begin(), later[k].end());
    const auto axis = static_cast<Eigen::Index>(k);
    low[axis] = std::min(percentile(first[k], 0.08), percentile(later[k], 0.02));
    high[axis] = std::max(percentile(first[k], 0.92), percentile(later[k], 0.98));
  }
  std::sort(reaches.begin(), reaches.end());
  extent.box = {low, high};
  extent.radius = std::max(0.5 * (high - low).norm(), 1e-6);
  extent.body_radius = percentile(reaches, 0.5);
  return extent;
}

Eigen::Vector3d drawing_origin(const Extent& extent) {
  const Eigen::Vector3d center = extent.box.center();
  if (center.norm() <= kFarRadii * extent.radius) return Eigen::Vector3d::Zero();
  const double step = 5.0 * round_spacing(extent.radius / 6.0);
  return step * (center / step).array().round().matrix();
}

Eigen::AlignedBox3d box_in(const ReplayRun& run, const ReplayFrame& frame) {
  Eigen::AlignedBox3d box;
  for (const std::size_t b : chosen_bodies(run)) {
    const Eigen::Vector3d reach = Eigen::Vector3d::Constant(reach_of(run.bodies[b]));
    box.extend(frame.poses[b].position - reach);
    box.extend(frame.poses[b].position + reach);
  }
  return box;
}

}  // namespace amontons::io

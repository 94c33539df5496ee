#include "amontons/simulation/geometry_queries.h"

#include "amontons/geometry/ray_cast.h"
#include "amontons/geometry/signed_distance.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace amontons {
namespace {

/// Returns the indices of a body's shapes.
std::vector<int> shapes_of(const System& system, int body) {
  std::vector<int> result;
  for (std::size_t i = 0; i < system.shapes().size(); ++i) {
    if (system.shapes()[i].body == body) result.push_back(static_cast<int>(i));
  }
  if (result.empty()) {
    throw std::invalid_argument("'" + system.bodies()[static_cast<std::size_t>(body)].name +
                                "' has no shape from which a distance could be measured");
  }
  return result;
}

/// Returns the pose of a shape.
Pose pose_of(const System& system, const SystemKinematics& kinematics, int shape) {
  const CollisionShape& own = system.shapes()[static_cast<std::size_t>(shape)];
  return kinematics.X_WB[static_cast<std::size_t>(own.body)] * own.X_BG;
}

}  // namespace

BodyDistance distance_of_bodies(const System& system, const SystemKinematics& kinematics, int a,
                                int b) {
  BodyDistance best;
  best.distance = std::numeric_limits<double>::infinity();
  const std::vector<int> shapes_a = shapes_of(system, a), shapes_b = shapes_of(system, b);
  for (const int i : shapes_a) {
    for (const int k : shapes_b) {
      const SignedDistance own = signed_distance(
          system.shapes()[static_cast<std::size_t>(i)].shape, pose_of(system, kinematics, i),
          system.shapes()[static_cast<std::size_t>(k)].shape, pose_of(system, kinematics, k));
      if (!(own.distance < best.distance)) continue;
      best = {own.distance, own.p_A_W, own.p_B_W, own.normal_W, i, k};
    }
  }
  return best;
}

std::optional<SystemRayHit> cast_ray(const System& system, const SystemKinematics& kinematics,
                                     const Eigen::Vector3d& origin_W,
                                     const Eigen::Vector3d& direction_W, double max_distance,
                                     const std::vector<int>& left_out) {
  if (!(max_distance >= 0.0)) {
    throw std::invalid_argument("the largest distance of a ray must be at least 0 [m]");
  }
  std::optional<SystemRayHit> best;
  double farthest = max_distance;
  const Eigen::Vector3d unit = direction_W.normalized();
  for (std::size_t i = 0; i < system.shapes().size(); ++i) {
    const CollisionShape& own = system.shapes()[i];
    if (std::find(left_out.begin(), left_out.end(), own.body) != left_out.end()) continue;
    const Pose X_WG = pose_of(system, kinematics, static_cast<int>(i));
    // Most shapes are off the ray, which their bounding ball shows.
    const Eigen::Vector3d to_shape = X_WG.translation - origin_W;
    const double radius = bounding_radius(own.shape);
    const double along = unit.dot(to_shape);
    if (std::isfinite(radius) && unit.allFinite() &&
        (to_shape - along * unit).norm() > radius * (1.0 + 1e-9)) {
      continue;
    }
    const std::optional<RayHit> hit = cast_ray(own.shape, X_WG, origin_W, direction_W, farthest);
    if (!hit || (best && hit->distance >= best->distance)) continue;
    farthest = hit->distance;
    best = SystemRayHit{own.body, static_cast<int>(i), hit->distance,
                        origin_W + hit->distance * unit, hit->normal_W};
  }
  return best;
}

}  // namespace amontons

#pragma once

#include "amontons/simulation/system/kinematics.h"
#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

#include <limits>
#include <optional>
#include <vector>

namespace amontons {

/// Holds where two bodies are nearest, or how deep they overlap.
struct BodyDistance {
  double distance = 0.0;                 ///< [m]; negative inside: the depth of the deepest overlap
  Eigen::Vector3d point_a_W, point_b_W;  ///< witness points [m]: b = a + distance * normal
  Eigen::Vector3d normal_W;              ///< unit, from A to B
  int shape_a = -1, shape_b = -1;        ///< shapes that they are on, indices into System::shapes()
};

/// Returns the signed distance of two bodies: the least over their collision shapes, whatever the
/// collision filters say.
/// @throws std::invalid_argument for a body without shapes, or two unbounded ones.
BodyDistance distance_of_bodies(const System& system, const SystemKinematics& kinematics, int a,
                                int b);

/// Holds the first point of a system's shapes along a ray.
struct SystemRayHit {
  int body = -1, shape = -1;          ///< indices into System::bodies() and System::shapes()
  double distance = 0.0;              ///< from the origin of the ray [m]
  Eigen::Vector3d point_W, normal_W;  ///< the point [m], and the outward unit normal there
};

/// Returns the first point of all collision shapes along a ray, or nothing. Of equal distances the
/// shape of the smallest index counts.
/// @param left_out  bodies that the ray passes through.
/// @throws std::invalid_argument as cast_ray() of a shape (geometry/ray_cast.h), and for a negative
/// distance.
std::optional<SystemRayHit> cast_ray(const System& system, const SystemKinematics& kinematics,
                                     const Eigen::Vector3d& origin_W,
                                     const Eigen::Vector3d& direction_W,
                                     double max_distance = std::numeric_limits<double>::infinity(),
                                     const std::vector<int>& left_out = {});

}  // namespace amontons

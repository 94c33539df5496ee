#include "amontons/simulation/detection/passing_shapes.h"

#include "amontons/geometry/time_of_impact.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <variant>

namespace amontons {
namespace {

// Way in a step up to which contacts stay, and depth of an overlap ahead up to which shapes rest on
// each other, both relative to the thinner shape's thickness [-].
constexpr double kShortWay = 0.1, kRest = 1e-3;
// Share of the smallest gap at which shapes count as touching [-].
constexpr double kTouch = 1e-6;
// Limit of the distances of one search for a touch. A search that it ends has come near enough.
constexpr int kMaxDistances = 200;

/// Returns the largest depth to which contacts would overlap after a step at one of the velocities
/// [m].
double depth_ahead(const ShapeInStep& A, const ShapeInStep& B, std::span<const Contact> contacts,
                   std::size_t velocity, double h) {
  const ShapeVelocity &of_A = A.velocities[velocity], &of_B = B.velocities[velocity];
  double depth = -std::numeric_limits<double>::infinity();
  for (const Contact& contact : contacts) {
    const Eigen::Vector3d& x = contact.position_W;
    const Eigen::Vector3d relative =
        of_B.at(x - B.X_WG.translation) - of_A.at(x - A.X_WG.translation);
    depth = std::max(depth, -h * contact.normal_W.dot(relative) - contact.gap);
  }
  return depth;
}

/// Returns the thickness of the thinner shape [m]; one that is not bounded and convex has none.
double least_thickness(const ShapeInStep& A, const ShapeInStep& B) {
  if (A.thickness > 0.0 && B.thickness > 0.0) return std::min(A.thickness, B.thickness);
  return std::max(A.thickness, B.thickness);
}

/// Returns the least distance within a step of two balls about the shapes' origins [m].
double least_distance_of_balls(const ShapeInStep& A, const ShapeInStep& B, std::size_t velocity,
                               double h) {
  const Eigen::Vector3d offset = B.X_WG.translation - A.X_WG.translation;
  const Eigen::Vector3d relative = B.velocities[velocity].linear - A.velocities[velocity].linear;
  const double speed2 = relative.squaredNorm();
  const double time = speed2 > 0.0 ? std::clamp(-offset.dot(relative) / speed2, 0.0, h) : 0.0;
  return (offset + time * relative).norm() - A.velocities[velocity].radius -
         B.velocities[velocity].radius;
}

/// Returns true if the shapes stay apart for a step at one of their velocities.
bool stay_apart(const ShapeInStep& A, const ShapeInStep& B, std::size_t velocity, double h,
                double tolerance, double layer) {
  // The balls that hold the shapes are the shapes themselves where both are spheres.
  if (least_distance_of_balls(A, B, velocity, h) > layer + tolerance) return true;
  if (std::holds_alternative<Sphere>(A.shape) && std::holds_alternative<Sphere>(B.shape)) {
    return false;
  }
  const auto motion = [velocity](const ShapeInStep& one) {
    const ShapeVelocity& V = one.velocities[velocity];
    return ConstantMotion(one.X_WG, V.angular, V.linear);
  };
  const ConstantMotion of_A = motion(A), of_B = motion(B);
  return find_time_of_impact({A.shape, Pose{}, of_A}, {B.shape, Pose{}, of_B}, 0.0, h, tolerance,
                             layer, kMaxDistances)
             .status == ImpactStatus::Clear;
}

}  // namespace

bool pass_without_touching(const ShapeInStep& A, const ShapeInStep& B,
                           std::span<const Contact> contacts, double h, double layer) {
  const auto way = [&](std::size_t i) {
    return h * difference_of_speeds(A.velocities[i], B.velocities[i]);
  };
  if (!(std::max(way(0), way(1)) > kShortWay * least_thickness(A, B))) return false;
  double gap = contacts.front().gap;
  for (const Contact& contact : contacts) gap = std::min(gap, contact.gap);
  if (!(gap > 0.0)) return false;
  if (!(depth_ahead(A, B, contacts, 0, h) > 0.0 || depth_ahead(A, B, contacts, 1, h) > 0.0)) {
    return false;
  }
  const double tolerance = kTouch * gap;
  return stay_apart(A, B, 0, h, tolerance, layer) && stay_apart(A, B, 1, h, tolerance, layer);
}

bool meet_at_start(const ShapeInStep& A, const ShapeInStep& B, std::span<const Contact> contacts,
                   double h) {
  return depth_ahead(A, B, contacts, 0, h) > kRest * least_thickness(A, B);
}

}  // namespace amontons

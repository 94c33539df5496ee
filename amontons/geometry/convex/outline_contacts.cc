#include "amontons/geometry/convex/outline_contacts.h"

#include "amontons/geometry/convex/separation.h"
#include "amontons/geometry/convex/support_feature.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <array>
#include <optional>

namespace amontons::narrow_phase {
namespace {

using Eigen::Vector3d;

// Width of a face over the least radius of curvature of the round surface, at most [-].
constexpr double kSmallFace = 0.25;
// Share of the way to a point that the round shape's center may move within the step [-].
constexpr double kFarBeside = 0.5;
// Ways to a point that the face may roll within the step [-].
constexpr double kRollsOver = 8.0;
// Impulses may turn a face faster than it turns at the velocities that are known [-].
constexpr double kSafetyFactor = 2.0;
// Distance below which a point is the nearest one itself, relative to the face [-].
constexpr double kSamePoint = 1e-6;
// Corners of a face that are contacts, at most: others are thinned evenly.
constexpr int kMaxCorners = 8;
// Up to so many corners the middles of the sides are contacts, too.
constexpr int kMaxSides = 4;

// Names of the points: this label, with the id of a corner or of the tail of a side.
constexpr std::uint32_t kOutlineLabel = 4u << 28, kSide = 1u << 14, kMiddle = 1u << 15;

/// Describes a round surface near its point with an outward normal.
struct RoundSurface {
  double radius = 0.0;               ///< least radius of curvature [m]
  Vector3d axis = Vector3d::Zero();  ///< unit, straight direction; zero for balls and ellipsoids
};

/// Returns the round surface of a core at its point of outward normal n, if it is round there.
std::optional<RoundSurface> round_at(const ConvexCore& core, const Vector3d& n) {
  switch (core.type) {
    case CoreType::Point:
      return RoundSurface{core.radius};
    case CoreType::Ellipsoid: {
      const double shortest = core.half.minCoeff();
      return RoundSurface{shortest * shortest / core.half.maxCoeff()};
    }
    case CoreType::Segment:
    case CoreType::Cylinder: {
      const Vector3d axis = core.R.col(2);
      if (std::abs(axis.dot(n)) > kParallelSine) return std::nullopt;
      return RoundSurface{core.type == CoreType::Segment ? core.radius : core.half.x(), axis};
    }
    case CoreType::Box:
    case CoreType::Polyhedron:
      break;
  }
  return std::nullopt;
}

/// Holds a point of a face or edge that may be a contact.
struct OutlinePoint {
  Vector3d position;  ///< [m]
  std::uint32_t name = 0;
};

/// Returns corners, middles of sides and the middle of a face or edge.
std::vector<OutlinePoint> points_of(const SupportFeature& face) {
  std::vector<OutlinePoint> points;
  const int corners = std::min(face.count, kMaxCorners);
  const auto corner = [&](int k) -> const SupportFeature::Vertex& {
    return face.vertices[static_cast<std::size_t>((k % corners) * face.count / corners)];
  };
  Vector3d sum = Vector3d::Zero();
  for (int k = 0; k < corners; ++k) {
    const auto id = static_cast<std::uint32_t>(corner(k).id);
    sum += corner(k).position;
    points.push_back({corner(k).position, kOutlineLabel | id});
    if (corners > kMaxSides || corners == 2) continue;
    points.push_back(
        {0.5 * (corner(k).position + corner(k + 1).position), kOutlineLabel | kSide | id});
  }
  points.push_back({sum / corners, kOutlineLabel | kMiddle});
  return points;
}

/// Returns the largest distance of two corners of a face [m].
double width_of(const SupportFeature& face) {
  double width = 0.0;
  for (int i = 0; i < face.count; ++i) {
    for (int j = 0; j < i; ++j) {
      const Vector3d way = face.vertices[static_cast<std::size_t>(i)].position -
                           face.vertices[static_cast<std::size_t>(j)].position;
      width = std::max(width, way.norm());
    }
  }
  return width;
}

/// Returns the part of a vector across a unit vector, or all of it for zero.
Vector3d across(const Vector3d& v, const Vector3d& axis) { return v - axis.dot(v) * axis; }

/// Describes a small face or edge of one shape that leans against a round surface of the other.
struct Leaning {
  const ConvexCore &flat, &round;
  bool is_A_flat;
  RoundSurface surface;
  SupportFeature face;
  double width;                           ///< [m]
  const ClosingMotion::Turning& turning;  ///< of the flat shape [rad/s]
};

/// Returns a width that no face and no edge of a shape falls below [m].
double least_width(const ConvexCore& flat) {
  return flat.type == CoreType::Box ? 2.0 * flat.half.minCoeff() : 0.0;
}

/// Returns the face that leans against a round surface, if it is small and may turn.
std::optional<Leaning> find_leaning(const CorePair& pair, bool is_A_flat, const Vector3d& normal,
                                    const ClosingMotion& motion) {
  const ConvexCore &flat = is_A_flat ? pair.A : pair.B, &round = is_A_flat ? pair.B : pair.A;
  const std::optional<ClosingMotion::Turning>& turning = motion.turning[is_A_flat ? 0 : 1];
  if (!turning || !has_flat_features(flat)) return std::nullopt;
  const Vector3d out = is_A_flat ? normal : Vector3d(-normal);
  const std::optional<RoundSurface> surface = round_at(round, -out);
  if (!surface || least_width(flat) > kSmallFace * surface->radius) return std::nullopt;
  const SupportFeature face = support_feature(flat, out, {kManifoldSine, 0.0});
  const double width = width_of(face);
  if (face.count < 2 || width > kSmallFace * surface->radius) return std::nullopt;
  return Leaning{flat, round, is_A_flat, *surface, face, width, *turning};
}

/// Returns the separation of the shapes at one point of the face.
Separation separation_at(const Leaning& leaning, const Vector3d& point, const Vector3d& normal) {
  ConvexCore corner;
  corner.radius = leaning.flat.radius;
  corner.p = leaning.is_A_flat ? Vector3d(point - corner.radius * normal)
                               : Vector3d(point + corner.radius * normal);
  return separation(leaning.is_A_flat ? CorePair{corner, leaning.round}
                                      : CorePair{leaning.round, corner});
}

/// Returns true if the shapes may roll over a point within the step.
/// @param own     separation at the point.
/// @param beside  distance of the point from the nearest one [m].
bool rolls_over(const Leaning& leaning, const Separation& own, double beside,
                const ClosingMotion& motion) {
  const Vector3d& axis = leaning.surface.axis;
  const Vector3d& on_face = leaning.is_A_flat ? own.a : own.b;
  const Vector3d center = leaning.round.p + axis.dot(on_face - leaning.round.p) * axis;
  for (std::size_t i = 0; i < 2; ++i) {
    // The surface of a round shape stays where it is as the shape turns about its center.
    const Vector3d& turning = leaning.turning[i];
    const Vector3d of_B = motion.twists[i].at(center);
    const Vector3d of_face = turning.cross(on_face - center);
    const Vector3d moved = leaning.is_A_flat ? Vector3d(of_face - of_B) : Vector3d(of_face + of_B);
    const double passed = across(across(moved, own.normal), axis).norm();
    const double rolled = leaning.surface.radius * across(turning, own.normal).norm();
    if (motion.time * passed > kFarBeside * beside) return true;
    if (motion.time * rolled > kRollsOver * beside) return true;
  }
  return false;
}

/// Returns the largest gap that a point of the face may close [m]: it turns about the nearest
/// point, with what it turns now and with what stops there.
double gap_to_close(const Leaning& leaning, const Separation& nearest, double way,
                    const ClosingMotion& motion) {
  const double rate = std::max(leaning.turning[0].norm(), leaning.turning[1].norm());
  return kSafetyFactor * (motion.gap_at(nearest.a, nearest.normal) + motion.time * rate * way);
}

/// Appends the contacts of the points of a face.
void append_points(const Leaning& leaning, const Separation& nearest, double horizon,
                   const ClosingMotion& motion, std::vector<ContactPoint>& contacts) {
  const Vector3d& axis = leaning.surface.axis;
  const Vector3d& on_round = leaning.is_A_flat ? nearest.b : nearest.a;
  for (const OutlinePoint& point : points_of(leaning.face)) {
    const Separation own = separation_at(leaning, point.position, nearest.normal);
    const Vector3d way = (leaning.is_A_flat ? own.b : own.a) - on_round;
    const double reach = std::min(horizon, gap_to_close(leaning, nearest, way.norm(), motion));
    // Beyond the end of a cylinder its side is not what the face meets.
    if (!(own.distance <= reach) || std::abs(axis.dot(own.normal)) > kParallelSine) continue;
    const double beside = across(across(way, nearest.normal), axis).norm();
    if (beside <= kSamePoint * leaning.width || rolls_over(leaning, own, beside, motion)) continue;
    contacts.push_back({0.5 * (own.a + own.b), own.normal, own.distance, point.name});
  }
}

}  // namespace

void append_outline(const CorePair& pair, const Separation& nearest, double horizon,
                    const ClosingMotion& motion, std::vector<ContactPoint>& contacts) {
  for (const bool is_A_flat : {true, false}) {
    const auto leaning = find_leaning(pair, is_A_flat, nearest.normal, motion);
    if (leaning) append_points(*leaning, nearest, horizon, motion, contacts);
  }
}

}  // namespace amontons::narrow_phase

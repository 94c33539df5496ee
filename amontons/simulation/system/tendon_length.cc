#include "amontons/simulation/system/tendon_length.h"

#include "amontons/geometry/wrap.h"
#include "amontons/simulation/system/loop_coordinates.h"

#include <cmath>
#include <optional>

namespace amontons {
namespace {

using Eigen::Vector3d;

/// Measures the path of a tendon in space.
class PathMeter {
 public:
  PathMeter(const System& system, const SystemKinematics& kinematics, BlockSparseMatrix& jacobian)
      : system_(system), kinematics_(kinematics), jacobian_(jacobian) {}

  /// Returns the length of a part of the path, times its share, and adds its rate to the row.
  double measure(const TendonSegment& segment) const {
    const Vector3d start = position(segment.start), end = position(segment.end);
    if (segment.slide) {
      return along(*segment.slide, segment.start.body, start, segment.end.body, end, segment.share);
    }
    const std::optional<Wrap> wrap =
        segment.obstacle ? wrap_at(*segment.obstacle, start, end) : std::nullopt;
    if (!wrap) {
      return straight(segment.start.body, start, segment.end.body, end, segment.share);
    }
    // The arc has a constant length as seen by its ends; the straight parts change.
    const int around = segment.obstacle->body;
    return straight(segment.start.body, start, around, wrap->first, segment.share) +
           segment.share * wrap->length +
           straight(around, wrap->last, segment.end.body, end, segment.share);
  }

 private:
  Vector3d position(const TendonPoint& point) const {
    return kinematics_.X_WB[static_cast<std::size_t>(point.body)] * point.p_B;
  }

  /// Returns the part of a cord that touches a surface, in W.
  std::optional<Wrap> wrap_at(const TendonObstacle& obstacle, const Vector3d& start,
                              const Vector3d& end) const {
    const Pose X_WG = kinematics_.X_WB[static_cast<std::size_t>(obstacle.body)] * obstacle.X_BG;
    const Pose X_GW = X_WG.inverse();
    std::optional<Vector3d> side;
    if (obstacle.side) side = X_GW * position(*obstacle.side);
    std::optional<Wrap> wrap = wrap_cord(obstacle.surface, X_GW * start, X_GW * end, side);
    if (wrap) *wrap = {X_WG * wrap->first, X_WG * wrap->last, wrap->length};
    return wrap;
  }

  /// Returns true if two bodies are one link, or both are fixed.
  bool are_rigid(int a, int b) const {
    const Body& first = system_.bodies()[static_cast<std::size_t>(a)];
    const Body& second = system_.bodies()[static_cast<std::size_t>(b)];
    return first.articulation == second.articulation && first.link == second.link;
  }

  /// Returns a share of the distance from a point of one body to one of another, and adds its rate.
  double straight(int body_a, const Vector3d& a, int body_b, const Vector3d& b,
                  double share) const {
    const Vector3d way = b - a;
    const double length = way.norm();
    if (length == 0.0 || are_rigid(body_a, body_b)) return share * length;
    add_relative_rate(body_a, a, body_b, b, share / length * way);
    return share * length;
  }

  /// Returns a share of the way of a slider on an axis of one body, and adds its rate. A rod of
  /// length r holds it to point b of another body: s = a.d - sqrt((a.d)^2 + r^2 - d.d), with the
  /// unit axis a and d = b - start. Without a rod s = a.d.
  double along(const TendonSlide& slide, int body_a, const Vector3d& start, int body_b,
               const Vector3d& b, double share) const {
    const Vector3d axis =
        kinematics_.X_WB[static_cast<std::size_t>(body_a)].rotation * slide.axis_B;
    const Vector3d d = b - start;
    const double reach = axis.dot(d);
    double way = reach;
    Vector3d slope = axis;
    const double square =
        slide.rod ? reach * reach + *slide.rod * *slide.rod - d.squaredNorm() : 0.0;
    if (square > 0.0) {
      const double root = std::sqrt(square);
      way = reach - root;
      slope = axis * (1.0 - reach / root) + d / root;
    }
    // The way depends on where b is as seen from the body of the axis, which moves at b.
    if (!are_rigid(body_a, body_b)) add_relative_rate(body_a, b, body_b, b, share * slope);
    return share * way;
  }

  /// Adds the velocity of point b of one body along a direction, less that of point a of another.
  void add_relative_rate(int body_a, const Vector3d& a, int body_b, const Vector3d& b,
                         const Vector3d& direction) const {
    Eigen::Matrix<double, 1, 6> pull = Eigen::Matrix<double, 1, 6>::Zero();
    pull.tail<3>() = direction.transpose();
    add_body_rate(system_, kinematics_, body_b, b, pull, jacobian_);
    add_body_rate(system_, kinematics_, body_a, a, -pull, jacobian_);
  }

  const System& system_;
  const SystemKinematics& kinematics_;
  BlockSparseMatrix& jacobian_;
};

}  // namespace

std::vector<int> bodies_of_path(const LoopCoordinateSite& site) {
  std::vector<int> bodies;
  for (const TendonSegment& segment : site.path) {
    bodies.push_back(segment.start.body);
    bodies.push_back(segment.end.body);
    if (!segment.obstacle) continue;
    bodies.push_back(segment.obstacle->body);
    if (segment.obstacle->side) bodies.push_back(segment.obstacle->side->body);
  }
  return bodies;
}

double measure_tendon(const System& system, const LoopCoordinateSite& site,
                      const SystemKinematics& kinematics, BlockSparseMatrix& jacobian) {
  double length = 0.0;
  for (const WeighedCoordinate& term : site.terms) {
    const CoordinatePlace& at = term.place;
    if (at.loop >= 0) {
      length += term.coefficient * kinematics.loops.position[at.loop];
      add_loop_coordinate(kinematics.loops, at.loop, term.coefficient, jacobian);
      continue;
    }
    length += term.coefficient * kinematics.q[at.q_index];
    const int a = system.articulation_of(at.v_index), first = system.v_offset(a);
    const int nv = system.articulations()[static_cast<std::size_t>(a)].num_velocities();
    jacobian.block_at(first, nv)(0, at.v_index - first) += term.coefficient;
  }
  const PathMeter meter(system, kinematics, jacobian);
  for (const TendonSegment& segment : site.path) length += meter.measure(segment);
  return length;
}

}  // namespace amontons

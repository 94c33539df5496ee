#include "amontons/geometry/shapes/normal_cone.h"

#include "amontons/math/elementary.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace amontons {
namespace {

using Eigen::Vector3d;

// Half angles are rounded up by this [rad]: features are touched with a tolerance of 1e-6.
constexpr double kRounding = 1e-5;
// Edges that meet at a smaller angle [rad] determine no normal across both.
constexpr double kParallel = 5e-5;
// Straight edges, as tolerances of features have them [rad].
constexpr double kStraight = 2e-6;
// Corners take this more for what a tolerance of 1e-6 changes where edges are kParallel [rad].
constexpr double kCornerSlack = 0.05;
// Cones whose half angle has a smaller cosine bound nothing that is worth a test [-].
constexpr double kWide = 0.2;

double sine_of(double cosine) { return std::sqrt(std::max(0.0, 1.0 - cosine * cosine)); }

/// Holds the cosine and the sine of an angle.
struct Angle {
  explicit Angle(double angle) : cosine(elementary::cos(angle)), sine(elementary::sin(angle)) {}
  double cosine, sine;
};

/// Returns the cone around unit vectors, larger by an angle; all directions if it is wide.
NormalCone around(std::span<const Vector3d> directions, const Angle& more) {
  Vector3d sum = Vector3d::Zero();
  for (const Vector3d& n : directions) sum += n;
  const double length = sum.norm();
  if (!(length > kWide)) return {};
  NormalCone cone{sum / length, 1.0, 0.0};
  for (const Vector3d& n : directions) cone.cosine = std::min(cone.cosine, cone.axis.dot(n));
  if (cone.cosine < kWide) return {};
  cone.sine = sine_of(cone.cosine);
  return cone.grown(more.cosine, more.sine);
}

}  // namespace

NormalCone NormalCone::of_edge(const Vector3d& left, const Vector3d& right) {
  static const Angle rounding(kRounding);
  return around(std::array{left, right}, rounding);
}

NormalCone NormalCone::of_corner(const std::vector<Vector3d>& normals,
                                 std::span<const Vector3d> spokes) {
  if (spokes.size() < 3) return {};
  std::vector<Vector3d> directions = normals;
  // The extreme ones of all n with n . spoke <= 0 are normal to two spokes.
  for (std::size_t i = 0; i < spokes.size(); ++i) {
    for (std::size_t j = i + 1; j < spokes.size(); ++j) {
      const Vector3d across = spokes[i].cross(spokes[j]);
      const double length = across.norm();
      if (length < kStraight) continue;
      if (length < kParallel) return {};
      for (const double sign : {1.0, -1.0}) {
        const Vector3d n = sign / length * across;
        const bool is_touched = std::all_of(spokes.begin(), spokes.end(), [&n](const auto& spoke) {
          return n.dot(spoke) <= kStraight;
        });
        if (is_touched) directions.push_back(n);
      }
    }
  }
  static const Angle slack(kCornerSlack);
  return around(directions, slack);
}

NormalCone NormalCone::grown(double cosine_more, double sine_more) const {
  // The sum of both angles, and all directions from a half turn on.
  const double sum_sine = sine * cosine_more + cosine * sine_more;
  if (cosine < -1.0 || sum_sine < 0.0) return {};
  return {axis, cosine * cosine_more - sine * sine_more, sum_sine};
}

Aabb NormalCone::bounds() const {
  // The largest component along an axis is the cosine of the angle that the cone leaves to it.
  const auto largest = [this](double component) {
    if (component >= cosine) return 1.0;
    return std::min(1.0, component * cosine + sine_of(component) * sine);
  };
  Aabb box;
  for (int i = 0; i < 3; ++i) {
    box.upper[i] = largest(axis[i]);
    box.lower[i] = -largest(-axis[i]);
  }
  return box;
}

}  // namespace amontons

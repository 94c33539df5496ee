#include "experiments/public/masonry-arch/arch.h"

#include "amontons/geometry/shapes/convex_polyhedron.h"
#include "experiments/public/scene_parts.h"

#include <cmath>
#include <memory>
#include <string>
#include <vector>

namespace amontons::experiments {
namespace {

/// Evaluates the line of centers.
class Catenary {
 public:
  explicit Catenary(const Arch& arch)
      : arch_(arch),
        rise_(arch.height / (arch.foot_area / arch.crown_area - 1.0)),
        rate_(std::acosh(arch.foot_area / arch.crown_area) / arch.half_span) {}

  double height(double x) const { return arch_.height - rise_ * (std::cosh(rate_ * x) - 1.0); }
  double slope(double x) const { return -rise_ * rate_ * std::sinh(rate_ * x); }

  /// Returns the length between two places, by Simpson's rule [m].
  double length(double from, double to) const {
    constexpr int kParts = 2000;
    const double h = (to - from) / kParts;
    double sum = 0.0;
    for (int k = 0; k <= kParts; ++k) {
      const double weight = k == 0 || k == kParts ? 1.0 : (k % 2 == 0 ? 2.0 : 4.0);
      sum += weight * std::hypot(1.0, slope(from + k * h));
    }
    return sum * h / 3.0;
  }

  /// Returns the place that lies `distance` beyond `from` along the line [m], by bisection.
  double beyond(double from, double distance) const {
    double low = from, high = from + distance;
    for (int k = 0; k < 60; ++k) {
      const double middle = 0.5 * (low + high);
      (length(from, middle) < distance ? low : high) = middle;
    }
    return 0.5 * (low + high);
  }

 private:
  Arch arch_;
  double rise_, rate_;
};

/// Holds the inner and the outer edge of a joint, and its side [m].
struct Joint {
  Eigen::Vector3d inner, outer;
  double side = 0.0;
};

Joint joint_at(const Arch& arch, const Catenary& line, double x) {
  const double share = std::max(0.0, line.height(x)) / arch.height;
  const double foot = std::sqrt(arch.foot_area), crown = std::sqrt(arch.crown_area);
  const double side = foot + share * (crown - foot);
  const Eigen::Vector3d center(x, 0.0, line.height(x));
  const Eigen::Vector3d across = Eigen::Vector3d(-line.slope(x), 0.0, 1.0).normalized();
  return {center - 0.5 * side * across, center + 0.5 * side * across, side};
}

SceneBody stone(const std::string& name, const Joint& left, const Joint& right, double density,
                bool is_fixed) {
  // The stone's frame lies in the middle of its corners.
  const Eigen::Vector3d middle = 0.25 * (left.inner + left.outer + right.inner + right.outer);
  std::vector<Eigen::Vector3d> corners;
  for (const Joint* joint : {&left, &right}) {
    for (const double half : {-0.5, 0.5}) {
      const Eigen::Vector3d depth(0.0, half * joint->side, 0.0);
      corners.push_back(joint->inner + depth - middle);
      corners.push_back(joint->outer + depth - middle);
    }
  }
  const Shape hull = std::make_shared<const ConvexPolyhedron>(ConvexPolyhedron::hull_of(corners));
  const Pose pose{Eigen::Matrix3d::Identity(), middle};
  return is_fixed ? fixed(name, hull, pose) : solid(name, hull, density, pose);
}

}  // namespace

void add_stones(const Arch& arch, Scene& scene) {
  const Catenary line(arch);
  const double length = line.length(-arch.half_span, arch.half_span) / arch.stones;
  double x = -arch.half_span;
  Joint left = joint_at(arch, line, x);
  for (int k = 0; k < arch.stones; ++k) {
    x = line.beyond(x, length);
    const Joint right = joint_at(arch, line, x);
    const bool is_end = k == 0 || k + 1 == arch.stones;
    scene.bodies.push_back(stone("stone-" + std::to_string(k), left, right, arch.density, is_end));
    left = right;
  }
}

}  // namespace amontons::experiments

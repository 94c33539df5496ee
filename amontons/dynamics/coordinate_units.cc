#include "amontons/dynamics/coordinate_units.h"

#include <algorithm>
#include <cmath>

namespace amontons {
namespace {

using Eigen::Index;

/// Returns the longest arm of a tree [m], or 1 m where all its mass lies in one point.
double size_of(const Articulation& tree) {
  double size = 0.0;
  for (const Link& link : tree.links()) {
    if (link.inertia.mass > 0.0) {
      const double moment = 0.5 * link.inertia.inertia_about_origin().trace();
      size = std::max(size, std::sqrt(moment / link.inertia.mass));
    }
    // A root's joint has its place in the world, which is no arm.
    if (link.parent >= 0) size = std::max(size, link.X_PF.translation.norm());
    size = std::max(size, link.X_MB.translation.norm());
  }
  return size > 0.0 ? size : 1.0;
}

/// Returns true if column k of a joint's motion subspace turns the link.
template <typename Subspace>
bool is_turn(const Subspace& S, Index k) {
  return !S.col(k).template head<3>().isZero(0.0);
}

}  // namespace

double coordinate_unit(const Articulation& tree, Index coordinate) {
  for (const Link& link : tree.links()) {
    const auto S = joint_motion_subspace(link.geometry(), neutral_position(link.joint));
    if (coordinate < S.cols()) return is_turn(S, coordinate) ? 1.0 : size_of(tree);
    coordinate -= S.cols();
  }
  return 1.0;
}

CoordinateUnits::CoordinateUnits(const Articulation& tree) {
  const double size = size_of(tree);
  is_angle.resize(tree.num_velocities());
  Index first = 0;
  for (const Link& link : tree.links()) {
    const auto S = joint_motion_subspace(link.geometry(), neutral_position(link.joint));
    for (Index k = 0; k < S.cols(); ++k) {
      is_angle[first++] = is_turn(S, k) ? 1.0 : 0.0;
    }
  }
  unit = (is_angle.array() > 0.0).select(Eigen::VectorXd::Ones(first), size);
}

void CoordinateUnits::append(const CoordinateUnits& other) {
  const Index n = unit.size(), added = other.unit.size();
  unit.conservativeResize(n + added);
  is_angle.conservativeResize(n + added);
  unit.tail(added) = other.unit;
  is_angle.tail(added) = other.is_angle;
}

}  // namespace amontons

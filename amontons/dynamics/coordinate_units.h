#pragma once

#include "amontons/dynamics/articulation.h"

#include <Eigen/Core>

namespace amontons {

/// Returns the unit in which displacements along a velocity coordinate of a tree are compared: an
/// angle of 1 rad, or the size of the tree [m] (CoordinateUnits).
double coordinate_unit(const Articulation& tree, Eigen::Index coordinate);

/// Holds the units in which an integrator compares the velocities of a tree: an angle of 1 rad, and
/// a displacement by the size of the tree. No result then depends on the unit of length.
struct CoordinateUnits {
  CoordinateUnits() = default;
  /// The size of a tree is its longest arm: a radius of gyration, or a distance of joints.
  explicit CoordinateUnits(const Articulation& tree);

  /// Adds the units of another tree, which follow.
  void append(const CoordinateUnits& other);
  /// Returns the fastest of the velocities v [nv], in units a second.
  double fastest(const Eigen::Ref<const Eigen::VectorXd>& v) const {
    return v.cwiseQuotient(unit).lpNorm<Eigen::Infinity>();
  }
  /// Returns the fastest rate of an angle among the velocities v [nv] [rad/s].
  double fastest_turn(const Eigen::Ref<const Eigen::VectorXd>& v) const {
    return v.cwiseProduct(is_angle).lpNorm<Eigen::Infinity>();
  }

  Eigen::VectorXd unit;      ///< [nv] 1 [rad], or the size of the tree [m]
  Eigen::VectorXd is_angle;  ///< [nv] 1 for an angle, else 0
};

}  // namespace amontons

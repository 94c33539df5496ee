#pragma once

#include <Eigen/Core>

#include <optional>
#include <vector>

namespace amontons {

/// Describes how one tree moves in [0, h] after an instant, as an integrator has computed it.
class TreeMotion {
 public:
  virtual ~TreeMotion() = default;

  /// Writes q and v of the tree at the time `elapsed` in [0, h] [s].
  virtual void state_at(double elapsed, Eigen::Ref<Eigen::VectorXd> q,
                        Eigen::Ref<Eigen::VectorXd> v) = 0;

  /// Returns the effort of a state and of bounds near it, in distances of two boxes
  /// (geometry/distance_effort.h).
  virtual int effort() const = 0;

  /// Returns the acceleration of the tree's only link, where it falls freely: its origin's is
  /// constant [m/s^2], and so is its angular velocity.
  virtual std::optional<Eigen::Vector3d> free_fall() const { return std::nullopt; }

  /// Returns the elapsed times at which parts of the motion begin, and h [s].
  virtual const std::vector<double>& breaks() const = 0;
};

}  // namespace amontons

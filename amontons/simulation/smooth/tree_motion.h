#pragma once

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// How one tree moves in [0, h] after an instant, as an integrator has found it.
class TreeMotion {
 public:
  virtual ~TreeMotion() = default;

  /// q and v of the tree, elapsed in [0, h].
  virtual void state_at(double elapsed, Eigen::Ref<Eigen::VectorXd> q,
                        Eigen::Ref<Eigen::VectorXd> v) = 0;

  /// Elapsed times at which parts of the motion begin, and h.
  virtual const std::vector<double>& breaks() const = 0;
};

}  // namespace amontons

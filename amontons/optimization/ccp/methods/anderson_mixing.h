#pragma once

#include <Eigen/Core>

namespace amontons {

/// Accelerates a fixed-point iteration x <- g(x) [Anderson 1965; Walker, Ni 2011, type II]. The
/// next point is the combination of the last few g(x) whose residuals g(x) - x combine to the
/// least.
class AndersonMixing {
 public:
  /// @param memory  number of differences of residuals that are kept, > 0.
  explicit AndersonMixing(int memory) : memory_(memory) {}

  /// Combines the last points.
  /// @returns the next point after x was mapped to g.
  Eigen::VectorXd next(const Eigen::VectorXd& x, const Eigen::VectorXd& g);

  /// Forgets all points; the next point is then g itself.
  void reset() { count_ = 0; }

  /// Returns |g(x) - x| of the last call.
  double residual() const { return residual_; }

 private:
  int memory_;
  int count_ = 0;  // points seen since the last reset
  double residual_ = 0.0;
  Eigen::VectorXd f_, g_;
  Eigen::MatrixXd df_, dg_;   // one difference per column, cyclic
  Eigen::MatrixXd products_;  // df'df of the columns in use
};

}  // namespace amontons

#pragma once

#include "amontons/optimization/ccp/cone_problem.h"

#include <Eigen/Core>

namespace amontons {

/// Solves one contact's part of the convex problem  min 1/2 r'W r + q'r, r in K:  the minimizer
/// with diag(a, a, b) >= W_ii in place of W_ii, which is one projection on a cone of another slope.
/// It is exact where W_ii is such a matrix itself, as between spheres; elsewhere it is a descent
/// step.
class SingleAssociatedContact {
 public:
  SingleAssociatedContact() = default;
  /// @param W  symmetric positive semidefinite.
  SingleAssociatedContact(const Eigen::Matrix3d& W, const Cone& cone);

  /// Returns the new reaction.
  /// @param r  in the cone.
  /// @param u  W r + q with that r.
  Eigen::Vector3d solve(const Eigen::Vector3d& r, const Eigen::Vector3d& u) const;

 private:
  double root_t_ = 1.0, root_n_ = 1.0;  // roots of a and b
  Cone scaled_;                         // the cone in the units of that scaling
};

}  // namespace amontons

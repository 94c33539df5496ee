#pragma once

#include "amontons/models/formulation/drag_system.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// Solves the normal problem of a DragProblem with given shares theta of its drag, on the sparse
/// matrix of the island:
///
///   r_t = -theta b u_t,     r_n = V max(0, y / eps),     y = -u_n / V
///
/// It is strictly convex, so that its solution is unique and continuous in theta: loads that the
/// velocity leaves open are shared out as those of least norm are (docs/theory/no-slip.md).
class RegularizedDrag {
 public:
  /// The operator of the problem must outlive the object.
  explicit RegularizedDrag(const DragProblem& problem);
  // Its system refers to its own problem.
  RegularizedDrag(const RegularizedDrag&) = delete;
  RegularizedDrag& operator=(const RegularizedDrag&) = delete;

  /// Solves by Newton's method from the last solution, or by continuation in eps where that fails.
  /// @param shares  theta [n] in [0, 1].
  /// @param lifted  contacts without normal impulses.
  /// @returns false without a solution.
  bool solve(const Eigen::VectorXd& shares, const std::vector<Eigen::Index>& lifted);

  /// Returns r of the last solution [3 n].
  const Eigen::VectorXd& reactions() const { return system_.at.r; }
  /// Returns u of the last solution [3 n].
  const Eigen::VectorXd& velocities() const { return system_.at.u; }
  /// Returns r_n / V where a contact has a load, else y [n]. Lifted contacts have y.
  Eigen::VectorXd loads() const;
  int num_steps() const { return system_.num_steps(); }  ///< factorizations until now

  static constexpr double kEps = 1e-6;  ///< eps of the solutions [-]

 private:
  DragProblem problem_;  // its drag numbers are theta b
  Eigen::VectorXd drag_numbers_;
  DragSystem system_;
  bool has_solution_ = false;
};

}  // namespace amontons

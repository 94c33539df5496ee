#pragma once

#include "amontons/models/formulation/drag_system.h"
#include "amontons/models/formulation/regularized_drag.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// Finds shares of the drag of a DragProblem that agree with the loads of the regularized problem
/// (regularized_drag.h), by the search of shares (drag_share_search.h). Its solves take a few
/// sparse factorizations each.
class DragSearch {
 public:
  /// The operator of the problem must outlive the object.
  explicit DragSearch(const DragProblem& problem) : regularized_(problem) {}

  /// Searches from the shares of the last search, or from the contacts that the free motion closes.
  /// @param problem  that of the constructor.
  /// @param whole    true at contacts [n] that have their whole drag, whatever their load.
  /// @returns false where no shares are found, or the effort is spent.
  bool find(const DragProblem& problem, const std::vector<char>& whole);

  /// Returns r of the last solution [3 n].
  const Eigen::VectorXd& reactions() const { return regularized_.reactions(); }
  /// Returns the z_0 [n] with which a DragSystem has the last solution at RegularizedDrag::kEps.
  /// @param whole      as in the search.
  /// @param dead_band  minus z_0 of open contacts [-].
  Eigen::VectorXd bases(const std::vector<char>& whole, double dead_band) const;
  int num_steps() const { return regularized_.num_steps(); }  ///< factorizations until now

 private:
  RegularizedDrag regularized_;
  Eigen::VectorXd shares_, loads_;  // theta, and z of the last solution [n]
};

}  // namespace amontons

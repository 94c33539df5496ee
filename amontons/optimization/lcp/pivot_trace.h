#pragma once

#include <Eigen/Core>

#include <utility>
#include <vector>

namespace amontons {

/// Gathers the exchanges of pivoting methods of the calling thread while the object lives. It hides
/// an outer trace. The variables of w = M z + q + d z_0, [n] each, are numbered z_i = i,
/// w_i = n + i, z_0 = 2 n.
class PivotTrace {
 public:
  /// Holds one exchange: the variable that enters the basis, and the one that leaves it.
  using Pivot = std::pair<Eigen::Index, Eigen::Index>;

  PivotTrace() : outer_(current_) { current_ = this; }
  ~PivotTrace() { current_ = outer_; }
  PivotTrace(const PivotTrace&) = delete;
  PivotTrace& operator=(const PivotTrace&) = delete;

  const std::vector<Pivot>& pivots() const { return pivots_; }  ///< in their order

  /// Adds an exchange to the innermost trace of the calling thread, if there is one.
  static void note(Eigen::Index entering, Eigen::Index leaving) {
    if (current_ != nullptr) current_->pivots_.emplace_back(entering, leaving);
  }

 private:
  static inline thread_local PivotTrace* current_ = nullptr;
  std::vector<Pivot> pivots_;
  PivotTrace* outer_;
};

}  // namespace amontons

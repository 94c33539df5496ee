#pragma once

#include <vector>

namespace amontons {

/// Gathers the residuals that iterative solvers of the calling thread evaluate while the object
/// lives. It hides an outer trace.
class ResidualTrace {
 public:
  ResidualTrace() : outer_(current_) { current_ = this; }
  ~ResidualTrace() { current_ = outer_; }
  ResidualTrace(const ResidualTrace&) = delete;
  ResidualTrace& operator=(const ResidualTrace&) = delete;

  const std::vector<double>& residuals() const { return residuals_; }  ///< in their order [-]

  /// Returns true if the calling thread has a trace: what a method measures for it alone is needed.
  static bool is_on() { return current_ != nullptr; }

  /// Adds a residual to the innermost trace of the calling thread, if there is one.
  static void note(double residual) {
    if (current_ != nullptr) current_->residuals_.push_back(residual);
  }

 private:
  static inline thread_local ResidualTrace* current_ = nullptr;
  std::vector<double> residuals_;
  ResidualTrace* outer_;
};

}  // namespace amontons

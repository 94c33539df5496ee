#pragma once

#include "amontons/contact/contact_solution.h"

namespace amontons {

/// Shortens a motion between events whose solution cannot stay, by halves, down to a sixteenth of
/// the shortest step. Where half the length has no solution either, conditions contradict each
/// other whatever the length, and the longer motion stays.
class StepHalving {
 public:
  /// @param shortest  shortest step of the scene [s].
  explicit StepHalving(double shortest) : least_(shortest / 16.0) {}

  /// Returns the length to solve next [s]; it is h if the solution stays.
  /// @param h            length of the motion that was solved [s].
  /// @param is_accepted  the method accepts its solution.
  /// @param passes       shapes pass through each other in it.
  /// @param status       status of the solution.
  double next(double h, bool is_accepted, bool passes, SolveStatus status) {
    const bool stays = (is_accepted && !passes) || has_ended_;
    const bool is_infeasible = !is_accepted && status == SolveStatus::Infeasible;
    if (!stays && is_infeasible && was_infeasible_) {
      has_ended_ = true;
      return 2.0 * h;
    }
    was_infeasible_ = is_infeasible;
    return !stays && h > least_ ? 0.5 * h : h;
  }

 private:
  const double least_;
  bool was_infeasible_ = false, has_ended_ = false;
};

}  // namespace amontons

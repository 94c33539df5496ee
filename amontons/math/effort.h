#pragma once

#include "amontons/math/stop.h"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace amontons {

/// Counts the work of solvers.
struct WorkCounts {
  std::int64_t factorizations = 0;  ///< of a matrix of the whole problem, and interior point steps
  std::int64_t sweeps = 0;          ///< over all contacts of a problem
  std::int64_t pivots = 0;          ///< exchanges of one variable, and work of that size

  /// Returns the effort in equivalent factorizations: sweeps and pivots count a sixteenth.
  double effort() const {
    return static_cast<double>(factorizations) + static_cast<double>(sweeps + pivots) / 16.0;
  }
  /// Adds the counts of other work.
  WorkCounts& operator+=(const WorkCounts& other) {
    factorizations += other.factorizations;
    sweeps += other.sweeps;
    pivots += other.pivots;
    return *this;
  }
  bool operator==(const WorkCounts&) const = default;  ///< compares all counts
};

/// Counts the work of the calling thread, and limits its effort, while the object lives. It hides
/// an outer budget, which knows nothing of this one's work unless add_work() tells it.
///
/// Limits are counts, never times, so that the same input gives the same bits.
class EffortBudget {
 public:
  /// @param most  effort at most [equivalent factorizations]; infinite: no limit.
  explicit EffortBudget(double most) : most_(most), outer_(current_) { current_ = this; }
  ~EffortBudget() { current_ = outer_; }
  EffortBudget(const EffortBudget&) = delete;
  EffortBudget& operator=(const EffortBudget&) = delete;

  const WorkCounts& spent() const { return spent_; }  ///< work until now
  /// Returns the effort that is left, >= 0.
  double left() const { return std::max(0.0, most_ - spent_.effort()); }

  double most() const { return most_; }  ///< effort at most
  /// Returns the innermost budget of the calling thread, or null.
  static EffortBudget* current() { return current_; }

 private:
  friend void add_work(const WorkCounts& work);
  friend class EffortReserve;
  static inline thread_local EffortBudget* current_ = nullptr;
  double most_;
  WorkCounts spent_;
  EffortBudget* outer_;
};

/// Counts work in the budget of the calling thread.
/// @throws Stopped if the thread was asked to stop.
inline void add_work(const WorkCounts& work) {
  if (EffortBudget::current_ != nullptr) EffortBudget::current_->spent_ += work;
  check_stop();
}
inline void count_factorization() { add_work({.factorizations = 1}); }           ///< see add_work()
inline void count_sweeps(std::int64_t number) { add_work({.sweeps = number}); }  ///< see add_work()
inline void count_pivot() { add_work({.pivots = 1}); }                           ///< see add_work()

/// Returns the effort that the calling thread may still spend [equivalent factorizations].
inline double effort_left() {
  const EffortBudget* budget = EffortBudget::current();
  return budget != nullptr ? budget->left() : std::numeric_limits<double>::infinity();
}

/// Returns the effort that a part of a computation may spend: what is left, but at least `least`
/// where the whole may spend as much [equivalent factorizations].
inline double effort_of_part(double least) {
  const EffortBudget* budget = EffortBudget::current();
  return budget != nullptr ? std::max(budget->left(), std::min(least, budget->most()))
                           : std::numeric_limits<double>::infinity();
}

/// Returns true if the calling thread may go on. Solvers of a law end with their best point where
/// it is false.
inline bool has_effort() { return effort_left() > 0.0; }

/// Leaves at least some effort to what must have an answer; the outer budget counts it, too.
class EffortReserve {
 public:
  /// @param least  effort at least [equivalent factorizations].
  explicit EffortReserve(double least) : budget_(std::max(effort_left(), least)) {}
  ~EffortReserve() {
    if (budget_.outer_ != nullptr) budget_.outer_->spent_ += budget_.spent_;
  }
  EffortReserve(const EffortReserve&) = delete;
  EffortReserve& operator=(const EffortReserve&) = delete;

 private:
  EffortBudget budget_;
};

}  // namespace amontons

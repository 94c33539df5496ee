#pragma once

#include <array>
#include <chrono>
#include <cstddef>

namespace amontons {

/// Names the parts of a simulation whose times are measured apart.
enum class StepPart {
  Collision,    ///< contacts and distances of shapes, and searches for impacts
  Dynamics,     ///< kinematics, mass matrix, forces and free motion
  Assembly,     ///< rows of contacts, joints and limits
  Solve,        ///< the contact model, without certificates
  Certificate,  ///< certificates and energies
  Log,          ///< recording
  Other         ///< everything else
};
inline constexpr std::size_t kNumStepParts = 7;  ///< number of them

/// Returns the name of a part, as "collision".
constexpr const char* to_string(StepPart part) {
  constexpr std::array<const char*, kNumStepParts> names = {
      "collision", "dynamics", "assembly", "solve", "certificate", "log", "other"};
  return names[static_cast<std::size_t>(part)];
}

/// Holds wall times of the parts; their sum is that of the whole [s].
struct StepTimes {
  std::array<double, kNumStepParts> seconds{};  ///< [s]

  /// Returns the time of a part [s].
  double& operator[](StepPart part) { return seconds[static_cast<std::size_t>(part)]; }
  /// Returns the time of a part [s].
  double operator[](StepPart part) const { return seconds[static_cast<std::size_t>(part)]; }
};

/// Measures the parts of what the thread of its construction does while the object lives. What
/// other threads do meanwhile counts as the part that waits for it. Without a clock nothing is
/// measured, which costs no time.
class StepClock {
 public:
  StepClock() : outer_(current_) { current_ = this; }
  ~StepClock() { current_ = outer_; }
  StepClock(const StepClock&) = delete;
  StepClock& operator=(const StepClock&) = delete;

  /// Returns the times until now; what no TimedPart covers is Other.
  const StepTimes& times() {
    enter(part_);
    return times_;
  }

 private:
  friend class TimedPart;
  using Clock = std::chrono::steady_clock;
  static inline thread_local StepClock* current_ = nullptr;

  /// Ends the present part and begins another; returns the present one.
  StepPart enter(StepPart part) {
    const Clock::time_point now = Clock::now();
    times_[part_] += std::chrono::duration<double>(now - since_).count();
    since_ = now;
    const StepPart before = part_;
    part_ = part;
    return before;
  }

  StepTimes times_;
  Clock::time_point since_ = Clock::now();
  StepPart part_ = StepPart::Other;
  StepClock* outer_;
};

/// Counts the time of its life as that of one part, and not as that of the part around it, on the
/// innermost clock of the calling thread.
class TimedPart {
 public:
  explicit TimedPart(StepPart part) : clock_(StepClock::current_) {
    if (clock_ != nullptr) before_ = clock_->enter(part);
  }
  ~TimedPart() {
    if (clock_ != nullptr) clock_->enter(before_);
  }
  TimedPart(const TimedPart&) = delete;
  TimedPart& operator=(const TimedPart&) = delete;

 private:
  StepClock* clock_;
  StepPart before_ = StepPart::Other;
};

}  // namespace amontons

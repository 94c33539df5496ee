#pragma once

#include <chrono>
#include <limits>

namespace amontons::live {

/// Says when simulated times are due by the clock.
///
/// What a slow simulation lags behind by more than a tenth of a second it does not catch up.
class LivePace {
 public:
  using Clock = std::chrono::steady_clock;

  /// Returns when a simulated time [s] is due. @param speed  simulated time by wall time, > 0.
  Clock::time_point due(double time, double speed) {
    const Clock::time_point now = Clock::now();
    // A time that was set back, another speed and a lag begin again.
    if (!(time >= last_time_) || speed != speed_ || due_at(time) + kMaxLag < now) {
      began_ = now;
      start_ = time;
      speed_ = speed;
    }
    last_time_ = time;
    return due_at(time);
  }
  /// Forgets what was due, after a pause.
  void restart() { last_time_ = std::numeric_limits<double>::quiet_NaN(); }

 private:
  static constexpr std::chrono::milliseconds kMaxLag{100};

  Clock::time_point due_at(double time) const {
    return began_ + std::chrono::duration_cast<Clock::duration>(
                        std::chrono::duration<double>((time - start_) / speed_));
  }

  Clock::time_point began_;
  double start_ = 0.0, speed_ = 1.0;                             // [s], [-]
  double last_time_ = std::numeric_limits<double>::quiet_NaN();  // [s]
};

}  // namespace amontons::live

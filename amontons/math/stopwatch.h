#pragma once

#include <chrono>

namespace amontons {

/// Measures wall time since its construction; it never runs backwards.
class Stopwatch {
 public:
  /// Returns the elapsed time [s].
  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin_ = Clock::now();
};

}  // namespace amontons

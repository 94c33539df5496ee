#pragma once

#include <chrono>
#include <string>

namespace amontons::cli {

/// Shows on stderr how far a long task is: a bar with the time left on a terminal, a plain line now
/// and then otherwise, nothing if quiet.
class Progress {
 public:
  Progress(std::string label, bool quiet);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Returns true if the next update would be shown: its text is worth the effort.
  bool is_due() const;

  /// Shows the new state. @param fraction  done so far, in [0, 1].
  void update(double fraction, const std::string& detail = "");

 private:
  using Clock = std::chrono::steady_clock;
  void show(double fraction, const std::string& detail, Clock::time_point now);

  std::string label_;
  bool quiet_, terminal_;
  Clock::time_point start_, last_;
  std::size_t width_shown_ = 0;
};

}  // namespace amontons::cli

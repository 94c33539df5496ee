#pragma once

#include "amontons/math/stop.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace amontons::cli {

/// Stops the computations of the calling thread (Stopped, math/stop.h) that last longer than a wall
/// time, while the object lives.
class TimeLimit {
 public:
  explicit TimeLimit(double seconds);
  ~TimeLimit();
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;

 private:
  std::atomic<bool> is_over_ = false;
  StopScope scope_{&is_over_};
  std::mutex mutex_;
  std::condition_variable ends_;
  bool has_ended_ = false;  // guarded by mutex_
  std::thread clock_;
};

}  // namespace amontons::cli

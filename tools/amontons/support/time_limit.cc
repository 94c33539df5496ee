#include "tools/amontons/support/time_limit.h"

#include <chrono>

namespace amontons::cli {

TimeLimit::TimeLimit(double seconds)
    : clock_([this, seconds] {
        std::unique_lock lock(mutex_);
        ends_.wait_for(lock, std::chrono::duration<double>(seconds), [this] { return has_ended_; });
        is_over_.store(true);
      }) {}

TimeLimit::~TimeLimit() {
  {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
  }
  ends_.notify_one();
  clock_.join();
}

}  // namespace amontons::cli

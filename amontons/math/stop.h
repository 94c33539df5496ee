#pragma once

#include <atomic>

namespace amontons {

/// Is thrown out of a computation that was asked to stop. It is no std::exception, so that code
/// that handles errors lets it pass.
struct Stopped {};

/// Lets a flag stop the computations of the calling thread, and the loops that it shares with
/// others (ThreadPool), while the object lives. A signal handler may set the flag. An inner scope
/// hides the outer one.
class StopScope {
 public:
  /// @param flag  true: stop; null: nothing stops. It must outlive the object.
  explicit StopScope(const std::atomic<bool>* flag) : outer_(current_) { current_ = flag; }
  ~StopScope() { current_ = outer_; }
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;

  /// Returns the flag of the calling thread, or null.
  static const std::atomic<bool>* current() { return current_; }

 private:
  static inline thread_local const std::atomic<bool>* current_ = nullptr;
  const std::atomic<bool>* outer_;
};

/// Returns true if the calling thread was asked to stop.
inline bool is_stop_requested() {
  const std::atomic<bool>* flag = StopScope::current();
  return flag != nullptr && flag->load(std::memory_order_relaxed);
}

/// Ends a computation that was asked to stop. Every loop whose passes take long calls it.
/// @throws Stopped
inline void check_stop() {
  if (is_stop_requested()) throw Stopped{};
}

}  // namespace amontons

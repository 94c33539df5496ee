#pragma once

#include "amontons/math/stop.h"

namespace amontons::cli {

/// Makes Ctrl-C and SIGTERM ask the program's computations to stop (math/stop.h); a second Ctrl-C
/// ends it at once.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  bool requested() const;  ///< true: a signal or request() has asked

  /// Asks as a signal does, from any thread.
  static void request();

 private:
  StopScope scope_;
};

}  // namespace amontons::cli

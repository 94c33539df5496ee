#pragma once

namespace amontons::cli {

/// Makes Ctrl-C and SIGTERM ask the program to stop at the next step; a second Ctrl-C ends it at
/// once.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  bool requested() const;
};

}  // namespace amontons::cli

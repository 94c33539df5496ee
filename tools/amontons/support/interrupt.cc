#include "tools/amontons/support/interrupt.h"

#include <atomic>
#include <csignal>

namespace amontons::cli {
namespace {

// A signal handler can access nothing but a lock-free global.
std::atomic<bool> interrupt_requested = false;
static_assert(std::atomic<bool>::is_always_lock_free);

void hear(int signal) {
  interrupt_requested.store(true);
  std::signal(signal, SIG_DFL);
}

}  // namespace

InterruptGuard::InterruptGuard() : scope_(&interrupt_requested) {
  interrupt_requested.store(false);
  std::signal(SIGINT, hear);
  std::signal(SIGTERM, hear);
}

InterruptGuard::~InterruptGuard() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

bool InterruptGuard::requested() const { return interrupt_requested.load(); }

void InterruptGuard::request() { interrupt_requested.store(true); }

}  // namespace amontons::cli

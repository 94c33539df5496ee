#include "tools/amontons/support/interrupt.h"

#include <csignal>

namespace amontons::cli {
namespace {

// A signal handler can access nothing but a global of this type.
volatile std::sig_atomic_t interrupt_requested = 0;

void request(int signal) {
  interrupt_requested = 1;
  std::signal(signal, SIG_DFL);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  interrupt_requested = 0;
  std::signal(SIGINT, request);
  std::signal(SIGTERM, request);
}

InterruptGuard::~InterruptGuard() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

bool InterruptGuard::requested() const { return interrupt_requested != 0; }

}  // namespace amontons::cli

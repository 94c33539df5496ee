#include "python/bindings/interruptible.h"

#include <atomic>
#include <unistd.h>

namespace amontons::python {
namespace {

// A signal handler can access nothing but a lock-free global.
std::atomic<bool> interrupt_requested = false;
static_assert(std::atomic<bool>::is_always_lock_free);

void request(int) { interrupt_requested.store(true); }

/// Returns true in the thread in which Python runs its signal handlers.
bool is_main_thread() { return getpid() == gettid(); }

}  // namespace

InterruptWatch::InterruptWatch() : scope_(is_main_thread() ? &interrupt_requested : nullptr) {
  if (is_main_thread()) interrupt_requested.store(false);
  // A program that ignores the signal, or dies of it, keeps its choice.
  if (!is_main_thread() || sigaction(SIGINT, nullptr, &before_) != 0) return;
  if (before_.sa_handler == SIG_DFL || before_.sa_handler == SIG_IGN) return;
  struct sigaction own = {};
  own.sa_handler = request;
  is_watching_ = sigaction(SIGINT, &own, nullptr) == 0;
}

InterruptWatch::~InterruptWatch() {
  if (!is_watching_) return;
  sigaction(SIGINT, &before_, nullptr);
  // Heard too late to stop anything: Python's handler runs after the call.
  if (interrupt_requested.load()) PyErr_SetInterrupt();
}

void handle_interrupt() {
  if (PyErr_CheckSignals() != 0) throw pybind11::error_already_set();
}

}  // namespace amontons::python

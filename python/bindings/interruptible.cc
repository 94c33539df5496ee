#include "python/bindings/interruptible.h"

#include <unistd.h>

namespace amontons::python {
namespace {

// A signal handler can access nothing but a lock-free global.
std::atomic<bool> interrupt_requested = false;
static_assert(std::atomic<bool>::is_always_lock_free);

// The innermost one, which only the main thread uses.
InterruptWatch* innermost_watch = nullptr;

// What stops this thread's share of a work; Python code that it runs does not hear it.
thread_local const std::atomic<bool>* shared_flag = nullptr;

void request(int) { interrupt_requested.store(true); }

/// Returns true in the thread in which Python runs its signal handlers.
bool is_main_thread() { return getpid() == gettid(); }

}  // namespace

// The request is not cleared here: it may be that of a computation around this one.
InterruptWatch::InterruptWatch() : scope_(is_main_thread() ? &interrupt_requested : shared_flag) {
  if (!is_main_thread()) return;
  outer_ = innermost_watch;
  innermost_watch = this;
  // A program that ignores the signal, or dies of it, keeps its choice.
  if (sigaction(SIGINT, nullptr, &before_) != 0) return;
  if (before_.sa_handler == SIG_DFL || before_.sa_handler == SIG_IGN) return;
  is_watching_ = true;
  listen();
}

InterruptWatch::~InterruptWatch() {
  if (!is_main_thread()) return;
  innermost_watch = outer_;
  if (!is_watching_) return;
  pause();
  // Python's handler runs after the call, also where the request came too late to stop anything.
  if (interrupt_requested.exchange(false)) PyErr_SetInterrupt();
}

void InterruptWatch::listen() {
  struct sigaction own = {};
  own.sa_handler = request;
  sigaction(SIGINT, &own, nullptr);
}

void InterruptWatch::pause() { sigaction(SIGINT, &before_, nullptr); }

SharedStop::SharedStop(const std::atomic<bool>* flag) : outer_(shared_flag) { shared_flag = flag; }

SharedStop::~SharedStop() { shared_flag = outer_; }

PythonScope::PythonScope() : flag_(StopScope::current()), shared_(flag_) {
  if (is_main_thread() && innermost_watch != nullptr && innermost_watch->is_watching_) {
    watch_ = innermost_watch;
    watch_->pause();
  }
  if (flag_ == nullptr || !flag_->load()) return;
  if (watch_ != nullptr) watch_->listen();
  throw Stopped{};
}

PythonScope::~PythonScope() {
  if (watch_ != nullptr) watch_->listen();
}

void PythonScope::hear() const {
  if (PyErr_CheckSignals() != 0) throw pybind11::error_already_set();
}

bool PythonScope::is_stop(const pybind11::error_already_set& error) const {
  return !is_main_thread() && flag_ != nullptr && flag_->load() &&
         error.matches(PyExc_KeyboardInterrupt);
}

void handle_interrupt() {
  if (is_main_thread()) {
    if (PyErr_CheckSignals() != 0) throw pybind11::error_already_set();
    return;
  }
  // Signal handlers run in the main thread: there is none to ask.
  PyErr_SetNone(PyExc_KeyboardInterrupt);
  throw pybind11::error_already_set();
}

}  // namespace amontons::python

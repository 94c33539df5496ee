#include "python/bindings/interruptible.h"

#include <pthread.h>
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

thread_local bool is_main = getpid() == gettid();

/// Returns true in the thread in which Python runs its signal handlers: the first one, or the one
/// that called fork().
bool is_main_thread() {
  // The question takes two calls of the system, which a step would feel.
  static const int registered = pthread_atfork(nullptr, nullptr, [] { is_main = true; });
  static_cast<void>(registered);
  return is_main;
}

}  // namespace

// The request is not cleared here: it may be that of a computation around this one.
InterruptWatch::InterruptWatch() : scope_(is_main_thread() ? &interrupt_requested : shared_flag) {
  if (!is_main_thread()) return;
  outer_ = innermost_watch;
  innermost_watch = this;
  if (!listen(&before_)) return;
  is_watching_ = before_.sa_handler != SIG_DFL && before_.sa_handler != SIG_IGN;
  if (is_watching_) return;
  // A program that ignores the signal, or dies of it, keeps its choice, also for one that came now.
  pause();
  if (interrupt_requested.exchange(false)) raise(SIGINT);
}

InterruptWatch::~InterruptWatch() {
  if (!is_main_thread()) return;
  innermost_watch = outer_;
  if (!is_watching_) return;
  pause();
  // Python's handler runs after the call, also where the request came too late to stop anything.
  if (interrupt_requested.exchange(false)) PyErr_SetInterrupt();
}

bool InterruptWatch::listen(struct sigaction* before) {
  struct sigaction own = {};
  own.sa_handler = request;
  return sigaction(SIGINT, &own, before) == 0;
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

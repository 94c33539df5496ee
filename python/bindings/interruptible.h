#pragma once

#include "amontons/math/stop.h"

#include <pybind11/pybind11.h>

#include <atomic>
#include <csignal>
#include <type_traits>

namespace amontons::python {

/// Hears Ctrl-C in place of Python's handler while the object lives, in Python's main thread alone:
/// Python's own would wait for the end of the call. In another thread it hears what stops the work
/// that this thread shares (SharedStop). One object may live inside another.
class InterruptWatch {
 public:
  InterruptWatch();
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

 private:
  friend class PythonScope;
  /// Takes the signal; false where the system refuses. @param before  receives who had it.
  bool listen(struct sigaction* before = nullptr);
  void pause();

  bool is_watching_ = false;
  struct sigaction before_ = {};
  InterruptWatch* outer_ = nullptr;
  StopScope scope_;
};

/// Lets a flag stop the work of a thread that is not the main one, while the object lives.
class SharedStop {
 public:
  explicit SharedStop(const std::atomic<bool>* flag);
  ~SharedStop();
  SharedStop(const SharedStop&) = delete;
  SharedStop& operator=(const SharedStop&) = delete;

 private:
  const std::atomic<bool>* outer_;
};

/// Gives Ctrl-C back to Python's handler while Python code runs within a watched computation.
class PythonScope {
 public:
  /// @throws Stopped if the computation was asked to stop.
  PythonScope();
  ~PythonScope();
  PythonScope(const PythonScope&) = delete;
  PythonScope& operator=(const PythonScope&) = delete;

  /// Runs Python's handler for a signal that came while the code ended.
  /// @throws pybind11::error_already_set  what the handler raises.
  void hear() const;

  /// Returns true for the error by which a thread ends its share of work that was stopped.
  bool is_stop(const pybind11::error_already_set& error) const;

 private:
  const std::atomic<bool>* flag_;  // of the computation
  InterruptWatch* watch_ = nullptr;
  SharedStop shared_;
  StopScope hidden_{nullptr};
};

/// Calls a function that runs Python code within a computation, in any thread.
/// @throws Stopped if the computation was asked to stop.
template <typename Function>
auto call_python(const Function& function) {
  const pybind11::gil_scoped_acquire lock;
  const PythonScope scope;
  try {
    if constexpr (std::is_void_v<decltype(function())>) {
      function();
      scope.hear();
      return;
    } else {
      auto result = function();
      scope.hear();
      return result;
    }
  } catch (const pybind11::error_already_set& error) {
    if (!scope.is_stop(error)) throw;
  }
  throw Stopped{};
}

/// Raises KeyboardInterrupt, or what else a Python-level signal handler decides, after a
/// computation was stopped. The handler may raise nothing.
void handle_interrupt();

/// Calls a function, and lets Ctrl-C end it within a tenth of a second. It is called again where
/// the handler of the program raises nothing, so that a function that was stopped must leave
/// everything as it was. The interpreter's lock keeps other threads of the program from what it
/// reads.
template <typename Function>
auto interruptible_under_lock(const Function& function) {
  // Bound: once for every interrupt.
  while (true) {
    try {
      const InterruptWatch watch;
      check_stop();
      return function();
    } catch (const Stopped&) {
      handle_interrupt();
    }
  }
}

/// Does the same without the interpreter's lock, so that other threads of the program go on.
template <typename Function>
auto interruptible(const Function& function) {
  return interruptible_under_lock([&function] {
    const pybind11::gil_scoped_release release;
    check_stop();
    return function();
  });
}

}  // namespace amontons::python

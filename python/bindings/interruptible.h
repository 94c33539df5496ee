#pragma once

#include "amontons/math/stop.h"

#include <pybind11/pybind11.h>

#include <csignal>
#include <type_traits>

namespace amontons::python {

/// Hears Ctrl-C in place of Python's handler while the object lives, in Python's main thread alone:
/// Python's own would wait for the end of the call.
class InterruptWatch {
 public:
  InterruptWatch();
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

 private:
  bool is_watching_ = false;
  struct sigaction before_ = {};
  StopScope scope_;
};

/// Runs what a Python-level signal handler decides after Ctrl-C was heard.
/// @throws pybind11::error_already_set  what the handler raises, usually KeyboardInterrupt.
void handle_interrupt();

/// Calls a function without the interpreter's lock, and lets Ctrl-C end it within a tenth of a
/// second. It is called again where the handler of the program raises nothing, so that a function
/// that was stopped must leave everything as it was.
template <typename Function>
auto interruptible(const Function& function) {
  // Bound: once for every interrupt.
  while (true) {
    try {
      const InterruptWatch watch;
      const pybind11::gil_scoped_release release;
      return function();
    } catch (const Stopped&) {
      handle_interrupt();
    }
  }
}

}  // namespace amontons::python

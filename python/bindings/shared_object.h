#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <utility>

namespace amontons::python {

/// Shares a Python object with threads that do not hold the interpreter's lock, and with static
/// objects that outlive the interpreter.
inline std::shared_ptr<pybind11::object> shared_object(pybind11::object object) {
  return {new pybind11::object(std::move(object)), [](pybind11::object* own) {
            if (!Py_IsInitialized()) return;  // the interpreter has taken its memory
            const pybind11::gil_scoped_acquire lock;
            delete own;
          }};
}

}  // namespace amontons::python

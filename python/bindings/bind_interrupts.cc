#include "python/bindings/bindings.h"
#include "python/bindings/interruptible.h"

#include <atomic>

namespace py = pybind11;

namespace amontons::python {
namespace {

/// Stops calls that run in threads of Python.
class StopFlag {
 public:
  void set() { is_set_.store(true); }

  /// Calls a function; its computations end with KeyboardInterrupt once the flag is set.
  py::object call(const py::function& function, const py::args& arguments) const {
    const SharedStop stop(&is_set_);
    if (is_set_.load()) handle_interrupt();
    return function(*arguments);
  }

 private:
  std::atomic<bool> is_set_ = false;
};

}  // namespace

void bind_interrupts(py::module_& module) {
  py::class_<StopFlag>(module, "_StopFlag", "Stops calls that run in threads.")
      .def(py::init<>())
      .def("set", &StopFlag::set)
      .def("call", &StopFlag::call, py::arg("function"));
  module.def(
      "_hear_stop", [] { interruptible([] {}); },
      "Raises KeyboardInterrupt in a thread whose work is to stop.");
}

}  // namespace amontons::python

#include "amontons/simulation/state.h"

#include "python/bindings/bindings.h"

#include <fmt/format.h>
#include <pybind11/eigen.h>

namespace py = pybind11;

namespace amontons::python {

void bind_state(py::module_& module) {
  py::class_<State>(module, "State",
                    "All that is needed to continue a motion bit for bit: Simulator.save() gives "
                    "it, Simulator.restore() takes it.")
      .def_property_readonly(
          "q", [](const py::object& self) { return view(self.cast<State&>().q, self); },
          "Positions [nq].")
      .def_property_readonly(
          "v", [](const py::object& self) { return view(self.cast<State&>().v, self); },
          "Velocities [nv].")
      .def_readonly("time", &State::time, "[s]")
      .def_readonly("step_count", &State::step_count, "Steps since the start.")
      .def("__repr__", [](const State& state) {
        return fmt::format("<State t={} s after {} steps>", state.time, state.step_count);
      });
}

}  // namespace amontons::python

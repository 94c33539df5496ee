#include "amontons/io/run/run_recorder.h"
#include "amontons/simulation/simulator.h"
#include "python/bindings/bindings.h"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>

namespace py = pybind11;

namespace amontons::python {
namespace {

// A simulator keeps its observers, so a closed recorder ignores its steps.
class Recorder : public Observer {
 public:
  Recorder(const std::filesystem::path& file, const Scene& scene, const Simulator& simulator)
      : recorder_(file.string(), scene, simulator.system()) {
    recorder_.observe(simulator.initial_report());
  }

  void observe(const StepReport& report) override {
    if (is_open_) recorder_.observe(report);
  }
  void close() {
    is_open_ = false;
    recorder_.finish();
  }
  const io::RunRecorder& run() const { return recorder_; }

 private:
  io::RunRecorder recorder_;
  bool is_open_ = true;
};

// Refuses a log of another scene, which could not be verified later.
void check_same(const Scene& scene, const Simulator& simulator) {
  if (simulator.simulates(scene)) return;
  throw std::invalid_argument(
      "record: the scene is not that of the simulator; its text, overrides or files differ");
}

std::unique_ptr<Recorder> record(Simulator& simulator, const Scene& scene,
                                 const std::filesystem::path& file) {
  check_same(scene, simulator);
  auto recorder = std::make_unique<Recorder>(file, scene, simulator);
  simulator.add_observer(*recorder);
  return recorder;
}

}  // namespace

void bind_recorder(py::module_& module) {
  py::class_<Recorder>(
      module, "Recorder",
      "Writes a run while it is simulated: see record(). The end of its with block closes it.")
      .def_property_readonly(
          "path", [](const Recorder& r) { return r.run().path(); }, "Path of the run.")
      .def_property_readonly(
          "failures", [](const Recorder& r) { return r.run().failure_paths(); },
          "Contact problems of missed steps that were saved beside it.")
      .def("close", &Recorder::close, "Writes the last row; later steps are not recorded.")
      .def("__repr__", [](const Recorder& r) { return "<Recorder of '" + r.run().path() + "'>"; })
      .def("__enter__", [](const py::object& self) { return self; })
      .def("__exit__", [](Recorder& recorder, const py::args&) { recorder.close(); });

  module.def("record", &record, py::arg("simulator"), py::arg("scene"), py::arg("file"),
             py::keep_alive<1, 0>(),
             "Records the next steps of the simulator, commands included, as `amontons run` does: "
             "for verify, replay, compare and open_run(). scene: that of the simulator. Raises "
             "OutputError if the file cannot be written.");
}

}  // namespace amontons::python

#include "amontons/io/common/overwriting.h"
#include "amontons/io/run/run_recorder.h"
#include "amontons/io/run/storage/run_lock.h"
#include "amontons/simulation/simulator.h"
#include "python/bindings/bindings.h"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace py = pybind11;

namespace amontons::python {
namespace {

// A simulator keeps its observers, so a closed recorder ignores its steps.
class Recorder : public Observer {
 public:
  Recorder(const std::filesystem::path& file, const Scene& scene, const Simulator& simulator,
           io::RunCommander commander)
      : recorder_(std::make_unique<io::RunRecorder>(file.string(), scene, simulator.system(),
                                                    io::RecorderSettings{.commander = commander})),
        path_(recorder_->path()) {
    // A run from the middle begins in a state that its scene does not give.
    StepReport initial = simulator.initial_report();
    initial.start_was_set = initial.start_was_set || simulator.state().step_count > 0;
    recorder_->observe(initial);
  }

  void observe(const StepReport& report) override {
    if (recorder_) recorder_->observe(report);
  }
  // Gives the file free, too: another program may continue it while the simulator lives.
  void close() {
    if (!recorder_) return;
    const std::unique_ptr<io::RunRecorder> closing = std::move(recorder_);
    failures_ = closing->failure_paths();
    closing->finish();
  }
  /// Throws std::invalid_argument once it is closed.
  void require_open() const {
    if (recorder_) return;
    throw std::invalid_argument(path_ + ": the run is closed; record() begins another");
  }
  const std::string& path() const { return path_; }
  std::vector<std::string> failures() const {
    return recorder_ ? recorder_->failure_paths() : failures_;
  }

 private:
  std::unique_ptr<io::RunRecorder> recorder_;  // null: closed
  std::string path_;
  std::vector<std::string> failures_;  // once it is closed
};

// Refuses a log of another scene, which could not be verified later.
void check_same(const Scene& scene, const Simulator& simulator) {
  if (simulator.simulates(scene)) return;
  throw std::invalid_argument(
      "record: the scene is not that of the simulator; its text, overrides or files differ");
}

std::unique_ptr<Recorder> record(Simulator& simulator, const Scene& scene,
                                 const std::filesystem::path& file, const std::string& commander,
                                 bool force) {
  check_same(scene, simulator);
  if (commander != "program" && commander != "page") {
    throw std::invalid_argument("record: commander is \"program\" or \"page\", not \"" + commander +
                                "\"");
  }
  io::refuse_overwriting(file.string(), {scene.file});
  // First of the rest: a run that is being written cannot tell what it is.
  io::refuse_run_being_written(file.string());
  io::refuse_foreign_outputs_of_run(file.string(), force, "force=True");
  auto recorder = std::make_unique<Recorder>(
      file, scene, simulator,
      commander == "page" ? io::RunCommander::Page : io::RunCommander::Program);
  simulator.add_observer(*recorder);
  return recorder;
}

}  // namespace

void bind_recorder(py::module_& module) {
  py::class_<Recorder>(
      module, "Recorder",
      "Writes a run while it is simulated: see record(). The end of its with block closes it.")
      .def_property_readonly(
          "path", [](const Recorder& r) { return r.path(); }, "Path of the run.")
      .def_property_readonly(
          "failures", [](const Recorder& r) { return r.failures(); },
          "Contact problems of missed steps that were saved beside it.")
      .def("close", &Recorder::close, "Writes the last row; later steps are not recorded.")
      .def("__repr__", [](const Recorder& r) { return "<Recorder of '" + r.path() + "'>"; })
      .def("__enter__",
           [](const py::object& self) {
             self.cast<const Recorder&>().require_open();
             return self;
           })
      .def("__exit__", [](Recorder& recorder, const py::args&) { recorder.close(); });

  module.def("record", &record, py::arg("simulator"), py::arg("scene"), py::arg("file"),
             py::arg("commander") = "program", py::arg("force") = false, py::keep_alive<1, 0>(),
             "Records the next steps of the simulator, commands included, as `amontons run` does: "
             "for verify, replay, compare and open_run(). verify counts the steps that began in "
             "a state which the program set. scene: that of the simulator. "
             "commander: \"page\" says that no program commands it but pages of view(), so that "
             "`amontons resume` can continue it. force: True replaces any file; else a file that "
             "Amontons has not written is refused, also in place of the checkpoint or a saved "
             "contact problem. Raises ParseError for a file that is refused, OutputError if it "
             "cannot be written.");
}

}  // namespace amontons::python

#include "amontons/io/common/parse_error.h"
#include "amontons/io/replay/replay_from_run.h"
#include "amontons/io/replay/replay_html.h"
#include "amontons/io/run/run_reader.h"
#include "amontons/simulation/simulator.h"
#include "python/bindings/bindings.h"
#include "python/bindings/interruptible.h"
#include "python/bindings/saved_state.h"
#include "python/bindings/scene_visuals.h"
#include "tools/amontons/live/live_session.h"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

namespace py = pybind11;

namespace amontons::python {
namespace {

/// Passes steps to a view while it is open; a simulator keeps its observers as long as it lives.
class ViewObserver : public Observer {
 public:
  void observe(const StepReport& report) override {
    if (feed != nullptr) feed->observe(report);
  }
  Observer* feed = nullptr;  // null: the view is closed
};

/// Shows a simulator of Python in browsers.
class View {
 public:
  /// @param scene  that of the simulator, for its name and its models' looks; null: unknown.
  View(py::object simulator, const Scene* scene, int port, double speed, py::object restart,
       bool paused)
      : simulator_(std::move(simulator)),
        sim_(simulator_.cast<Simulator*>()),
        restart_(std::move(restart)),
        start_(save(*sim_)),
        session_(std::make_unique<live::LiveSession>(
            live::LiveSettings{.port = port,
                               .speed = speed,
                               .begins_paused = paused,
                               .restart = [this](Simulator& sim) { go_back(sim); }})),
        address_(session_->address()) {
    session_->begin(*sim_, scene != nullptr ? scene->file : "simulation", visuals_of(scene));
    auto observer = std::make_unique<ViewObserver>();
    observer_ = observer.get();
    observer_->feed = &session_->feed();
    extras_of(*sim_).observers.push_back(std::move(observer));
    sim_->add_observer(*observer_);
  }
  ~View() { close(); }
  View(const View&) = delete;
  View& operator=(const View&) = delete;

  /// Waits until the next step is due. @returns false once a page has asked to stop.
  bool update() {
    if (session_ == nullptr) return false;
    is_stopped_ = is_stopped_ || !interruptible([this] { return session_->await_step(*sim_); });
    return !is_stopped_;
  }

  /// Waits for a browser, for a number of seconds at most. @returns true if one looks.
  bool wait(double seconds) {
    constexpr double kForever = 1e9;  // more than the clock counts
    const auto end = std::chrono::steady_clock::now() +
                     std::chrono::duration_cast<std::chrono::nanoseconds>(
                         std::chrono::duration<double>(std::clamp(seconds, 0.0, kForever)));
    return interruptible([this, end] {
      while (num_viewers() == 0 && std::chrono::steady_clock::now() < end) {
        check_stop();
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
      return num_viewers() > 0;
    });
  }

  void close() {
    if (session_ == nullptr) return;
    observer_->feed = nullptr;
    session_->end(is_stopped_        ? "The simulation was stopped."
                  : sim_->finished() ? "The simulation is at its end."
                                     : "The view was closed.");
    const py::gil_scoped_release release;
    session_.reset();
  }

  bool is_running() const { return session_ != nullptr && !is_stopped_ && !sim_->finished(); }
  bool is_paused() const { return session_ != nullptr && session_->is_paused(); }
  int num_viewers() const { return session_ == nullptr ? 0 : session_->num_viewers(); }
  const std::string& address() const { return address_; }
  py::object simulator() const { return simulator_; }

  static int visit(View& self, visitproc visit, void* state) {
    const int result = visit_object(self.simulator_, visit, state);
    return result != 0 ? result : visit_object(self.restart_, visit, state);
  }
  static void clear(View& self) { self.restart_ = py::none(); }

 private:
  /// Returns the simulation to its start; await_step() calls it without the interpreter's lock.
  void go_back(Simulator& sim) {
    call_python([&] {
      if (restart_.is_none()) {
        restore(sim, start_);
      } else {
        restart_(simulator_);
      }
    });
  }

  py::object simulator_;
  Simulator* sim_;
  py::object restart_;
  SavedState start_;  // when the view was opened
  std::unique_ptr<live::LiveSession> session_;
  std::string address_;
  ViewObserver* observer_ = nullptr;
  bool is_stopped_ = false;
};

// A port that is taken is an error of the system, not of a file.
std::unique_ptr<View> make_view(py::object simulator, const py::object& scene, int port,
                                double speed, py::object restart, bool paused) try {
  if (!py::isinstance<Simulator>(simulator)) throw py::type_error("view: a Simulator is needed");
  const Scene* own = scene_of(simulator.cast<const Simulator&>(), scene, "view");
  if (!restart.is_none() && !PyCallable_Check(restart.ptr())) {
    throw py::type_error("view: restart is a function of the simulator, or None");
  }
  if (port < 0 || port > 65535)
    throw std::invalid_argument("view: port is 0, a free one, to 65535");
  if (!(speed >= 0.0 && speed <= 1000.0)) {
    throw std::invalid_argument("view: speed is positive and at most 1000, or None");
  }
  return std::make_unique<View>(std::move(simulator), own, port, speed, std::move(restart), paused);
} catch (const io::ParseError& error) {
  PyErr_SetString(PyExc_OSError, error.what());
  throw py::error_already_set();
}

/// Returns the replay page of a run.
std::string replay_html(const std::filesystem::path& file, std::size_t max_bytes) {
  return interruptible([&] {
    io::RunReader reader(file.string());
    return io::make_replay_html({io::replay_from_run(reader)}, {.max_page_bytes = max_bytes});
  });
}

}  // namespace

void bind_view(py::module_& module) {
  py::class_<View>(module, "_View", "Implements View of the package.",
                   collectable<View, &View::visit, &View::clear>())
      .def(py::init(&make_view), py::arg("simulator"), py::arg("scene"), py::arg("port"),
           py::arg("speed"), py::arg("restart"), py::arg("paused"))
      .def("update", &View::update)
      .def("wait", &View::wait, py::arg("seconds"))
      .def("close", &View::close)
      .def_property_readonly("running", &View::is_running)
      .def_property_readonly("paused", &View::is_paused)
      .def_property_readonly("num_viewers", &View::num_viewers)
      .def_property_readonly("address", &View::address)
      .def_property_readonly("simulator", &View::simulator);
  module.def("_replay_html", &replay_html, py::arg("file"), py::arg("max_bytes"),
             "Returns the replay page of a run, with as many contacts as max_bytes allow.");
}

}  // namespace amontons::python

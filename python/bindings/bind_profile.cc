#include "amontons/math/step_times.h"
#include "amontons/simulation/simulator.h"
#include "python/bindings/bindings.h"

#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

namespace py = pybind11;

namespace amontons::python {
namespace {

// Measures what its thread does between `with` and the end of the block.
class Profile {
 public:
  void enter() {
    if (clock_) throw std::runtime_error("Profile: it is running already");
    thread_ = std::this_thread::get_id();
    clock_ = std::make_unique<StepClock>();
  }

  void exit() {
    if (thread_ != std::this_thread::get_id()) {
      throw std::runtime_error("Profile: it must end in the thread in which it began");
    }
    times_ = clock_->times();
    clock_.reset();
  }

  py::dict times() {
    const bool is_own = clock_ && thread_ == std::this_thread::get_id();
    const StepTimes now = is_own ? clock_->times() : times_;
    py::dict result;
    for (std::size_t i = 0; i < kNumStepParts; ++i) {
      result[to_string(static_cast<StepPart>(i))] = now.seconds[i];
    }
    return result;
  }

 private:
  std::unique_ptr<StepClock> clock_;
  std::thread::id thread_;
  StepTimes times_;
};

}  // namespace

void bind_profile(py::module_& module) {
  module.def(
      "_take_steps",
      [](Simulator& simulator, long steps) {
        for (long i = 0; i < steps; ++i) simulator.step();
      },
      py::arg("simulator"), py::arg("steps"),
      "Takes steps in a loop of C++, to measure what a loop of Python costs beyond it.");
  py::class_<Profile>(module, "Profile",
                      "Measures the parts of simulation steps: `with Profile() as profile: ...`, "
                      "then profile.times. Only the steps of this thread count; what other threads "
                      "do meanwhile counts as the part that waits for them.")
      .def(py::init<>())
      .def("__repr__", [](const Profile&) { return std::string("<Profile of steps>"); })
      .def(
          "__enter__",
          [](py::object self) {
            self.cast<Profile&>().enter();
            return self;
          },
          "Begins to measure.")
      .def(
          "__exit__", [](Profile& profile, const py::args&) { profile.exit(); }, "Ends to measure.")
      .def_property_readonly("times", &Profile::times,
                             "Wall time of each part [s]: collision, dynamics, assembly, solve, "
                             "certificate, log, and other, which is all the rest.");
}

}  // namespace amontons::python

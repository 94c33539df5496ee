#include "amontons/simulation/rollout.h"
#include "python/bindings/bindings.h"
#include "python/bindings/interruptible.h"
#include "python/bindings/law_asked.h"
#include "python/bindings/rollout/motion_batch.h"

#include <pybind11/eigen.h>
#include <pybind11/stl.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace py = pybind11;

namespace amontons::python {
namespace {

using Table = py::array_t<double, py::array::c_style | py::array::forcecast>;

// Returns one matrix [nv x T] for each start from an array [N, T, nv].
std::vector<Eigen::MatrixXd> efforts_of(const std::optional<Table>& controls) {
  std::vector<Eigen::MatrixXd> efforts;
  if (!controls) return efforts;
  if (controls->ndim() != 3) {
    throw std::invalid_argument("rollout: controls must have the shape [starts, steps, nv], not " +
                                std::to_string(controls->ndim()) + " dimensions");
  }
  const py::ssize_t num = controls->shape(0), steps = controls->shape(1), nv = controls->shape(2);
  for (py::ssize_t i = 0; i < num; ++i) {
    const double* own = controls->data() + i * steps * nv;
    efforts.emplace_back(Eigen::Map<const Eigen::MatrixXd>(own, nv, steps));
  }
  return efforts;
}

// Returns [N, T + 1, n] from one matrix [n x T + 1] for each start.
py::array_t<double> stacked(const std::vector<Eigen::MatrixXd>& tables) {
  const py::ssize_t rows = tables.empty() ? 0 : tables.front().cols();
  const py::ssize_t width = tables.empty() ? 0 : tables.front().rows();
  py::array_t<double> result({static_cast<py::ssize_t>(tables.size()), rows, width});
  double* next = result.mutable_data();
  for (const Eigen::MatrixXd& table : tables) {
    next = std::copy(table.data(), table.data() + table.size(), next);
  }
  return result;
}

template <typename Cell, typename Vector>
py::array_t<Cell> stacked_rows(const std::vector<Vector>& vectors) {
  const py::ssize_t width = vectors.empty() ? 0 : vectors.front().size();
  py::array_t<Cell> result({static_cast<py::ssize_t>(vectors.size()), width});
  Cell* next = result.mutable_data();
  for (const Vector& vector : vectors) {
    next = std::copy(vector.data(), vector.data() + vector.size(), next);
  }
  return result;
}

py::dict rollout_arrays(const Scene& scene, const std::vector<SavedState>& starts,
                        const std::optional<Table>& controls, std::optional<int> steps,
                        int threads) {
  if (!controls && !steps) throw std::invalid_argument("rollout: give controls or steps");
  const std::vector<Eigen::MatrixXd> efforts = efforts_of(controls);
  std::vector<State> states;  // the package gives starts with commands to a batch
  for (const SavedState& start : starts) states.push_back(start.state);
  const int num_steps = steps ? *steps : static_cast<int>(controls->shape(1));
  const Rollouts result =
      interruptible([&] { return rollout(scene, states, efforts, num_steps, threads); });
  py::dict arrays;
  arrays["q"] = stacked(result.q);
  arrays["v"] = stacked(result.v);
  arrays["time"] = stacked_rows<double>(result.time);
  arrays["holds"] = stacked_rows<bool>(result.holds);
  arrays["claimed"] = arrays["holds"];  // its former name
  return arrays;
}

using Rows = py::array_t<double, py::array::c_style | py::array::forcecast>;

/// Returns an array [N, n] as a matrix that shares its memory; one of no columns where it is none.
Eigen::Map<const MotionBatch::Rows> rows_of(const std::optional<Rows>& array, int num_motions,
                                            const char* what, Eigen::Index width) {
  if (!array) return {nullptr, num_motions, 0};
  if (array->ndim() != 2 || array->shape(0) != num_motions || array->shape(1) != width) {
    throw std::invalid_argument(std::string("rollout: ") + what +
                                " of a step must have the shape [" + std::to_string(num_motions) +
                                ", " + std::to_string(width) + "]");
  }
  return {array->data(), num_motions, width};
}

void step_batch(MotionBatch& batch, const std::optional<Rows>& efforts,
                const std::optional<Rows>& targets) {
  const auto own_efforts = rows_of(efforts, batch.num_motions(), "efforts", batch.v().cols());
  const auto own_targets = rows_of(targets, batch.num_motions(), "targets", batch.num_servos());
  interruptible([&] { batch.step(own_efforts, own_targets); });
}

std::unique_ptr<MotionBatch> make_batch(const Scene& scene, const std::vector<const Scene*>& probes,
                                        const std::vector<const Scene*>& scenes,
                                        const std::vector<SavedState>& starts,
                                        const std::vector<std::string>& servos,
                                        const std::vector<std::string>& sensors, int threads) {
  auto batch = interruptible([&] {
    const OverriddenProperties overridden(scene, probes);
    return std::make_unique<MotionBatch>(scenes, starts, overridden, servos, threads);
  });
  batch->read(sensors);
  return batch;
}

/// Adds what the package's rollout() uses beside the function of the same name here.
void bind_batch(py::module_& module) {
  py::class_<MotionBatch>(module, "_MotionBatch", "Steps many motions side by side.")
      .def(py::init(&make_batch), py::arg("scene"), py::arg("probes"), py::arg("scenes"),
           py::arg("starts"), py::arg("servos"), py::arg("sensors"), py::arg("threads"))
      .def("step", &step_batch, py::arg("efforts"), py::arg("targets"))
      .def_property_readonly("q", [](const MotionBatch& self) { return self.q(); })
      .def_property_readonly("v", [](const MotionBatch& self) { return self.v(); })
      .def_property_readonly("time", [](const MotionBatch& self) { return self.time(); })
      .def_property_readonly("holds", [](const MotionBatch& self) { return self.holds(); })
      .def_property_readonly("sensors", [](const MotionBatch& self) { return self.readings(); });
}

/// Steps a simulator to its scene's end, and counts what a campaign asks of the steps.
class RunTally {
 public:
  explicit RunTally(Simulator& simulator) : simulator_(&simulator) {}

  /// Takes a step; returns false, without one, at the end of the scene.
  bool step() {
    if (simulator_->finished()) return false;
    interruptible([&] { add_step(); });
    return true;
  }
  void step_to_end() {
    // Where it is stopped and continues, the tally has all steps that were taken.
    interruptible([&] {
      // Bound: the steps of the scene's duration.
      while (!simulator_->finished()) add_step();
    });
  }
  /// Returns (steps, steps that hold, steps with the law asked, iterations, effort).
  py::tuple counts() const {
    return py::make_tuple(steps_, holding_, with_law_, iterations_, effort_);
  }

 private:
  void add_step() {
    const StepReport& report = simulator_->step();
    ++steps_;
    holding_ += report.certificate.holds ? 1 : 0;
    with_law_ += has_law_asked(report) ? 1 : 0;
    iterations_ += report.solution.iterations;
    effort_ += report.work.effort();
  }

  Simulator* simulator_;
  int steps_ = 0, holding_ = 0, with_law_ = 0;
  long iterations_ = 0;
  double effort_ = 0.0;  // [equivalent factorizations]
};

}  // namespace

void bind_rollout(py::module_& module) {
  bind_batch(module);
  py::class_<RunTally>(module, "_RunTally", "Counts the steps of a run.")
      .def(py::init<Simulator&>(), py::arg("simulator"), py::keep_alive<1, 2>())
      .def("step", &RunTally::step)
      .def("step_to_end", &RunTally::step_to_end)
      .def_property_readonly("counts", &RunTally::counts);
  module.def("rollout", &rollout_arrays, py::arg("scene"), py::arg("states"),
             py::arg("controls") = py::none(), py::arg("steps") = py::none(),
             py::arg("threads") = 0,
             "Moves a scene from N states, each under its own efforts (controls [N, T, nv], along "
             "all velocities besides the scene's), or for a number of steps without. Returns a "
             "dict of arrays: q [N, T+1, nq], v [N, T+1, nv], time [N, T+1], holds [N, T] (also "
             "under its former name, claimed). The result has the same bits for any number of "
             "threads (0: one per processor).");
}

}  // namespace amontons::python

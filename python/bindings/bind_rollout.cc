#include "amontons/simulation/rollout.h"
#include "python/bindings/bindings.h"
#include "python/bindings/interruptible.h"

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

py::dict rollout_arrays(const Scene& scene, const std::vector<State>& states,
                        const std::optional<Table>& controls, std::optional<int> steps,
                        int threads) {
  if (!controls && !steps) throw std::invalid_argument("rollout: give controls or steps");
  const std::vector<Eigen::MatrixXd> efforts = efforts_of(controls);
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

}  // namespace

void bind_rollout(py::module_& module) {
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

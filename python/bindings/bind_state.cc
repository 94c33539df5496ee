#include "amontons/simulation/system/state.h"
#include "python/bindings/bindings.h"

#include <fmt/format.h>
#include <pybind11/eigen.h>

#include <cstdint>
#include <stdexcept>
#include <vector>

namespace py = pybind11;

namespace amontons::python {
namespace {

using Impulses = Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>;
using Changes = Eigen::Matrix<double, Eigen::Dynamic, 11, Eigen::RowMajor>;
using Keys = Eigen::Matrix<std::int64_t, Eigen::Dynamic, 3, Eigen::RowMajor>;

/// Returns one row for each change: kind, index, other, values.
Changes changes_of(const State& state) {
  Changes rows(static_cast<Eigen::Index>(state.changes.size()), 11);
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    const PropertyChange& change = state.changes[static_cast<std::size_t>(i)];
    rows(i, 0) = static_cast<double>(change.kind);
    rows(i, 1) = change.index;
    rows(i, 2) = change.other;
    for (Eigen::Index k = 0; k < 8; ++k) {
      rows(i, 3 + k) = change.values[static_cast<std::size_t>(k)];
    }
  }
  return rows;
}

std::vector<PropertyChange> changes_from(const Changes& rows) {
  std::vector<PropertyChange> changes(static_cast<std::size_t>(rows.rows()));
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    PropertyChange& change = changes[static_cast<std::size_t>(i)];
    change.kind = static_cast<PropertyKind>(static_cast<int>(rows(i, 0)));
    change.index = static_cast<int>(rows(i, 1));
    change.other = static_cast<int>(rows(i, 2));
    for (Eigen::Index k = 0; k < 8; ++k) {
      change.values[static_cast<std::size_t>(k)] = rows(i, 3 + k);
    }
  }
  return changes;
}

constexpr const char* kNoState = "this is no state of this version";

// Arrays preserve every bit.
py::tuple to_tuple(const State& state) {
  const auto num = static_cast<Eigen::Index>(state.warm_start.size());
  Keys keys(num, 3);
  Impulses impulses(num, 3);
  for (Eigen::Index i = 0; i < num; ++i) {
    const WarmStartEntry& entry = state.warm_start[static_cast<std::size_t>(i)];
    keys.row(i) << entry.key.shape_a, entry.key.shape_b, entry.key.feature;
    impulses.row(i) = entry.impulse_W.transpose();
  }
  return py::make_tuple(state.q, state.v, state.time, state.step_count, keys, impulses,
                        state.events.since_instant, state.events.impacts_here,
                        state.warm_start_step, changes_of(state));
}

State from_tuple(const py::tuple& parts) try {
  if (parts.size() != 10) throw std::invalid_argument(kNoState);
  State state;
  state.q = parts[0].cast<Eigen::VectorXd>();
  state.v = parts[1].cast<Eigen::VectorXd>();
  state.time = parts[2].cast<double>();
  state.step_count = parts[3].cast<std::int64_t>();
  const auto keys = parts[4].cast<Keys>();
  const auto impulses = parts[5].cast<Impulses>();
  if (keys.rows() != impulses.rows()) throw std::invalid_argument(kNoState);
  for (Eigen::Index i = 0; i < keys.rows(); ++i) {
    state.warm_start.push_back(
        {{static_cast<std::int32_t>(keys(i, 0)), static_cast<std::int32_t>(keys(i, 1)),
          static_cast<std::uint32_t>(keys(i, 2))},
         impulses.row(i).transpose()});
  }
  state.events = {parts[6].cast<std::int32_t>(), parts[7].cast<std::int32_t>()};
  state.warm_start_step = parts[8].cast<double>();
  state.changes = changes_from(parts[9].cast<Changes>());
  return state;
} catch (const py::cast_error&) {
  throw std::invalid_argument(kNoState);
}

}  // namespace

void bind_state(py::module_& module) {
  py::class_<State>(
      module, "State",
      "Holds the whole state of a motion, which continues from it with the same bits. "
      "Simulator.save() returns it, Simulator.restore() takes it. It can be copied "
      "and pickled.")
      .def_property_readonly(
          "q", [](const py::object& self) { return view(self.cast<State&>().q, self); },
          "Positions [nq].")
      .def_property_readonly(
          "v", [](const py::object& self) { return view(self.cast<State&>().v, self); },
          "Velocities [nv].")
      .def_readonly("time", &State::time, "Time [s].")
      .def_readonly("step_count", &State::step_count, "Steps since the start.")
      .def(py::pickle(&to_tuple, &from_tuple))
      .def("__copy__", [](const State& state) { return State(state); })
      .def(
          "__deepcopy__", [](const State& state, const py::dict&) { return State(state); },
          py::arg("memo"))
      .def("__repr__", [](const State& state) {
        return fmt::format("<State t={} s after {} steps>", state.time, state.step_count);
      });
}

}  // namespace amontons::python

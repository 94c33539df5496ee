#include "python/bindings/bindings.h"
#include "python/bindings/saved_state.h"

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

using Wrenches = Eigen::Matrix<double, Eigen::Dynamic, 10, Eigen::RowMajor>;
using Targets = Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>;

/// Returns efforts, efforts of joints that are rows of J, wrenches (body, force, torque, point) and
/// targets (servo, target, rate).
py::tuple to_tuple(const Commands& commands) {
  Wrenches wrenches(static_cast<Eigen::Index>(commands.wrenches.size()), 10);
  for (Eigen::Index i = 0; i < wrenches.rows(); ++i) {
    const WrenchDrive& own = commands.wrenches[static_cast<std::size_t>(i)];
    wrenches.row(i) << own.body, own.force_W.transpose(), own.torque_W.transpose(),
        own.at_B.transpose();
  }
  Targets targets(static_cast<Eigen::Index>(commands.targets.size()), 3);
  for (Eigen::Index i = 0; i < targets.rows(); ++i) {
    const TargetCommand& own = commands.targets[static_cast<std::size_t>(i)];
    targets.row(i) << own.servo, own.target, own.target_rate;
  }
  return py::make_tuple(commands.effort, commands.loop_effort, wrenches, targets);
}

Commands commands_from(const py::tuple& parts) {
  if (parts.size() != 4) throw std::invalid_argument(kNoState);
  Commands commands;
  commands.effort = parts[0].cast<Eigen::VectorXd>();
  commands.loop_effort = parts[1].cast<Eigen::VectorXd>();
  const auto wrenches = parts[2].cast<Wrenches>();
  for (Eigen::Index i = 0; i < wrenches.rows(); ++i) {
    const Eigen::Matrix<double, 10, 1> own = wrenches.row(i);
    commands.wrenches.push_back(
        {static_cast<int>(own[0]), own.segment<3>(1), own.segment<3>(4), own.segment<3>(7)});
  }
  const auto targets = parts[3].cast<Targets>();
  for (Eigen::Index i = 0; i < targets.rows(); ++i) {
    commands.targets.push_back({static_cast<int>(targets(i, 0)), targets(i, 1), targets(i, 2)});
  }
  return commands;
}

// Arrays preserve every bit.
py::tuple to_tuple(const SavedState& saved) {
  const State& state = saved.state;
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
                        state.warm_start_step, changes_of(state), to_tuple(saved.commands),
                        state.contact_impulse);
}

SavedState from_tuple(const py::tuple& parts) try {
  if (parts.size() != 12) throw std::invalid_argument(kNoState);
  SavedState saved;
  State& state = saved.state;
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
  saved.commands = commands_from(parts[10].cast<py::tuple>());
  state.contact_impulse = parts[11].cast<Eigen::VectorXd>();
  return saved;
} catch (const py::cast_error&) {
  throw std::invalid_argument(kNoState);
}

}  // namespace

void bind_state(py::module_& module) {
  py::class_<SavedState>(
      module, "State",
      "Holds the whole state of a motion, which continues from it with the same bits: positions, "
      "velocities, time, changes of properties, and the commands that were in force. "
      "Simulator.save() returns it, Simulator.restore() takes it. It can be copied "
      "and pickled.")
      .def_property_readonly(
          "q", [](const py::object& self) { return view(self.cast<SavedState&>().state.q, self); },
          "Positions [nq].")
      .def_property_readonly(
          "v", [](const py::object& self) { return view(self.cast<SavedState&>().state.v, self); },
          "Velocities [nv].")
      .def_property_readonly(
          "time", [](const SavedState& self) { return self.state.time; }, "Time [s].")
      .def_property_readonly(
          "step_count", [](const SavedState& self) { return self.state.step_count; },
          "Steps since the start.")
      .def_property_readonly("_has_commands", &has_commands)
      .def_property_readonly("_has_changes",
                             [](const SavedState& self) { return !self.state.changes.empty(); })
      .def(py::pickle([](const SavedState& self) { return to_tuple(self); }, &from_tuple))
      .def("__copy__", [](const SavedState& self) { return SavedState(self); })
      .def(
          "__deepcopy__", [](const SavedState& self, const py::dict&) { return SavedState(self); },
          py::arg("memo"))
      .def("__repr__", [](const SavedState& self) {
        return fmt::format("<State t={} s after {} steps>", self.state.time, self.state.step_count);
      });
}

}  // namespace amontons::python

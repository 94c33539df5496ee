#include "amontons/math/rotation.h"
#include "amontons/simulation/model_sensors.h"
#include "python/bindings/bindings.h"
#include "python/bindings/views/named_views.h"

#include <pybind11/eigen.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace py = pybind11;

namespace amontons::python {
namespace {

/// Lists the sensors of a simulator's models by name.
struct SensorViews {
  Handle owner;
};

/// Returns the reading of a sensor after the last step, or at the state before the first one.
py::object read_sensor(const SensorViews& self, const std::string& name) {
  Model& model = *self.owner.model;
  const std::vector<SystemSensor>& sensors = model.system().sensors();
  const auto found = std::find_if(sensors.begin(), sensors.end(),
                                  [&](const SystemSensor& own) { return own.name == name; });
  if (found == sensors.end()) throw UnknownNameError("sensor", name, model.sensor_names());
  StepReport still;
  still.end = &model.state();
  const StepReport* report = model.last_report();
  const Eigen::VectorXd reading =
      sensor_reading(report != nullptr ? model.system_of(*report) : model.system(),
                     report != nullptr ? *report : still, model.now(),
                     static_cast<std::size_t>(found - sensors.begin()));
  if (reading.size() == 1) return py::float_(reading[0]);
  return read_only(reading);
}

/// Holds one row of the contacts in world axes, laid out as contact_type() says.
struct ContactRow {
  std::int32_t body_a, body_b;
  std::array<double, 3> position, normal, force, impulse, velocity;
  double gap, friction, slip_margin;
  std::array<char32_t, 6> mode;  // NumPy's U6
};

/// Returns NumPy's type of a ContactRow.
const py::dtype& contact_type() {
  // Never deleted: the interpreter ends before static objects do.
  static const auto* const type = [] {
    py::list names, formats, offsets;
    const auto add = [&](const char* name, const char* format, std::size_t offset) {
      names.append(name);
      formats.append(py::dtype(format));
      offsets.append(offset);
    };
    add("body_a", "i4", offsetof(ContactRow, body_a));
    add("body_b", "i4", offsetof(ContactRow, body_b));
    add("position", "3f8", offsetof(ContactRow, position));
    add("normal", "3f8", offsetof(ContactRow, normal));
    add("force", "3f8", offsetof(ContactRow, force));
    add("impulse", "3f8", offsetof(ContactRow, impulse));
    add("velocity", "3f8", offsetof(ContactRow, velocity));
    add("gap", "f8", offsetof(ContactRow, gap));
    add("friction", "f8", offsetof(ContactRow, friction));
    add("slip_margin", "f8", offsetof(ContactRow, slip_margin));
    add("mode", "U6", offsetof(ContactRow, mode));
    return new py::dtype(names, formats, offsets, sizeof(ContactRow));
  }();
  return *type;
}

std::array<char32_t, 6> mode_name(ContactMode mode) {
  switch (mode) {
    case ContactMode::Stick:
      return {'s', 't', 'i', 'c', 'k'};
    case ContactMode::Slide:
      return {'s', 'l', 'i', 'd', 'e'};
    case ContactMode::Impact:
      return {'i', 'm', 'p', 'a', 'c', 't'};
    case ContactMode::Open:
      break;
  }
  return {'o', 'p', 'e', 'n'};
}

void fill(const ContactProblem& problem, const ContactSolution& solution, double h,
          const Eigen::VectorXd& u, const Eigen::Vector3d& position_W, std::size_t i,
          ContactRow& row) {
  const Contact& contact = problem.contacts[i];
  const Eigen::Index first = ContactProblem::row(i);
  const Eigen::Matrix3d R_WC = contact_frame(contact.normal_W);
  const Eigen::Vector3d p = solution.impulses.segment<3>(first);
  const Eigen::Vector3d impulse = R_WC * p, velocity = R_WC * u.segment<3>(first);
  const double per_time = h > 0.0 ? 1.0 / h : std::numeric_limits<double>::quiet_NaN();
  row.body_a = contact.body_a;
  row.body_b = contact.body_b;
  for (Eigen::Index k = 0; k < 3; ++k) {
    const auto c = static_cast<std::size_t>(k);
    row.position[c] = position_W[k];
    row.normal[c] = contact.normal_W[k];
    row.impulse[c] = impulse[k];
    row.force[c] = per_time * impulse[k];
    row.velocity[c] = velocity[k];
  }
  row.gap = contact.gap;
  row.friction = contact.friction;
  row.slip_margin = per_time * (contact.friction * p.z() - p.head<2>().norm());
  row.mode = mode_name(solution.modes[i]);
}

py::array contacts_in_world(const Simulator& simulator) {
  SimulatorExtras& extras = extras_of(simulator);
  const StepReport* report = extras.model.last_report();
  const std::size_t num = report == nullptr ? 0 : report->problem.num_contacts();
  py::array rows(contact_type(), static_cast<py::ssize_t>(num));
  if (num == 0) return rows;
  auto* row = static_cast<ContactRow*>(rows.mutable_data());
  const Eigen::VectorXd u = report->problem.contact_velocities(report->solution.velocity);
  const std::vector<ContactPlace>& places = extras.places.of(extras.model, *report);
  for (std::size_t i = 0; i < num; ++i, ++row) {
    fill(report->problem, report->solution, report->step, u, places[i].position_W, i, *row);
  }
  forbid_writing(rows);
  return rows;
}

}  // namespace

void bind_sensors(py::module_& module, SimulatorClass& simulator) {
  const auto names = [](const SensorViews& self) { return self.owner.model->sensor_names(); };
  py::class_<SensorViews> type(
      module, "Sensors",
      "Reads the sensors of models by name: a number, or an array of a vector or quaternion. "
      "Accelerations and contact forces are means over the last step, and raise ValueError without "
      "one, and after an impact.",
      collectable<SensorViews, &visit_owner<SensorViews>>());
  type.def("__getitem__", &read_sensor);
  bind_map_of_names(type, names);
  simulator
      .def_property_readonly(
          "sensors", [](const py::object& self) { return SensorViews{handle_of(self)}; },
          "Readings of the models' sensors by name: sim.sensors['robot/gyro'].")
      .def_property_readonly(
          "contacts", &contacts_in_world,
          "Contacts of the last step in world axes, none without a step, a structured array: "
          "body_a, body_b, position "
          "[m], normal (into B), force on B [N] (NaN in an impact), impulse [N s], velocity of B "
          "against A [m/s], gap [m], friction, slip_margin mu f_n - |f_t| [N], mode ('open', "
          "'stick', 'slide', 'impact'). Positions are on the bodies where they are now, normals "
          "and gaps those of the start of the step; report.contacts has all as the solver had it.");
}

}  // namespace amontons::python

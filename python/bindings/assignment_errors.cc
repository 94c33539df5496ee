#include "python/bindings/assignment_errors.h"

#include "amontons/math/nearest_name.h"

#include <map>
#include <string>
#include <vector>

namespace py = pybind11;

namespace amontons::python {
namespace {

constexpr const char* kState = "sim.set_state(q, v) sets the state";
constexpr const char* kScene =
    "give load_scene() or make_scene() another value, such as load_scene(file, {key: value})";

/// Returns what a program calls in place of an assignment; empty where there is no such call.
std::string advice(const py::handle type, const std::string& attribute) {
  static const std::map<std::string, std::string> kAdvice = {
      {"Simulator.q", kState},
      {"Simulator.v", kState},
      {"Simulator.positions", kState},
      {"Simulator.orientations", kState},
      {"Simulator.time", "sim.restore(state) sets it with the state that sim.save() returned"},
      {"Simulator.gravity", "sim.set_gravity(gravity) sets it"},
      {"Simulator.sensors", "they follow the simulation"},
      {"Simulator.effort_limits", "joints and servos of the scene have them"},
      {"State.q", kState},
      {"State.v", kState},
      {"Scene.gravity", kScene},
      {"Scene.steps", kScene},
      {"Scene.text", kScene},
      {"Body.position", kState},
      {"Body.quat_wxyz", kState},
      {"Body.rotation", kState},
      {"Body.pose", kState},
      {"Body.velocity", kState},
      {"Body.angular_velocity", kState},
      {"Body.twist", kState},
      {"Body.acceleration", "sim.set_wrench(body, force, torque) pushes it"},
      {"Body.contact_wrench", "sim.set_wrench(body, force, torque) pushes it"},
      {"Body.mass", "sim.set_mass(body, mass) sets it"},
      {"Body.center_of_mass", kScene},
      {"Body.inertia", "sim.set_mass(body, mass) scales it"},
      {"Joint.position", kState},
      {"Joint.velocity", kState},
      {"Joint.effort", "sim.set_effort(joint, effort) sets that of a program"},
      {"Joint.effort_limit", "sim.set_servo_gains(joint, effort_limit=...) sets that of a servo"},
      {"Joint.limits", kScene},
      {"Joint.attached", "sim.attach(joint) and sim.detach(joint) set it"},
      {"Frame.position", "sim.frame(parent, position) makes another frame"},
      {"Frame.rotation", "sim.frame(parent, position, quat_wxyz) makes another frame"},
      {"Frame.quat_wxyz", "sim.frame(parent, position, quat_wxyz) makes another frame"},
      {"Camera", "Camera(...) makes another one"},
      {"ContactProblem", "ContactProblem(...) makes another one"}};
  // A class of a program has the attributes of its base.
  for (const py::handle base : type.attr("__mro__")) {
    const std::string name = py::str(base.attr("__name__"));
    for (const std::string& key : {name + "." + attribute, name}) {
      if (const auto found = kAdvice.find(key); found != kAdvice.end()) return "; " + found->second;
    }
  }
  return "";
}

/// Returns the names of the attributes of a type, without private ones.
std::vector<std::string> public_attributes(py::handle type) {
  std::vector<std::string> names;
  for (const py::handle name : py::module_::import("builtins").attr("dir")(type)) {
    const std::string text = py::str(name);
    if (!text.starts_with('_')) names.push_back(text);
  }
  return names;
}

/// Sets the error of an assignment that Python refused with an AttributeError.
void word_refusal(const py::object& self, const py::object& name) {
  py::error_already_set error;
  const py::handle type = py::type::handle_of(self);
  const std::string attribute = py::str(name);
  const std::string owner = py::str(type.attr("__name__"));
  std::string text = owner + "." + attribute + " is read-only" + advice(type, attribute);
  if (!py::hasattr(type, attribute.c_str())) {
    text = owner + " has no attribute '" + attribute + "'" +
           did_you_mean(attribute, public_attributes(type));
  }
  PyErr_SetString(PyExc_AttributeError, text.c_str());
}

/// Sets or deletes (null) an attribute, as any object of Python does.
void assign(const py::object& self, const py::object& name, PyObject* value) {
  if (PyObject_GenericSetAttr(self.ptr(), name.ptr(), value) == 0) return;
  if (PyErr_ExceptionMatches(PyExc_AttributeError) != 0) word_refusal(self, name);
  throw py::error_already_set();
}

}  // namespace

void word_assignments(py::handle type) {
  if (Py_TYPE(type.ptr()) != py::detail::get_internals().default_metaclass) return;
  // Functions rather than a slot, which classes of programs would not inherit.
  type.attr("__setattr__") =
      py::cpp_function([](const py::object& self, const py::object& name,
                          const py::object& value) { assign(self, name, value.ptr()); },
                       py::is_method(type), py::name("__setattr__"));
  type.attr("__delattr__") = py::cpp_function(
      [](const py::object& self, const py::object& name) { assign(self, name, nullptr); },
      py::is_method(type), py::name("__delattr__"));
}

}  // namespace amontons::python

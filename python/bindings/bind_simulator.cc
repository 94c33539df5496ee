#include "amontons/io/common/parse_error.h"
#include "amontons/math/named_index.h"
#include "amontons/math/rotation.h"
#include "amontons/math/thread_pool.h"
#include "amontons/simulation/forces/inverse_dynamics.h"
#include "amontons/simulation/simulator.h"
#include "amontons/simulation/system/kinematics.h"
#include "python/bindings/bindings.h"
#include "python/bindings/interruptible.h"
#include "python/bindings/saved_state.h"
#include "python/bindings/shared_object.h"
#include "python/bindings/views/frame_argument.h"

#include <pybind11/eigen.h>
#include <pybind11/stl.h>

#include <array>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace py = pybind11;

namespace amontons::python {
namespace {

// An array of doubles is taken where it lies.
using Vector = Eigen::Ref<const Eigen::VectorXd>;

// Sets a Python function as the controller. A thread without the interpreter's lock may call it.
void set_controller(Simulator& simulator, py::object function) {
  if (function.is_none()) {
    simulator.set_controller({});
    extras_of(simulator).controller.reset();
    return;
  }
  if (!PyCallable_Check(function.ptr())) {
    throw py::type_error("set_controller: a function of the simulator is needed, or None");
  }
  const std::shared_ptr<py::object> shared = shared_object(std::move(function));
  simulator.set_controller([shared](Simulator& own) {
    call_python([&] { (*shared)(py::cast(&own, py::return_value_policy::reference)); });
  });
  extras_of(simulator).controller = shared;
}

// Reports a fault of the scene with the name of its file.
SimulatorPointer make_simulator(const Scene& scene, int threads) {
  const ThreadPool any(threads);  // refuses an invalid number
  try {
    return interruptible([&] { return SimulatorPointer(new Simulator(scene, threads)); });
  } catch (const std::invalid_argument& error) {
    throw io::ParseError(scene.file, 0, 0, error.what());
  }
}

// Read-only in Python: no function of StepReport changes it.
std::shared_ptr<StepReport> last_report(const Simulator& simulator) {
  return std::const_pointer_cast<StepReport>(simulator.last_report());
}

std::vector<std::string> body_names(const Simulator& simulator) {
  std::vector<std::string> names;
  for (const Body& body : simulator.system().bodies()) names.push_back(body.name);
  return names;
}

std::vector<std::string> muscle_names(const Simulator& simulator) {
  std::vector<std::string> names;
  for (const MuscleDrive& muscle : simulator.system().muscles()) names.push_back(muscle.law.name);
  return names;
}

double activation_now(const Simulator& simulator, const std::string& muscle) {
  const int index =
      index_of_named("muscle", simulator.system().muscles(), muscle,
                     [](const MuscleDrive& own) -> const std::string& { return own.law.name; });
  return simulator.system().muscles()[static_cast<std::size_t>(index)].activation(simulator.time());
}

std::map<std::string, std::pair<Eigen::Vector3d, Eigen::Vector4d>> body_poses(
    const Simulator& simulator) {
  const State& state = simulator.state();
  SystemKinematics kinematics;
  compute_kinematics(simulator.system(), state.q, state.v, state.time, kinematics);
  for (const Pose& X_WB : kinematics.X_WB) evaluated(X_WB.translation);
  std::map<std::string, std::pair<Eigen::Vector3d, Eigen::Vector4d>> poses;
  for (std::size_t i = 0; i < kinematics.X_WB.size(); ++i) {
    const Pose& X_WB = kinematics.X_WB[i];
    poses[simulator.system().bodies()[i].name] = {
        X_WB.translation, wxyz_from_quaternion(Eigen::Quaterniond(X_WB.rotation).normalized())};
  }
  return poses;
}

/// Binds the commands that hold until they are changed.
void bind_commands(SimulatorClass& type) {
  type.def("set_effort", &Simulator::set_effort, py::arg("joint"), py::arg("effort"),
           "Adds an effort along a joint of one coordinate [N m or N]; it lasts until changed. "
           "Raises "
           "UnknownNameError for a name that no joint has, ValueError for other joints.")
      .def(
          "set_efforts",
          [](Simulator& simulator, const Vector& efforts) { simulator.set_efforts(efforts); },
          py::arg("efforts"),
          "Adds efforts along all velocities [nv] [N m or N]; they last until changed. Raises "
          "ValueError for sizes that do not fit, and for an effort on a parked body.")
      .def("set_servo_target", &Simulator::set_servo_target, py::arg("joint"), py::arg("target"),
           py::arg("target_rate") = 0.0,
           "Sets the target [rad or m], and its rate, of a servo of the scene; it lasts until "
           "changed. The target of a servo with kp 0 is its rate [rad/s or m/s], as either "
           "argument.")
      .def("set_control", &Simulator::set_control, py::arg("muscle"), py::arg("control"),
           "Sets the control of a muscle within [0, 1]; it lasts until changed, and the activation "
           "follows it.")
      .def("activation", &activation_now, py::arg("muscle"), "Returns the activation of a muscle.")
      .def_property_readonly("muscle_names", &muscle_names, "Names of all muscles.")
      .def(
          "set_wrench",
          [](Simulator& simulator, const std::string& body, const Triple& force,
             const Triple& torque, const Triple& at) {
            simulator.set_wrench(body, to_vector(force), to_vector(torque), to_vector(at));
          },
          py::arg("body"), py::arg("force"), py::arg("torque") = Triple{}, py::arg("at") = Triple{},
          "Applies a force [3] [N] and a torque [3] [N m] to a body, in world axes; they last "
          "until "
          "changed. at [3] [m] is the point where the force acts, from the body's origin along the "
          "body's axes; it moves with the body. A body has one wrench: the next one replaces it, "
          "and zeros end it. Raises ValueError for a body that is fixed or parked.");
}

}  // namespace

SimulatorClass bind_simulator(py::module_& module) {
  SimulatorClass type(module, "Simulator", "Steps a scene through time.",
                      collectable<Simulator, &visit_functions, &clear_functions>());
  type.def(py::init(&make_simulator), py::arg("scene"), py::arg("threads") = 0,
           "threads: number of threads that share the islands of a step, 0 for one per processor. "
           "The motion has the same bits for any number.")
      .def_property_readonly(
          "report", &last_report,
          "Report of the last step; None before the first, and after a step that "
          "failed.")
      .def_property_readonly("time", &Simulator::time, "Time [s].")
      .def_property_readonly("finished", &Simulator::finished, "True at the scene's duration.")
      // Views share the memory of the simulator and keep it alive.
      .def_property_readonly(
          "q", [](const py::object& self) { return view(self.cast<Simulator&>().state().q, self); },
          "Positions, a read-only view that follows the simulation.")
      .def_property_readonly(
          "v", [](const py::object& self) { return view(self.cast<Simulator&>().state().v, self); },
          "Velocities, a read-only view that follows the simulation.")
      .def("save", &save,
           "Returns the whole state, with the commands in force; restore() continues from it with "
           "the same bits.")
      .def("restore", &restore, py::arg("state"),
           "Sets a state that save() returned, and its commands in place of the present ones.")
      .def("set_controller", &set_controller, py::arg("function"),
           "Calls function(simulator) before every step, to read the state and give commands; None "
           "removes it. It must not step.")
      .def(
          "set_state",
          [](Simulator& simulator, const Vector& q, const Vector& v) { simulator.set_state(q, v); },
          py::arg("q"), py::arg("v"),
          "Sets positions [nq] and velocities [nv]; the time stays. A parked body may be placed, "
          "but "
          "must not move: its velocity raises ValueError.")
      .def("reset", &Simulator::reset, "Returns to the scene's start, without commands.");
  bind_commands(type);
  type.def(
          "gravity_compensation",
          [](const Simulator& simulator, const Eigen::VectorXd& q) {
            return evaluated(gravity_compensation(simulator.system(), q));
          },
          py::arg("q"), "Returns the generalized forces that keep the system at rest at q.")
      .def("__repr__",
           [](const Simulator& self) {
             return "<Simulator of " + std::to_string(self.system().bodies().size()) +
                    " bodies at t = " + std::string(py::repr(py::float_(self.time()))) + " s>";
           })
      .def_property_readonly("body_names", &body_names,
                             "Names in the order of a contact's body_a, body_b.")
      .def("body_poses", &body_poses,
           "Returns {name: (position [3] [m], quat_wxyz [4])} of every body, in world axes; "
           "positions "
           "and orientations are arrays, which cost less.");
  return type;
}

}  // namespace amontons::python

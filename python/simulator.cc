#include "amontons/simulation/simulator.h"

#include "amontons/io/scene_file.h"
#include "amontons/simulation/inverse_dynamics.h"
#include "python/bindings.h"

#include <pybind11/eigen.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <array>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace py = pybind11;

namespace amontons::python {
namespace {

using Triple = std::array<double, 3>;

Eigen::Vector3d to_vector(const Triple& t) { return {t[0], t[1], t[2]}; }

// A view of a state vector that keeps the simulator alive; read-only, since writing to it would
// bypass set_state().
py::array view(const Eigen::VectorXd& vector, const py::object& owner) {
  py::array_t<double> array({vector.size()}, {static_cast<py::ssize_t>(sizeof(double))},
                            vector.data(), owner);
  array.attr("flags").attr("writeable") = false;
  return array;
}

Scene load(const std::filesystem::path& file, const std::map<std::string, std::string>& overrides,
           const std::map<std::string, std::filesystem::path>& packages) {
  io::LoadOptions options;
  options.packages = packages;
  options.overrides.assign(overrides.begin(), overrides.end());
  return io::load_scene(file, options);
}

}  // namespace

void bind_simulator(py::module_& module) {
  py::class_<Scene>(module, "Scene", "A scene file, resolved and in SI.")
      .def_readonly("file", &Scene::file)
      .def_readonly("gravity", &Scene::gravity)
      .def_property(
          "duration", [](const Scene& scene) { return scene.simulation.duration; },
          [](Scene& scene, double duration) { scene.simulation.duration = duration; }, "[s]");

  module.def("load_scene", &load, py::arg("file"),
             py::arg("overrides") = std::map<std::string, std::string>{},
             py::arg("packages") = std::map<std::string, std::filesystem::path>{},
             "Reads a scene file. overrides: {'simulation.step': '0.01', ...}; packages resolve "
             "package:// and model://. Raises ParseError naming file, line and remedy.");

  py::class_<Simulator>(module, "Simulator", "Steps a scene through time.")
      .def(py::init<const Scene&, int>(), py::arg("scene"), py::arg("threads") = 0,
           "threads: how many share the islands of a step, 0 for one per processor; the motion is "
           "the same bits for any number.")
      .def(
          "step",
          [](Simulator& simulator) {
            py::gil_scoped_release release;
            return simulator.step();
          },
          "Takes one step and returns its report.")
      .def_property_readonly("time", &Simulator::time, "[s]")
      .def_property_readonly("finished", &Simulator::finished, "True at the scene's duration.")
      .def_property_readonly(
          "q", [](const py::object& self) { return view(self.cast<Simulator&>().state().q, self); },
          "Positions, a read-only view that follows the simulation.")
      .def_property_readonly(
          "v", [](const py::object& self) { return view(self.cast<Simulator&>().state().v, self); },
          "Velocities, a read-only view that follows the simulation.")
      .def(
          "set_state",
          [](Simulator& simulator, const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
            simulator.set_state(q, v);
          },
          py::arg("q"), py::arg("v"))
      .def("reset", &Simulator::reset, "Back to the scene's start, without commands.")
      .def("set_effort", &Simulator::set_effort, py::arg("joint"), py::arg("effort"),
           "Effort along a joint of one coordinate, besides the scene's; holds until changed.")
      .def("set_efforts", &Simulator::set_efforts, py::arg("efforts"),
           "Efforts along all velocities.")
      .def("set_servo_target", &Simulator::set_servo_target, py::arg("joint"), py::arg("target"),
           py::arg("target_rate") = 0.0)
      .def(
          "set_wrench",
          [](Simulator& simulator, const std::string& body, const Triple& force,
             const Triple& torque, const Triple& at) {
            simulator.set_wrench(body, to_vector(force), to_vector(torque), to_vector(at));
          },
          py::arg("body"), py::arg("force"), py::arg("torque") = Triple{}, py::arg("at") = Triple{},
          "Force at a point of a body and torque, world axes; holds until changed.")
      .def(
          "inverse_dynamics",
          [](const Simulator& simulator, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
             const Eigen::VectorXd& vdot) {
            return inverse_dynamics(simulator.system(), q, v, vdot);
          },
          py::arg("q"), py::arg("v"), py::arg("vdot"),
          "Generalized forces that actuators must give for the acceleration vdot.")
      .def(
          "gravity_compensation",
          [](const Simulator& simulator, const Eigen::VectorXd& q) {
            return gravity_compensation(simulator.system(), q);
          },
          py::arg("q"), "Generalized forces that hold the system still at q.")
      .def_property_readonly("body_names", [](const Simulator& simulator) {
        std::vector<std::string> names;
        for (const Body& body : simulator.system().bodies()) names.push_back(body.name);
        return names;
      });
}

}  // namespace amontons::python

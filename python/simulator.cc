#include "amontons/simulation/simulator.h"

#include "amontons/io/scene_file.h"
#include "python/bindings.h"

#include <pybind11/eigen.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace py = pybind11;

namespace amontons::python {
namespace {

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
            State state = simulator.state();
            state.q = q;
            state.v = v;
            state.warm_start.clear();
            simulator.set_state(state);
          },
          py::arg("q"), py::arg("v"))
      .def_property_readonly("body_names", [](const Simulator& simulator) {
        std::vector<std::string> names;
        for (const Body& body : simulator.system().bodies()) names.push_back(body.name);
        return names;
      });
}

}  // namespace amontons::python

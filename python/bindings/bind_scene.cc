#include "amontons/io/common/parse_number.h"
#include "amontons/io/import/mesh_shape.h"
#include "amontons/io/scene/model_scene.h"
#include "amontons/io/scene/scene_file.h"
#include "amontons/io/yaml/yaml_overrides.h"
#include "amontons/simulation/scene/ledger_line.h"
#include "amontons/simulation/scene/scene.h"
#include "python/bindings/bindings.h"
#include "python/bindings/interruptible.h"

#include <pybind11/eigen.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace py = pybind11;

namespace amontons::python {
namespace {

using Overrides = std::vector<std::pair<std::string, std::string>>;  // in their order
using Packages = std::map<std::string, std::filesystem::path>;

io::LoadOptions load_options(const Overrides& overrides, const Packages& packages) {
  io::LoadOptions options;
  options.packages = packages;
  options.overrides = overrides;
  return options;
}

Scene load(const std::filesystem::path& file, const Overrides& overrides,
           const Packages& packages) {
  const io::LoadOptions options = load_options(overrides, packages);
  return interruptible([&] {
    return io::is_model_file(file) ? io::load_model_scene(file, options)
                                   : io::load_scene(file, options);
  });
}

Scene parse(const std::string& text, const std::filesystem::path& folder, const std::string& name,
            const Overrides& overrides, const Packages& packages) {
  return interruptible([&] {
    return io::parse_scene(text, (folder / name).string(), io::DiskFiles(folder),
                           load_options(overrides, packages));
  });
}

// Pickles the texts and files that a scene was read from, as a run keeps them.
py::tuple to_tuple(const Scene& scene) {
  py::list inputs;
  for (const InputFile& input : scene.inputs) {
    inputs.append(py::make_tuple(input.path, py::bytes(input.bytes)));
  }
  return py::make_tuple(scene.file, scene.text, scene.overrides, inputs);
}

// Sets the duration as an override does, so that runs, copies and pickles of the scene keep it.
void set_duration(Scene& scene, double duration) {
  if (!(duration > 0.0 && std::isfinite(duration))) {
    throw std::invalid_argument("duration must be positive and finite, not " +
                                std::to_string(duration));
  }
  const std::string path = "simulation.duration";
  std::erase_if(scene.overrides, [&path](const auto& own) { return own.first == path; });
  scene.overrides.emplace_back(path, io::shortest_text(duration));
  scene.simulation.duration = duration;
}

constexpr const char* kNoScene = "this is no scene of this version";

Scene from_tuple(const py::tuple& parts) try {
  if (parts.size() != 4) throw std::invalid_argument(kNoScene);
  io::LoadOptions options;
  options.overrides = parts[2].cast<decltype(options.overrides)>();
  io::MemoryFiles files;
  for (const py::handle input : parts[3].cast<py::list>()) {
    const auto pair = input.cast<py::tuple>();
    files.add(pair[0].cast<std::string>(), pair[1].cast<py::bytes>());
  }
  const auto file = parts[0].cast<std::string>(), text = parts[1].cast<std::string>();
  return interruptible([&] { return io::parse_scene(text, file, files, options); });
} catch (const py::cast_error&) {
  throw std::invalid_argument(kNoScene);
}

// Reads a scene again from its texts and files, with further overrides.
Scene with_overrides(const Scene& scene, const Overrides& overrides, io::MeshShapes* meshes) {
  io::LoadOptions options;
  options.meshes = meshes;
  for (const auto& own : scene.overrides) {
    const auto replaces = [&own](const auto& other) { return other.first == own.first; };
    if (std::ranges::none_of(overrides, replaces)) options.overrides.push_back(own);
  }
  options.overrides.insert(options.overrides.end(), overrides.begin(), overrides.end());
  return interruptible([&] {
    return io::parse_scene(scene.text, scene.file, io::MemoryFiles(scene.inputs), options);
  });
}

// Returns the number that the text of a scene and its overrides give at a path, or nothing.
std::optional<double> number_of_scene(const Scene& scene, const std::string& path) {
  for (auto own = scene.overrides.rbegin(); own != scene.overrides.rend(); ++own) {
    const auto& [place, value] = *own;
    // The override lies at the path, or holds it.
    const bool is_above = path.starts_with(place + ".");
    if (path != place && !is_above) continue;
    const io::YamlValue document = io::parse_yaml((is_above ? "" : "x: ") + value, place);
    return io::number_at(document, is_above ? path.substr(place.size() + 1) : "x");
  }
  return io::number_at(io::parse_yaml(scene.text, scene.file), path);
}

}  // namespace

void bind_scene(py::module_& module) {
  py::class_<Scene>(
      module, "Scene",
      "Holds a scene, resolved and in SI units. It can be copied and pickled, with its text "
      "and all files that it was read from.")
      .def(py::pickle(&to_tuple, &from_tuple))
      .def("__repr__",
           [](const Scene& scene) {
             return "<Scene '" + scene.file + "' of " + std::to_string(scene.bodies.size()) +
                    " bodies and " + std::to_string(scene.models.size()) + " models>";
           })
      .def("__copy__", [](const Scene& scene) { return Scene(scene); })
      .def(
          "__deepcopy__", [](const Scene& scene, const py::dict&) { return Scene(scene); },
          py::arg("memo"))
      .def_readonly("file", &Scene::file, "File that it was read from.")
      .def_readonly("text", &Scene::text, "Text that was read (YAML).")
      .def_readonly("gravity", &Scene::gravity, "Gravity [3] in world axes [m/s^2].")
      .def_property_readonly(
          "steps", [](const Scene& scene) { return scene.simulation.steps; },
          "Lengths of the steps [s], which are used in turn.")
      .def_property_readonly(
          "findings",
          [](const Scene& scene) {
            std::vector<std::string> lines;
            for (const LedgerEntry& entry : scene.ledger.findings()) {
              lines.push_back(ledger_line(entry));
            }
            return lines;
          },
          "Findings of the import ledger: elements of files that are not used, or approximated.")
      .def_property(
          "duration", [](const Scene& scene) { return scene.simulation.duration; }, &set_duration,
          "Duration of the simulation [s].");

  py::class_<io::MeshShapes>(module, "_Meshes",
                             "Keeps the meshes of a scene, for readings with other overrides.")
      .def(py::init<>());
  module.def("_with_overrides", &with_overrides, py::arg("scene"), py::arg("overrides"),
             py::arg("meshes"),
             "Returns a copy of a scene with further overrides, pairs of texts, from the texts and "
             "files that it keeps. `meshes` are those of earlier copies, or None.");

  module.def("_number_of_scene", &number_of_scene, py::arg("scene"), py::arg("path"),
             "Returns the number that the text of a scene and its overrides give at a path, or "
             "None.");

  // Overrides of Python values become texts in the package, before this call.
  module.def("_load_scene", &load, py::arg("file"), py::arg("overrides"), py::arg("packages"),
             "Implements load_scene() of the package, with overrides as pairs of texts.");
  module.def("_parse_scene", &parse, py::arg("text"), py::arg("folder"), py::arg("name"),
             py::arg("overrides"), py::arg("packages"),
             "Implements parse_scene() of the package, with overrides as pairs of texts.");
}

}  // namespace amontons::python

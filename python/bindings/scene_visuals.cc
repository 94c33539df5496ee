#include "python/bindings/scene_visuals.h"

#include "amontons/io/common/recorded_or_disk.h"
#include "amontons/io/scene/scene_file.h"

#include <filesystem>
#include <stdexcept>
#include <string>

namespace amontons::python {

const Scene* scene_of(const Simulator& simulator, const pybind11::object& scene,
                      const char* caller) {
  if (scene.is_none()) return nullptr;
  if (!pybind11::isinstance<Scene>(scene)) {
    throw pybind11::type_error(std::string(caller) +
                               ": scene is the Scene of the simulator, or None");
  }
  const Scene* own = scene.cast<const Scene*>();
  if (!simulator.simulates(*own)) {
    throw std::invalid_argument(
        std::string(caller) +
        ": the scene is not that of the simulator; its text, overrides or files differ");
  }
  return own;
}

io::ModelVisuals visuals_of(const Scene* scene) {
  io::ModelVisuals visuals;
  if (scene == nullptr) return visuals;
  io::LoadOptions options;
  options.overrides = scene->overrides;
  options.visuals = &visuals;
  const io::MemoryFiles recorded(scene->inputs);
  const io::RecordedOrDisk files(recorded, std::filesystem::path(scene->file).parent_path());
  io::parse_scene(scene->text, scene->file, files, options);
  return visuals;
}

}  // namespace amontons::python

#include "amontons/io/scene/model_scene.h"

#include "amontons/io/common/parse_error.h"
#include "amontons/io/common/parse_number.h"
#include "amontons/io/import/import_context.h"
#include "amontons/io/import/mesh_shape.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace amontons::io {
namespace {

/// Returns a text as a quoted YAML scalar.
std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

/// Returns the scene's text for a robot or world file. The models come first, so that their lines
/// in the ledger do not depend on what follows.
std::string scene_text(const std::string& file, const WorldSettings& world) {
  std::string text = "amontons: 1\nmodels: [{name: model, file: " + quoted(file) + "}]\n";
  const double step = world.step.value_or(0.001);
  text += "simulation: {step: " + shortest_text(step) +
          ", duration: " + shortest_text(std::max(1.0, step)) + "}\n";
  if (world.gravity) {
    const Eigen::Vector3d& g = *world.gravity;
    text += "gravity: [" + shortest_text(g.x()) + ", " + shortest_text(g.y()) + ", " +
            shortest_text(g.z()) + "]\n";
  }
  if (world.friction) {
    text += "materials: [{name: default, friction: " + shortest_text(*world.friction) + "}]\n";
  }
  return text;
}

}  // namespace

bool is_model_file(const std::filesystem::path& file) {
  // Extensions count without regard to case.
  std::string extension = file.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  constexpr std::array kKnown{".urdf", ".sdf", ".world", ".xml", ".mjcf", ".xacro"};
  return std::find(kKnown.begin(), kKnown.end(), extension) != kKnown.end();
}

Scene load_model_scene(const std::filesystem::path& file, const LoadOptions& options) {
  const DiskFiles disk(file.parent_path());
  const FileSource& source = options.source ? *options.source : disk;
  const std::string name = file.filename().string();
  // A file that is not there has no line, least of all in the text that stands for a scene.
  if (!source.exists(name)) {
    throw ParseError(file.string(), 0, 0, "cannot read the file: there is no such file");
  }
  // The file itself says gravity, step and friction, so that a first reading finds them out.
  WorldSettings world;
  MeshShapes meshes;
  LoadOptions first = options;
  first.world = &world;
  first.meshes = &meshes;
  Scene scene = parse_scene(scene_text(name, {}), file.string(), source, first);
  // A second reading uses them, if they differ from the defaults.
  const std::string text = scene_text(name, world);
  if (text == scene.text) return scene;
  LoadOptions second = options;
  second.meshes = &meshes;
  return parse_scene(text, file.string(), source, second);
}

}  // namespace amontons::io

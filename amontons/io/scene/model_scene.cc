#include "amontons/io/scene/model_scene.h"

#include "amontons/io/common/fault_list.h"
#include "amontons/io/common/file_ending.h"
#include "amontons/io/common/parse_error.h"
#include "amontons/io/common/parse_number.h"
#include "amontons/io/import/import_context.h"
#include "amontons/io/import/mesh_shape.h"

#include <algorithm>
#include <array>
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

/// Returns true for a place in the text that scene_text() makes: its values have columns, which
/// elements of XML do not have.
bool is_made_up(const std::string& file, int column, const std::string& shown) {
  return file == shown && column > 0;
}

/// Returns an error without a place in that text.
ParseError without_made_up_place(const ParseError& error, const std::string& shown) {
  if (!is_made_up(error.file(), error.column(), shown)) return error;
  return {error.file(), 0, 0, error.message()};
}

/// Reads a text of scene_text(). No error and no record names a line of it.
Scene parse_made_up_scene(const std::string& text, const std::string& shown,
                          const FileSource& source, const LoadOptions& options) {
  try {
    Scene scene = parse_scene(text, shown, source, options);
    const auto remove_place = [&](SourceLocation& where) {
      if (is_made_up(where.file, where.column, shown)) where.line = where.column = 0;
    };
    for (LedgerEntry& entry : scene.ledger.entries) remove_place(entry.where);
    for (SceneModel& model : scene.models) remove_place(model.where);
    return scene;
  } catch (const ParseErrors& errors) {
    FaultList faults;
    for (const ParseError& error : errors.faults()) {
      faults.add(without_made_up_place(error, shown));
    }
    faults.throw_any();
    throw;
  } catch (const ParseError& error) {
    throw without_made_up_place(error, shown);
  }
}

}  // namespace

bool is_model_file(const std::filesystem::path& file) {
  const std::string ending = file_ending(file);
  constexpr std::array kKnown{".urdf", ".sdf", ".world", ".xml", ".mjcf", ".xacro"};
  return std::find(kKnown.begin(), kKnown.end(), ending) != kKnown.end();
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
  Scene scene = parse_made_up_scene(scene_text(name, {}), file.string(), source, first);
  // A second reading uses them, if they differ from the defaults.
  const std::string text = scene_text(name, world);
  if (text == scene.text) return scene;
  LoadOptions second = options;
  second.meshes = &meshes;
  return parse_made_up_scene(text, file.string(), source, second);
}

}  // namespace amontons::io

#include "tools/amontons/support/scene_options.h"

#include "amontons/io/common/parse_error.h"
#include "amontons/io/scene/model_scene.h"
#include "amontons/io/scene/start_check.h"
#include "amontons/simulation/system/divergence_error.h"
#include "tools/amontons/support/command_line.h"
#include "tools/amontons/support/failure.h"

#include <stdexcept>
#include <utility>

namespace amontons::cli {
namespace {

std::pair<std::string, std::string> split(const std::string& option, const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw io::ParseError(option + " " + text, 0, 0, "must have the form name=value");
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

// A text as a quoted YAML scalar.
std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

// A text as a YAML scalar, which is a number where it looks like one.
std::string scalar(const std::string& text) {
  const bool is_number =
      !text.empty() && text.find_first_not_of("+-.0123456789") == std::string::npos;
  return is_number ? text : quoted(text);
}

// The value of a key of the scene from the items of an option: one value, or a map from names to
// values.
std::string value_by_name(const std::string& option, const std::vector<std::string>& items) {
  if (items.size() == 1 && items[0].find('=') == std::string::npos) return items[0];
  std::string map;
  for (const std::string& item : items) {
    const bool is_named = item.find('=') != std::string::npos;
    const auto [name, value] =
        is_named ? split(option, item) : std::pair<std::string, std::string>("*", item);
    map += (map.empty() ? "" : ", ") + quoted(name) + ": " + scalar(value);
  }
  return items.empty() ? "" : "{" + map + "}";
}

}  // namespace

void add_override(SceneOptions& options, const std::string& path, const std::string& value) {
  if (value.empty()) return;
  for (const std::string& given : options.overrides) {
    if (!given.starts_with(path + "=")) continue;
    throw io::ParseError("--set " + given, 0, 0,
                         path + " is given twice: an option of its own says " + value);
  }
  options.overrides.push_back(path + "=" + value);
}

void expand_shorthands(SceneOptions& options) {
  add_override(options, "simulation.step", options.step);
  add_override(options, "simulation.duration", options.duration);
  add_override(options, "collide", value_by_name("--collide", options.collide));
  add_override(options, "max_hull_vertices",
               value_by_name("--max-hull-vertices", options.max_hull_vertices));
}

void add_reading_options(Verb& verb, SceneOptions& options) {
  verb.option("--set", options.overrides,
              "Change a value of the scene, e.g. bodies.box.mass=2 (repeatable)", "PATH=VALUE");
  verb.option("--collide", options.collide,
              "How meshes collide: mesh, hull, parts, none; by link NAME=WORD (repeatable)",
              "[NAME=]WORD");
  verb.option("--max-hull-vertices", options.max_hull_vertices,
              "Largest number of vertices of a hull of a mesh; by link NAME=N (repeatable)",
              "[NAME=]N");
  verb.option("--package", options.packages,
              "Folder behind package://NAME and model://NAME, or, without NAME, behind package:/// "
              "(repeatable)",
              "[NAME]=DIR");
}

void add_scene_options(Verb& verb, SceneOptions& options) {
  verb.option("--step", options.step, "Step [s], instead of the scene's");
  verb.option("--duration", options.duration, "Duration [s], instead of the scene's");
  add_reading_options(verb, options);
}

io::LoadOptions load_options(const SceneOptions& options) {
  io::LoadOptions result;
  for (const std::string& text : options.packages) {
    // Without a name the folder is that of package:///FILE.
    const auto [name, folder] =
        text.starts_with('=') ? std::pair(std::string(), text.substr(1)) : split("--package", text);
    result.packages[name] = folder;
  }
  for (const std::string& text : options.overrides) {
    result.overrides.push_back(split("--set", text));
  }
  return result;
}

Scene load_scene_or_model(const std::string& file, const SceneOptions& options,
                          io::ModelVisuals* visuals) {
  io::LoadOptions how = load_options(options);
  how.visuals = visuals;
  return io::is_model_file(file) ? io::load_model_scene(file, how) : io::load_scene(file, how);
}

Simulator make_simulator(const Scene& scene, const std::string& file, int num_threads) try {
  Simulator simulator(scene, num_threads);
  simulator.initial_report();  // its evaluation of the start serves the first step
  return simulator;
} catch (const std::invalid_argument& error) {
  io::refuse_scene(file, error);
} catch (const std::domain_error& error) {
  throw io::ParseError(file, 0, 0, error.what());
} catch (const DivergenceError& error) {
  throw Failure(kCertificateMissed, file + ": " + error.what());
}

}  // namespace amontons::cli

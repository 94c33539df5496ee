#include "tools/amontons/info/info.h"

#include "amontons/io/common/file_ending.h"
#include "amontons/io/common/hdf5_signature.h"
#include "amontons/io/common/parse_error.h"
#include "amontons/io/run/run_reader.h"
#include "tools/amontons/support/command_line.h"
#include "tools/amontons/support/exit_codes.h"
#include "tools/amontons/support/json_output.h"
#include "tools/amontons/verbs/verbs.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>

namespace amontons::cli {
namespace {

using Json = nlohmann::ordered_json;

struct InfoOptions {
  SceneOptions scene;
  std::string file;
  bool json = false, jams = false;
};

// Returns true for the endings of mesh files that scenes and robots name (io/import/mesh_file.h).
bool is_mesh(const std::string& file) {
  constexpr std::array kEndings = {".obj", ".stl", ".ply", ".msh", ".dae", ".glb", ".gltf"};
  return std::find(kEndings.begin(), kEndings.end(), io::file_ending(file)) != kEndings.end();
}

Json describe(const InfoOptions& options) {
  std::error_code error;
  if (!std::filesystem::exists(options.file, error)) {
    throw io::ParseError(options.file, 0, 0, "there is no such file");
  }
  const bool is_file_of_numbers = io::is_hdf5_file(options.file);
  if (options.jams && (is_file_of_numbers || is_mesh(options.file))) {
    throw io::ParseError(options.file, 0, 0, "--jams needs a scene or a robot model");
  }
  if (is_file_of_numbers) {
    return io::is_run_file(options.file) ? describe_run(options.file)
                                         : describe_problem(options.file);
  }
  if (is_mesh(options.file)) return describe_mesh(options.file);
  Json result = describe_scene(options.file, options.scene);
  if (options.jams) result["jams_at_start"] = describe_jams(options.file, options.scene);
  return result;
}

// A longer list shows its first items.
constexpr std::size_t kMaxShown = 20;

std::string and_more(std::size_t size) {
  return size <= kMaxShown ? "" : fmt::format("... and {} more (--json has all)", size - kMaxShown);
}

std::string plain(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return fmt::format("{:.6g}", value.get<double>());
  if (!value.is_array()) return value.dump();
  if (value.empty()) return "none";
  std::string text;
  for (std::size_t i = 0; i < std::min(value.size(), kMaxShown); ++i) {
    text += (text.empty() ? "" : " ") + plain(value[i]);
  }
  const std::string more = and_more(value.size());
  return more.empty() ? text : text + " " + more;
}

// Returns an object of a list as text: "0.1 m between A and B" for a distance, else its keys and
// values.
std::string plain_item(const Json& item) {
  if (item.contains("normal_share")) {
    return fmt::format("{} and {} at {}, {} of the normal reactions, friction {}",
                       plain(item["between"]), plain(item["and"]), plain(item["at_m"]),
                       plain(item["normal_share"]), plain(item["friction_share"]));
  }
  if (item.contains("contacts") && item.contains("limits")) {
    std::string line = "balance each other without a load:";
    for (const char* part : {"contacts", "limits"}) {
      for (const Json& own : item[part]) line += "\n      " + plain_item(own);
    }
    return line;
  }
  for (const char* distance : {"gap_m", "depth_m"}) {
    if (!item.contains(distance) || !item.contains("between")) continue;
    return fmt::format("{} m between {} and {}", plain(item[distance]), plain(item["between"]),
                       plain(item["and"]));
  }
  std::string line;
  for (const auto& [name, field] : item.items()) {
    line += fmt::format("{}{} {}", line.empty() ? "" : ", ", name, plain(field));
  }
  return line;
}

// Objects as indented "key: value" lines, lists of objects as one line per object.
void print_plain(const Json& object, int indent) {
  for (const auto& [key, value] : object.items()) {
    const std::string label = fmt::format("{:{}}{}:", "", indent, key);
    if (value.is_object()) {
      std::cout << label << "\n";
      print_plain(value, indent + 2);
    } else if (value.is_array() && !value.empty() && value.front().is_object()) {
      std::cout << label << "\n";
      for (std::size_t i = 0; i < std::min(value.size(), kMaxShown); ++i) {
        std::cout << fmt::format("{:{}}{}\n", "", indent + 2, plain_item(value[i]));
      }
      const std::string more = and_more(value.size());
      if (!more.empty()) std::cout << fmt::format("{:{}}{}\n", "", indent + 2, more);
    } else {
      std::cout << label << " " << plain(value) << "\n";
    }
  }
}

int info(InfoOptions options) {
  expand_shorthands(options.scene);
  Json result = describe(options);
  if (options.json) {
    print_json(result);
  } else {
    // How a run answered the law asked comes first, as in the summary of `run`.
    const Json law = result.value("law", Json());
    if (law.is_object()) std::cout << law["text"].get<std::string>() << "\n";
    if (result.value("kind", "") == "run") result.erase("law");
    print_plain(result, 0);
  }
  return kOk;
}

}  // namespace

void add_info(CommandLine& line) {
  const auto options = std::make_shared<InfoOptions>();
  Verb verb = line.add_verb("info", "Describe a run, scene, robot model, mesh or contact problem",
                            [options] { return info(*options); });
  verb.argument("FILE", options->file, "File to describe");
  add_reading_options(verb, options->scene);
  verb.flag(
      "--jams", options->jams,
      "Find contacts of a scene's start whose reactions can balance each other without a load");
  verb.flag("--json", options->json, "Description as JSON");
}

}  // namespace amontons::cli

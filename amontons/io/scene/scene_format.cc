#include "amontons/io/scene/scene_format.h"

#include <stdexcept>

namespace amontons::io {

const std::vector<FormatMap>& scene_format() {
  // The table is made once, on first use.
  static const std::vector<FormatMap> maps = [] {
    std::vector<FormatMap> all;
    for (auto part : {format_of_settings, format_of_bodies, format_of_joints, format_of_filters,
                      format_of_actuators}) {
      for (FormatMap& map : part()) all.push_back(std::move(map));
    }
    return all;
  }();
  return maps;
}

const std::vector<std::string>& mesh_collisions() {
  static const std::vector<std::string> words = {"mesh", "hull", "parts", "none"};
  return words;
}

const FormatMap& scene_map(std::string_view name) {
  for (const FormatMap& map : scene_format()) {
    if (map.name == name) return map;
  }
  throw std::logic_error("the scene format has no map '" + std::string(name) + "'");
}

}  // namespace amontons::io

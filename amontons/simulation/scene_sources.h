#pragma once

#include "amontons/simulation/scene/scene.h"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace amontons {

/// Names the sources of a scene: its text, its overrides, and the files that it read.
struct SceneSources {
  std::string text;
  std::vector<std::pair<std::string, std::string>> overrides;
  std::vector<std::pair<std::string, std::size_t>> inputs;  // path, and hash of the bytes

  bool operator==(const SceneSources&) const = default;  ///< compares member by member
};

/// Returns the sources of a scene.
SceneSources sources_of(const Scene& scene);

}  // namespace amontons

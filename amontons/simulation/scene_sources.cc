#include "amontons/simulation/scene_sources.h"

#include <functional>

namespace amontons {

SceneSources sources_of(const Scene& scene) {
  SceneSources sources{scene.text, scene.overrides, {}};
  for (const InputFile& input : scene.inputs) {
    sources.inputs.emplace_back(input.path, std::hash<std::string>()(input.bytes));
  }
  return sources;
}

}  // namespace amontons

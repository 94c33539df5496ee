#include "amontons/io/scene/scene_file.h"
#include "fuzz/reading.h"

#include <sstream>

/// Reads a scene under the overrides of `--set`: each line is one, PATH=VALUE.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace amontons;
  io::LoadOptions options;
  std::istringstream lines(fuzz::text_of(data, size));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t equals = line.find('=');
    if (equals == std::string::npos) continue;
    options.overrides.emplace_back(line.substr(0, equals), line.substr(equals + 1));
  }
  fuzz::expect_error_of_reader([&] {
    io::parse_scene(
        "amontons: 1\nsimulation: {step: 0.01, duration: 1}\n"
        "materials: [{name: wood, friction: 0.4}]\n"
        "bodies: [{name: arm, mass: 1, shapes: [{box: [1, 1, 1], material: wood}]}]\n"
        "joints: [{name: hinge, type: revolute, parent: world, child: arm, axis: [0, 1, 0]}]\n",
        "scene.yaml", io::MemoryFiles(), options);
  });
  return 0;
}

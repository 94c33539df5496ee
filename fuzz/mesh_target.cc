#include "amontons/io/scene/scene_file.h"
#include "fuzz/reading.h"

#include <array>

/// Reads a mesh as the shape of a body. The first byte chooses the format.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace amontons;
  if (size == 0) return 0;
  constexpr std::array kExtensions = {"obj", "stl", "ply", "msh", "dae", "gltf", "glb"};
  const std::string name = std::string("part.") + kExtensions[data[0] % kExtensions.size()];
  io::MemoryFiles files;
  files.add(name, fuzz::text_of(data + 1, size - 1));
  fuzz::expect_error_of_reader([&] {
    io::parse_scene(
        "amontons: 1\nsimulation: {step: 0.01, duration: 1}\n"
        "bodies: [{name: b, mass: 1, shapes: [{mesh: {file: " +
            name + "}}]}]\n",
        "scene.yaml", files);
  });
  return 0;
}

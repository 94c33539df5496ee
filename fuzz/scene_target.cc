#include "amontons/io/scene/scene_file.h"
#include "fuzz/reading.h"

/// Reads a scene in YAML.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace amontons;
  fuzz::expect_error_of_reader(
      [&] { io::parse_scene(fuzz::text_of(data, size), "scene.yaml", io::MemoryFiles()); });
  return 0;
}

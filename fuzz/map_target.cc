#include "amontons/io/scene/scene_file.h"
#include "fuzz/reading.h"

/// Reads a terrain as the shape of a body. Its bytes say if it is a table, PGM or PNG.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace amontons;
  io::MemoryFiles files;
  files.add("hills", fuzz::text_of(data, size));
  fuzz::expect_error_of_reader([&] {
    io::parse_scene(
        "amontons: 1\nsimulation: {step: 0.01, duration: 1}\n"
        "bodies: [{name: b, fixed: true, "
        "shapes: [{heightfield: {file: hills, size: [2, 3], scale: 0.5}}]}]\n",
        "scene.yaml", files);
  });
  return 0;
}

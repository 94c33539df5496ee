#include "amontons/io/scene/scene_file.h"
#include "fuzz/reading.h"

// AMONTONS_FUZZ_FILE names the robot: its extension chooses the reader of URDF, SDF or MJCF.

/// Reads a robot or world within a scene.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace amontons;
  io::MemoryFiles files;
  files.add(AMONTONS_FUZZ_FILE, fuzz::text_of(data, size));
  fuzz::expect_error_of_reader([&] {
    io::parse_scene(
        "amontons: 1\nsimulation: {step: 0.01, duration: 1}\n"
        "models: [{name: m, file: " AMONTONS_FUZZ_FILE "}]\n",
        "scene.yaml", files);
  });
  return 0;
}

#pragma once

#include "amontons/io/common/parse_error.h"
#include "amontons/io/scene/scene_file.h"
#include "tests/io/marked_fault.h"

#include <catch2/catch.hpp>

#include <string>

namespace amontons::test {

inline constexpr const char* kHead =
    "amontons: 1\n"
    "simulation: {step: 0.01, duration: 1}\n";

inline std::string in_scene(const std::string& rest) { return kHead + rest; }

/// Checks that a scene's faults are refused at their line and column.
inline void check_fault(const MarkedFault& bad) {
  std::string text = bad.text;
  CAPTURE(bad.title, text);
  const MarkedPlace place = take_marker(text);
  try {
    io::parse_scene(text, "scene.yaml", io::MemoryFiles());
    FAIL_CHECK("the fault was not found");
  } catch (const io::ParseError& error) {
    CAPTURE(error.what());
    CHECK(error.file() == "scene.yaml");
    CHECK(error.line() == place.line);
    CHECK(error.column() == place.column);
    CHECK_THAT(error.what(), Catch::Contains(bad.message));
    const std::string prefix =
        "scene.yaml:" + std::to_string(place.line) + ":" + std::to_string(place.column) + ": ";
    CHECK_THAT(error.what(), Catch::StartsWith(prefix));
  }
}

}  // namespace amontons::test

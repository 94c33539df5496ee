#pragma once

#include <string>

namespace amontons::cli {

/// Returns the commented scene that a newcomer edits: examples/first.yaml, whose commands name
/// `file`.
std::string starter_scene(const std::string& file);

}  // namespace amontons::cli

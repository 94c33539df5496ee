#pragma once

#include <filesystem>
#include <string>

namespace amontons::cli {

/// Returns the folder of the experiments: `requested` if not empty, else that of
/// experiments::find_experiments().
/// @throws io::ParseError if they are nowhere.
std::filesystem::path find_experiments_folder(const std::string& requested);

}  // namespace amontons::cli

#pragma once

#include <filesystem>
#include <string>

namespace amontons::cli {

/// Where the experiments are: `requested` if not empty, else as experiments::find_experiments().
/// @throws io::ParseError if they are nowhere.
std::filesystem::path find_experiments_folder(const std::string& requested);

}  // namespace amontons::cli

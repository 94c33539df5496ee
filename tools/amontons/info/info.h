#pragma once

#include "tools/amontons/support/scene_options.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace amontons::cli {

/// Describes the content of a file, by kind. @throws io::ParseError.
nlohmann::ordered_json describe_run(const std::string& file);
nlohmann::ordered_json describe_problem(const std::string& file);
nlohmann::ordered_json describe_mesh(const std::string& file);
nlohmann::ordered_json describe_scene(const std::string& file, const SceneOptions& options);

/// Returns the jams of a scene at its start (models/reactions/jam.h), with the names of the bodies.
nlohmann::ordered_json describe_jams(const std::string& file, const SceneOptions& options);

}  // namespace amontons::cli

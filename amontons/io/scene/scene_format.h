#pragma once

#include "amontons/io/common/format_map.h"

#include <string_view>
#include <vector>

namespace amontons::io {

/// Every map of a scene file with its keys, in the order of the reference: one table for the reader
/// (scene_reader.h), its errors and docs/scene-format.md.
const std::vector<FormatMap>& scene_format();

/// @throws std::logic_error if there is no such map.
const FormatMap& scene_map(std::string_view name);

// The parts of the table, a file each.
std::vector<FormatMap> format_of_settings();  ///< the document, simulation, output
std::vector<FormatMap> format_of_bodies();    ///< materials, bodies, shapes, repeats
std::vector<FormatMap> format_of_joints();    ///< models, joints, couplings
std::vector<FormatMap> format_of_actuators();

}  // namespace amontons::io

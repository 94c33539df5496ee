#pragma once

#include "amontons/io/common/format_map.h"

#include <string_view>
#include <vector>

namespace amontons::io {

/// Returns every map of a scene file with its keys, in the order of the reference. One table serves
/// the reader (scene_reader.h), its errors and docs/scene-format.md.
const std::vector<FormatMap>& scene_format();

/// Returns the map of a name.
/// @throws std::logic_error if there is no such map.
const FormatMap& scene_map(std::string_view name);

/// Returns the words for how meshes collide, in the order of MeshCollision.
const std::vector<std::string>& mesh_collisions();

// Each part of the table has a source file.
std::vector<FormatMap> format_of_settings();  ///< the document, simulation, output
std::vector<FormatMap> format_of_bodies();    ///< materials, bodies, shapes, repeats
std::vector<FormatMap> format_of_joints();    ///< models, joints, couplings
std::vector<FormatMap> format_of_filters();   ///< collision filters
std::vector<FormatMap> format_of_actuators();

}  // namespace amontons::io

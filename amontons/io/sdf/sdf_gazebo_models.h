#pragma once

#include <string>
#include <string_view>

namespace amontons::io {

/// Returns a file of the models `model://sun` and `model://ground_plane`, which come with Gazebo
/// and which most worlds include, or of `sun.light` and `ground_plane.model` of SDF 1.0; empty for
/// any other URI. The sun is a light, and the ground plane a static half-space with friction 100.
std::string_view gazebo_model_file(const std::string& uri);

}  // namespace amontons::io

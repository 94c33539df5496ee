#pragma once

#include "amontons/simulation/scene/scene.h"

#include <optional>
#include <string>
#include <vector>

namespace amontons::io {

/// Adds the material that a file gives to shapes. A coefficient that it does not give is that of
/// the scene's default material.
/// @param name  of the material, unique in the scene.
/// @param friction     mu [-].
/// @param restitution  e [-].
/// @returns the name of the material: that of the default one where the file gives neither.
std::string add_file_material(std::vector<Material>& materials, const std::string& name,
                              std::optional<double> friction, std::optional<double> restitution);

}  // namespace amontons::io

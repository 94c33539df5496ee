#pragma once

#include "amontons/simulation/scene/import_ledger.h"

#include <tinyxml2.h>

#include <functional>
#include <string>

namespace amontons::io {

// Names that an SDF file gives twice, which libsdformat refuses. Gazebo classic and Bullet load
// such files. All but the first get the next free number after their name.

/// Numbers the collisions of each link that have a name of an earlier one, as their records say.
/// @param element  checked, the user data of each element being its original.
void number_equal_collisions(tinyxml2::XMLElement& element, const std::string& file,
                             ImportLedger& ledger);

/// Numbers the models of a world, written or included, that have a name of an earlier one, as their
/// records say. Where something in the world refers to the name, which means the first one then,
/// this is a finding.
/// @param name_of_file  returns the name of the model in a file that the world includes.
void number_equal_models(tinyxml2::XMLElement& world,
                         const std::function<std::string(const std::string&)>& name_of_file,
                         const std::string& file, ImportLedger& ledger);

}  // namespace amontons::io

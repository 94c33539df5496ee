#pragma once

#include "amontons/simulation/scene/import_ledger.h"

#include <tinyxml2.h>

#include <string>

namespace amontons::io {

/// Coefficient that stands for friction without limit, which a negative one means to Gazebo.
inline constexpr const char* kUnlimitedFriction = "1e6";

/// Gives the shapes of an element the sizes of the format that they leave out. Notes the joints
/// without the axes that their types need, which set_default_axes() gives them. These are findings.
/// Negative coefficients of friction become kUnlimitedFriction.
/// @param element  checked, the user data of each element being its original.
void complete_sdf(tinyxml2::XMLElement& element, const std::string& file, ImportLedger& ledger);

}  // namespace amontons::io

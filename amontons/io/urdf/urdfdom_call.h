#pragma once

#include "amontons/simulation/scene/source_location.h"

#include <urdf_model/model.h>
#include <urdf_world/types.h>

#include <string>

namespace amontons::io {

/// What urdfdom makes of a text. Its messages become part of the error instead of the console.
/// @throws ParseError at `where` if urdfdom reports any error, also where it would carry on.
urdf::ModelInterfaceSharedPtr parse_with_urdfdom(const std::string& text,
                                                 const SourceLocation& where);

}  // namespace amontons::io

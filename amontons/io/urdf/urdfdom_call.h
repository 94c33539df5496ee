#pragma once

#include "amontons/simulation/scene/source_location.h"

#include <urdf_model/model.h>
#include <urdf_world/types.h>

#include <string>

namespace amontons::io {

/// Parses a text with urdfdom. Its messages become part of the error instead of going to the
/// console.
/// @throws ParseError at `where` if urdfdom reports any error, even one that it tolerates.
urdf::ModelInterfaceSharedPtr parse_with_urdfdom(const std::string& text,
                                                 const SourceLocation& where);

}  // namespace amontons::io

#pragma once

#include "amontons/simulation/scene/source_location.h"

#include <tinyxml2.h>
#include <urdf_model/model.h>
#include <urdf_world/types.h>

namespace amontons::io {

/// Parses a robot with urdfdom, whose messages become part of the error instead of going to the
/// console. What urdfdom does not know gets a form that it does: capsules are cylinders, other
/// shapes balls, spherical joints floating, and a mass without an inertia has one of zero.
/// @param robot  document whose root is the robot; changed.
/// @throws ParseError at `where` if urdfdom reports any error, even one that it tolerates.
urdf::ModelInterfaceSharedPtr parse_with_urdfdom(tinyxml2::XMLDocument& robot,
                                                 const SourceLocation& where);

}  // namespace amontons::io

#pragma once

#include "amontons/io/mjcf/mjcf_reader.h"

namespace amontons::io {

/// Returns true for a <composite> of rigid bodies: of the type particle, grid, rope or loop.
bool is_rigid_mjcf_composite(const tinyxml2::XMLElement& xml);

/// Replaces such a <composite> by the bodies, joints, geoms and sites that MuJoCo 2.2 makes of it,
/// and appends the tendons and constraints that join them. Names are those of MuJoCo.
/// @param parent  the element that holds it.
/// @param model  index of its model in the document.
/// @throws ParseError for a count, a spacing, or a name of the body of a rope that is missing or
///     wrong.
void make_mjcf_composite(MjcfReader& reader, const tinyxml2::XMLElement& xml,
                         const tinyxml2::XMLElement& parent, int model);

}  // namespace amontons::io

#pragma once

#include "amontons/geometry/shapes/mass_properties.h"
#include "amontons/io/mjcf/mjcf_element.h"

namespace amontons::io {

/// Returns the triangles of a <mesh> that is given by a shape and its parameters (`builtin`):
/// sphere, cone, supersphere or supertorus. There are none for the others, which is a finding.
/// @throws ParseError for parameters that the shape does not have.
TriangleMesh make_builtin_mesh(const MjcfElement& mesh);

}  // namespace amontons::io

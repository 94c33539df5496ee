#pragma once

#include "amontons/io/sdf/sdf_data.h"
#include "amontons/io/sdf/sdformat_context.h"

#include <sdf/Collision.hh>

namespace amontons::io {

/// Returns a collision of a link: its pose, its shape, and the contact properties of its surface.
/// @throws ParseError if its pose cannot be resolved.
SdfCollision resolve_collision(const SdformatContext& context, const sdf::Collision& collision);

}  // namespace amontons::io

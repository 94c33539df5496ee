#pragma once

#include "amontons/io/sdf/sdf_data.h"
#include "amontons/io/sdf/sdformat_context.h"

#include <sdf/Collision.hh>

namespace amontons::io {

/// A collision of a link: where it is, its shape, and what its surface says of contact.
/// @throws ParseError if its pose has no answer.
SdfCollision resolve_collision(const SdformatContext& context, const sdf::Collision& collision);

}  // namespace amontons::io

#pragma once

#include "amontons/io/sdf/sdf_data.h"
#include "amontons/io/sdf/sdformat_context.h"

#include <sdf/Joint.hh>
#include <vector>

namespace amontons::io {

/// A joint with its frame, axes and what is written along them.
/// @param links  of the outermost model.
/// @throws ParseError for what has no answer: a frame, a link, a pitch.
SdfJoint resolve_joint(const SdformatContext& context, const sdf::Joint& joint,
                       const SdformatScope& scope, const std::vector<SdfLink>& links);

}  // namespace amontons::io

#pragma once

#include "amontons/io/sdf/sdf_data.h"
#include "amontons/io/sdf/sdformat_context.h"

#include <sdf/Joint.hh>
#include <vector>

namespace amontons::io {

/// Returns a joint with its frame, its axes and the properties along them.
/// @param links  links of the outermost model.
/// @throws ParseError for a frame, a link or a pitch that cannot be resolved.
SdfJoint resolve_joint(const SdformatContext& context, const sdf::Joint& joint,
                       const SdformatScope& scope, const std::vector<SdfLink>& links);

}  // namespace amontons::io

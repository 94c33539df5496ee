#pragma once

#include "amontons/io/sdf/sdf_data.h"
#include "amontons/io/sdf/sdf_frames.h"

#include <tinyxml2.h>

#include <optional>
#include <vector>

namespace amontons::io {

/// Reads the joints of a model whose links are plain.
///
/// A joint is plain where it joins links or frames of this model, or one of them with the world.
/// @param model    element of the used part.
/// @param version  of the file, as libsdformat gets it.
/// @param frames   of the model, resolved.
/// @param links    of the model, in its order.
/// @returns the joints, or nothing where libsdformat must resolve one of them.
std::optional<std::vector<SdfJoint>> read_plain_joints(const tinyxml2::XMLElement& model,
                                                       const std::string& version,
                                                       const std::string& file,
                                                       const SdfFrames& frames,
                                                       const std::vector<SdfLink>& links);

}  // namespace amontons::io

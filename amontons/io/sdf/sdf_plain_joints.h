#pragma once

#include "amontons/io/sdf/sdf_data.h"

#include <tinyxml2.h>

#include <optional>
#include <vector>

namespace amontons::io {

/// Reads the joints of a model whose links are plain.
///
/// A joint is plain where it joins links of this model, or one with the world, its frame is written
/// in that of its child, and its axes in its own frame or in that of the model.
/// @param model    element of the used part.
/// @param version  of the file, as libsdformat gets it.
/// @param links    of the model, in its order.
/// @returns the joints, or nothing where libsdformat must resolve one of them.
std::optional<std::vector<SdfJoint>> read_plain_joints(const tinyxml2::XMLElement& model,
                                                       const std::string& version,
                                                       const std::string& file,
                                                       const std::vector<SdfLink>& links);

}  // namespace amontons::io

#pragma once

#include "amontons/io/sdf/sdf_data.h"
#include "amontons/io/sdf/sdf_document.h"
#include "amontons/math/pose.h"

#include <tinyxml2.h>

#include <optional>
#include <vector>

namespace amontons::io {

/// Holds the models of a file in its order. A model is plain where it has links, shapes, plain
/// joints (sdf_plain_joints.h) and frames, but no models of its own.
struct PlainModels {
  bool is_world = false;
  std::vector<std::optional<SdfModel>> models;  ///< none: libsdformat resolves it
};

/// Returns the pose of an element in what holds it; none where it is written in another way than as
/// six numbers, or relative to something else.
std::optional<Pose> plain_pose(const tinyxml2::XMLElement& element);

/// Reads the plain models of a document. libsdformat needs 2 MB and 8 ms for each model and each
/// joint, and time that grows with their square; a world of scenery has thousands.
/// @returns nothing where the world has frames besides a model that is not plain, which may be
/// relative to any of them.
std::optional<PlainModels> read_plain_models(const SdfDocument& document);

}  // namespace amontons::io

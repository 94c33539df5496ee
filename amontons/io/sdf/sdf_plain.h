#pragma once

#include "amontons/io/sdf/sdf_data.h"
#include "amontons/io/sdf/sdf_document.h"
#include "amontons/math/pose.h"

#include <tinyxml2.h>

#include <optional>
#include <vector>

namespace amontons::io {

/// Holds the models of a file in its order. A model is plain where all its poses are relative to
/// what holds them: it has links, shapes and plain joints (sdf_plain_joints.h), but no frames or
/// models of its own.
struct PlainModels {
  bool is_world = false;
  std::vector<std::optional<SdfModel>> models;  ///< none: libsdformat resolves it
};

/// Returns the pose of an element in what holds it; none where it is written in another way than as
/// six numbers, or relative to something else.
std::optional<Pose> plain_pose(const tinyxml2::XMLElement& element);

/// Reads the plain models of a document. libsdformat needs 2 MB and 8 ms for each model and each
/// joint, and time that grows with their square; a world of scenery has thousands.
/// @returns nothing where poses of the world itself are relative to frames: then no model is plain.
std::optional<PlainModels> read_plain_models(const SdfDocument& document);

}  // namespace amontons::io

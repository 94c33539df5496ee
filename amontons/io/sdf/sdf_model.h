#pragma once

#include "amontons/io/sdf/sdf_data.h"
#include "amontons/io/sdf/sdf_shapes.h"

namespace amontons::io {

/// Returns one model of an SDF file as a model of the scene.
/// @param prototype  the scene's settings for it: name, base, pose of the file's origin, ...
/// @throws ParseError at a gearbox whose wheels do not turn on its housing, and as SdfShapes.
SceneModel make_sdf_model(const SdfModel& source, const SceneModel& prototype, SdfShapes& shapes);

}  // namespace amontons::io

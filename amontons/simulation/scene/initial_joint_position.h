#pragma once

#include "amontons/simulation/scene/scene.h"

namespace amontons {

/// Returns the start position of a joint of one coordinate [rad or m]. The scene's value comes
/// first, then that of the model's file, else zero or the nearest limit.
double start_position(const SceneModel& model, const ModelJoint& joint);

}  // namespace amontons

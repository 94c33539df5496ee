#pragma once

#include "amontons/simulation/scene/scene.h"

namespace amontons {

/// Where a joint of one coordinate starts [rad or m]: where the scene says, else where its file
/// says, else at zero or at the nearest limit.
double start_position(const SceneModel& model, const ModelJoint& joint);

}  // namespace amontons

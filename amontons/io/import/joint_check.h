#pragma once

#include "amontons/simulation/scene/import_ledger.h"
#include "amontons/simulation/scene/scene.h"

namespace amontons::io {

/// Adds warnings about the joints of a model to the ledger. An effort limit of zero leaves every
/// actuator of the joint without effect. A mass more than 1000 times that of the neighboring link
/// suggests a file in grams or a missing digit.
void check_joints_of_model(const SceneModel& model, ImportLedger& ledger);

}  // namespace amontons::io

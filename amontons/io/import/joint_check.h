#pragma once

#include "amontons/simulation/scene/import_ledger.h"
#include "amontons/simulation/scene/scene.h"

namespace amontons::io {

/// Findings about the joints of a model: an effort limit of zero, which leaves every actuator
/// without effect, and links of which one carries another more than 1000 times heavier or lighter,
/// which a file in grams or a forgotten digit brings about.
void check_joints_of_model(const SceneModel& model, ImportLedger& ledger);

}  // namespace amontons::io

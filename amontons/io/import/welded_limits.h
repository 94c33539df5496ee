#pragma once

#include "amontons/simulation/scene/import_ledger.h"
#include "amontons/simulation/scene/scene.h"

namespace amontons::io {

/// Widens the limits of each joint that starts outside of them and lies between the two ends of a
/// weld, up to its start. A rigid weld keeps such a joint where it starts, and its limits would
/// part the weld; soft ones, as MuJoCo's, share the difference. Each is a Warning in the ledger.
/// Joints whose start the scene gives keep their limits.
void widen_limits_within_welds(SceneModel& model, ImportLedger& ledger);

}  // namespace amontons::io

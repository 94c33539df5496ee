#pragma once

#include "amontons/simulation/scene/import_ledger.h"
#include "amontons/simulation/scene/scene.h"

namespace amontons::io {

/// Holds each joint, but the root's, whose link neither has nor carries mass, nor shapes that could
/// give it some, and leaves out couplings of such joints. Each is a Warning in the ledger.
void hold_links_without_mass(SceneModel& model, ImportLedger& ledger);

}  // namespace amontons::io

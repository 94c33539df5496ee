#pragma once

#include "amontons/simulation/scene/import_ledger.h"
#include "amontons/simulation/scene/scene.h"

namespace amontons::io {

/// Gives each link without mass the mass and inertia of its collision shapes, with a line in the
/// ledger. Shapes without a volume have none.
/// @param density  [kg/m^3], positive.
void give_masses(SceneModel& model, double density, ImportLedger& ledger);

}  // namespace amontons::io

#pragma once

#include "amontons/simulation/scene/scene.h"
#include "amontons/simulation/system/system.h"

namespace amontons::io {

/// Findings about where a scene starts, which show only when it is put together: bodies inside each
/// other (which, and how deep), and loops that do not close. Adds them to the scene's ledger, at
/// the bodies' lines.
/// @param system  built from the scene.
void check_start(const System& system, Scene& scene);

}  // namespace amontons::io

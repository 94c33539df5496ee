#pragma once

#include "amontons/io/replay/replay_html.h"
#include "amontons/simulation/system/system.h"

#include <vector>

namespace amontons::io {

/// Bodies and their collision shapes as the replay draws them; polyhedra and height fields as
/// meshes. A moving link without any is drawn as the ellipsoid of its inertia.
std::vector<ReplayBody> replay_bodies(const System& system);

}  // namespace amontons::io

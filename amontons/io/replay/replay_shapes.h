#pragma once

#include "amontons/io/replay/replay_html.h"
#include "amontons/simulation/system/system.h"

#include <vector>

namespace amontons::io {

/// Returns a shape as the replay draws it.
/// @param X_BG  its frame in its body.
ReplayShape replay_shape(const Shape& shape, const Pose& X_BG);

/// Returns the bodies with their collision shapes as the replay draws them.
///
/// Polyhedra and height fields become meshes. A moving link without shapes is drawn as the
/// ellipsoid of its inertia.
std::vector<ReplayBody> replay_bodies(const System& system);

}  // namespace amontons::io

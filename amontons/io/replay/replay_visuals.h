#pragma once

#include "amontons/io/import/model_visuals.h"
#include "amontons/io/replay/replay_html.h"

#include <string>
#include <vector>

namespace amontons::io {

/// Adds what models draw to the bodies of a replay. Bodies are found by their names, "model/link".
///
/// The page draws a body's visuals in place of its collision shapes, unless the reader wants these.
/// Meshes of more than 150,000 triangles together are thinned out, each by the same share.
/// @returns lines for the summary of the run: what cannot be drawn, and how many triangles are
/// left.
std::vector<std::string> add_visuals(const ModelVisuals& visuals, std::vector<ReplayBody>& bodies);

}  // namespace amontons::io

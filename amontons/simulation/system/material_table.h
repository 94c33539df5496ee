#pragma once

#include "amontons/simulation/scene/scene.h"
#include "amontons/simulation/system/system.h"

#include <vector>

namespace amontons {

/// Returns the contact properties of each two materials [materials x materials]. Listed pairs have
/// their own; else friction is sqrt(a b), and restitution and viscous friction are max(a, b).
/// @throws std::invalid_argument for a pair of a material that is not there.
std::vector<std::vector<PairProperties>> pair_table(const std::vector<Material>& materials,
                                                    const std::vector<MaterialPair>& listed);

}  // namespace amontons

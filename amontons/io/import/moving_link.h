#pragma once

#include "amontons/dynamics/articulation.h"
#include "amontons/dynamics/merge_fixed_joints.h"
#include "amontons/math/spatial_inertia.h"
#include "amontons/simulation/scene/scene.h"

#include <cstddef>
#include <vector>

namespace amontons::io {

/// Holds a moving link together with all that is fixed to it.
struct MovingLink {
  std::size_t top = 0;  ///< index of the topmost link of the file
  SpatialInertia inertia;
  double carried = 0.0;         ///< mass of the link and of all links further out [kg]
  bool is_free = false;         ///< it moves in six ways, so that it needs mass of its own
  double volume = 0.0;          ///< volume of its shapes [m^3]
  double carried_volume = 0.0;  ///< that of the link and of all links further out [m^3]
  double reach = 0.0;           ///< largest distance of its shapes from the center of mass [m]
};

/// Returns the links of a model as the articulation takes them.
std::vector<Link> to_links(const SceneModel& model);

/// Returns the moving links of a model, in the order of the merged tree.
/// @throws ParseError for a half-space or height field on a link that moves.
std::vector<MovingLink> collect_moving_links(const SceneModel& model, const MergedTree& merged);

/// Returns true if a link has or carries mass. A free link needs mass of its own: with a joint
/// further out the two would have more velocities than the mass that they move.
bool moves_with_mass(const MovingLink& moving);

}  // namespace amontons::io

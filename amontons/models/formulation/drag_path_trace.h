#pragma once

#include "amontons/models/formulation/drag_system.h"

namespace amontons {

/// Lets a contact close that a DragSystem holds open with its whole drag: follows the path of
/// solutions on which z_0 of the contact falls to `goal`, event by event.
///
/// The contact starts at z = 1, where its whole drag acts without a load. Within a piece the path
/// is smooth. A step goes along its tangent to the first contact that leaves its piece; chord steps
/// correct it. z_0 falls where sign det(I + D W) is that of the first step, in which z falls, and
/// rises where it is not, because the path turns back [Allgower, Georg 2003].
/// @param most  steps at most.
/// @returns false where the path does not arrive.
bool trace_path(DragSystem& system, Eigen::Index contact, double goal, int most);

}  // namespace amontons

#pragma once

#include "amontons/models/formulation/drag_system.h"

namespace amontons {

/// Follows the path of solutions of a DragSystem event by event, also where it turns back in eps,
/// until eps has fallen to `goal`. The system then is at a solution there.
///
/// Within a piece the path is smooth. A step goes along its tangent to the first contact that
/// leaves its piece; chord steps at right angles to the tangent correct it. The path goes on to
/// smaller eps where sign det(I + D W) is that of its start, and to larger ones where it is not
/// [Allgower, Georg 2003].
/// @param most  steps at most.
/// @returns false where the path does not arrive.
bool trace_path(DragSystem& system, double goal, int most);

}  // namespace amontons

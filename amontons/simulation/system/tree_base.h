#pragma once

namespace amontons {

class System;

/// Returns true if no joint carries the root of a tree: its base is free, or moves in a plane. A
/// planar joint of the scene carries its child, which is no base.
/// @param tree  index into System::articulations().
bool has_moving_base(const System& system, int tree);

}  // namespace amontons

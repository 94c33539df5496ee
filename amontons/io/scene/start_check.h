#pragma once

#include "amontons/simulation/scene/scene.h"
#include "amontons/simulation/system/system.h"

#include <exception>
#include <string>

namespace amontons::io {

/// Throws the ParseError of a scene that cannot be assembled, at its place if the error has one.
/// @param file  the scene.
[[noreturn]] void refuse_scene(const std::string& file, const std::exception& error);

/// Adds findings about the start of a scene, which show only when it is assembled, to its ledger.
/// They are bodies inside each other, with the depth [m], and loops that do not close. Overlaps are
/// located at the lines of the bodies; of more than 50 the deepest are named.
/// @param system  built from the scene.
/// @throws ParseError where so many bodies overlap that no step could be taken.
void check_initial_state(const System& system, Scene& scene);

}  // namespace amontons::io

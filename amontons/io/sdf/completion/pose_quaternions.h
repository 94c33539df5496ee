#pragma once

#include <tinyxml2.h>

namespace amontons::io {

/// Writes the angles of all poses below an element as quaternions; the originals, which are the
/// user data of the poses, stay as they are. libsdformat would take the sines of angles from the C
/// library, whose last bits depend on the processor.
void write_pose_quaternions(tinyxml2::XMLElement& element);

}  // namespace amontons::io

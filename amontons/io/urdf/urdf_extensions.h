#pragma once

#include "amontons/io/import/import_context.h"

#include <tinyxml2.h>

namespace amontons::io {

/// Applies to a model what Gazebo, MuJoCo and Bullet add to the format: friction and restitution of
/// links, gravity and collisions of links, springs of joints, a static robot, a total mass, gravity
/// and step of the scene.
/// @param robot  the parts of the file that are used, as the table of the format leaves them.
/// @param model  has all links, joints and couplings of the file.
void apply_urdf_extensions(const tinyxml2::XMLElement& robot, ImportContext& context,
                           SceneModel& model);

}  // namespace amontons::io

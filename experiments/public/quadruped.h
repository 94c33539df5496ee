#pragma once

#include "amontons/simulation/scene/scene.h"

#include <string>
#include <vector>

namespace amontons::experiments {

/// Appends a quadruped of 18 degrees of freedom: a trunk, and four legs of hip, thigh and shank. It
/// starts with its joints at 0, thighs and shanks bent by 0.4 rad from the vertical.
/// @param height       height of the trunk's center [m]; feet_height() puts the feet on z = 0.
/// @param coordinates  form of its joints.
void add_quadruped(Scene& scene, double height, Coordinates coordinates);

/// Returns the height of the trunk's center at which the feet touch z = 0 [m].
double feet_height();

/// Returns the names of its twelve joints.
std::vector<std::string> quadruped_joints();

}  // namespace amontons::experiments

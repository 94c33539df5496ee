#pragma once

#include "amontons/simulation/scene/scene.h"

namespace amontons::experiments {

/// Describes an arch along a weighted catenary, as the Gateway Arch in St. Louis has: its height is
/// h - A (cosh(C x/L) - 1). Square sections shrink from the feet to the crown.
struct Arch {
  int stones = 25;
  double height = 60.0, half_span = 30.0;       ///< h, L of the line of centers [m]
  double foot_area = 100.0, crown_area = 49.0;  ///< of the sections [m^2]
  double density = 1000.0;                      ///< [kg/m^3]
};

/// Appends the stones, the first and the last of them fixed. Joints are planes across the line of
/// centers, at equal lengths along it; neighbors share the whole face.
void add_stones(const Arch& arch, Scene& scene);

}  // namespace amontons::experiments

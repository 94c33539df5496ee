#pragma once

#include "amontons/simulation/scene/scene.h"

#include <vector>

namespace amontons::experiments {

/// Holds the tops of the disks at the end of each shake, and when the large disk emerged.
struct Tops {
  std::vector<double> shakes, large, small;  ///< number [-]; large disk, 90 % of the others [m]
  double emerged = -1.0;                     ///< shakes until then; negative: not yet

  /// Adds the end of a shake. @param tops  of the small disks [m].
  void add(double shake, double large_top, std::vector<double> tops);
};

/// Shakes the disks of a box by the penalty method with a step of 10 us until the large disk, the
/// second body of the scene, has emerged.
/// @param width   of the box [m].
/// @param period  of a shake [s]; its amplitude is 2 m.
/// @param most    largest number of shakes.
Tops shake_by_penalty(const Scene& scene, double width, double period, int most);

/// Returns the restitution that a disk has on the floor of the penalty method, which should be 0.5.
double restitution_of_penalty();

}  // namespace amontons::experiments

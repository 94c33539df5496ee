#pragma once

#include "benchmarks/peers/dynamics/robot.h"

namespace amontons::peers {

/// Holds a robot with everything that acts on it in a step, as a world that MuJoCo can take.
struct CollidingRobot {
  Robot robot;
  int num_pairs = 0;  ///< pairs of shapes that may collide, the ground's included
  /// Counts pairs of shapes that may collide in the world but not in the scene. A world excludes
  /// bodies as a whole; links that a fixed joint connects are one body.
  int num_extra_pairs = 0;
};

/// Reduces a scene with its fixed bodies, shapes, friction, gears, and limits, damping and dry
/// friction of joints.
/// @throws std::invalid_argument as reduce_robot(), and for a scene with more than these.
CollidingRobot colliding_robot(const Scene& scene);

}  // namespace amontons::peers

#pragma once

#include "amontons/simulation/scene/scene.h"

#include <Eigen/Core>

#include <string>
#include <vector>

// Scenes of the public experiments that other simulators can express. Each is defined in the
// check.cc of its folder; benchmarks/peers runs them in other engines.

namespace amontons::experiments {

/// Returns a cube of 1 m on a slope whose tangent is 0.5, at a gap [m] above it, for 120 steps.
Scene incline_scene(double friction, double gap);

/// Returns the distance that the exact law, step by step, moves that cube along the slope [m].
double incline_distance(double friction, double gap);

/// Returns a ball of radius 0.25 m, thrown at 4 m/s with a spin of -200 rad/s.
Scene backspin_scene();

/// Returns a box of 0.3 x 1.2 x 0.6 m that slides at 4 m/s. It tips if friction exceeds 1/2.
Scene painleve_box_scene(double friction);

/// Returns a cube at 1 m from the axle of a table that comes to turn at `speed` [rad/s].
/// @param step  [s].
Scene turntable_scene(double friction, double speed, double step);

/// Returns a house of cards that drops onto the floor and should stand.
Scene card_house_scene(int levels, double duration, double friction);

/// Returns an arch of stones without mortar, which should stand.
Scene masonry_arch_scene(int stones, double duration, double friction);

/// Returns 49 balls that bounce without loss from a height of 5 m.
/// @param method  as `simulation.method` of a scene.
Scene bouncing_scene(double step, double duration, const std::string& method);

/// Returns 216 balls in a cube that fall onto the ground without friction.
/// @param height  of the lowest centers [m].
Scene sphere_cube_scene(double height, double restitution, double step, double duration,
                        const std::string& method);

/// Returns the sum of the squared overlaps of balls with each other and with the ground z = 0, by
/// which SimBenchmark judges that scene [m^2].
double squared_overlaps(const std::vector<Eigen::Vector3d>& centers, double radius);

/// Returns side x side pyramids of boxes of 1 m, each with `base` boxes in its lowest row.
Scene pyramids_scene(int side, int base, int steps);

/// Returns a house of cards 2 mm thick, which overlap a little at the start.
Scene thin_card_house_scene(double friction, double duration);

/// Returns a ball that falls freely for 1000 steps, as the gravity test of gz-physics has it.
Scene gravity_test_scene();

/// Returns the height that the published test expects in the end [m].
double gravity_test_height();

/// Returns a ball of radius 1 m that falls onto the ground, as the falling test of gz-physics has
/// it.
Scene falling_test_scene();

/// Returns a top that spins on its bowl, tilted by 0.1 rad.
/// @param method  as `simulation.method` of a scene.
Scene tippe_top_scene(double step, double duration, const std::string& method);

/// Returns Jellett's constant of that top: the angular momentum along the line from the center of
/// mass to the contact, which the force at the contact cannot change [kg m^3/s].
double jellett_constant(const Eigen::Matrix3d& rotation, const Eigen::Vector3d& spin);

/// Returns a slender block, 0.2 m wide and 1 m high, that is released from a tilt of 0.12 rad.
Scene rocking_block_scene(double step, const std::string& method);

/// Returns the share of its energy that an impact leaves the rocking block [Housner 1963] [-].
double rocking_energy_ratio();

}  // namespace amontons::experiments

#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/simulation/system/kinematics.h"
#include "amontons/simulation/system/pair_of_shapes.h"
#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// Holds smooth trees that contacts connect. One differential equation describes their motion
/// (force_motion.h). All lists are sorted.
struct SmoothIsland {
  std::vector<int> trees;
  std::vector<PairOfShapes> pairs;
  std::vector<ContactKey> contacts;  ///< contacts that touch and neither approach nor leave
};

/// Defines which contacts touch.
struct TouchingTolerances {
  double gap = 0.0;    ///< [m]
  double speed = 0.0;  ///< shapes below it neither approach nor leave [m/s]
};

/// Finds islands of which every tree is smooth, every fixed body is at rest, and every pair of
/// shapes touches without approaching. All others move at the velocity level. Islands are in the
/// order of their first trees.
/// @param smooth_trees  [articulations].
/// @param at            kinematics where the contacts were found.
/// @param contacts      sorted by key.
/// @param v             velocities of the whole system [nv].
std::vector<SmoothIsland> find_smooth_islands(const System& system,
                                              const std::vector<char>& smooth_trees,
                                              const SystemKinematics& at,
                                              const std::vector<Contact>& contacts,
                                              const Eigen::VectorXd& v,
                                              const TouchingTolerances& tolerances);

/// Returns the union of all islands as one.
SmoothIsland join(const std::vector<SmoothIsland>& islands);

}  // namespace amontons

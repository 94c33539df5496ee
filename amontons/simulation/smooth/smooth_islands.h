#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/simulation/system/kinematics.h"
#include "amontons/simulation/system/pair_of_shapes.h"
#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// Smooth trees that contacts hold together, whose motion is one differential equation
/// (force_motion.h). All sorted.
struct SmoothIsland {
  std::vector<int> trees;
  std::vector<PairOfShapes> pairs;
  std::vector<ContactKey> contacts;  ///< that touch and neither approach nor leave
};

/// What counts as touching.
struct TouchingTolerances {
  double gap = 0.0;    ///< [m]
  double speed = 0.0;  ///< below which shapes neither approach nor leave [m/s]
};

/// Islands of which every tree is smooth, every wall stands still, and every pair of shapes touches
/// without approaching: all others are for the velocity level. In the order of their first trees.
/// @param smooth_trees  [articulations].
/// @param at            kinematics where the contacts were found.
/// @param contacts      sorted by key.
/// @param v             of the whole system [nv].
std::vector<SmoothIsland> find_smooth_islands(const System& system,
                                              const std::vector<char>& smooth_trees,
                                              const SystemKinematics& at,
                                              const std::vector<Contact>& contacts,
                                              const Eigen::VectorXd& v,
                                              const TouchingTolerances& tolerances);

/// All of them as one.
SmoothIsland join(const std::vector<SmoothIsland>& islands);

}  // namespace amontons

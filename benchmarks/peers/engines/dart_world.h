#pragma once

#include "benchmarks/peers/world.h"

#include <dart/dart.hpp>
#include <vector>

namespace amontons::peers {

Eigen::Isometry3d to_dart(const Pose& X);

/// Makes the moving bodies of a world, with a skeleton for each tree of them.
/// @param skeletons  filled with those, complete.
/// @returns [moving]
std::vector<dart::dynamics::BodyNode*> add_dart_bodies(
    const World& world, std::vector<dart::dynamics::SkeletonPtr>& skeletons);

/// Makes a fixed body of half-spaces.
dart::dynamics::SkeletonPtr make_dart_ground(const World& world, const WorldBody& body);

}  // namespace amontons::peers

#pragma once

#include "amontons/dynamics/articulation.h"
#include "amontons/simulation/scene.h"
#include "amontons/simulation/system.h"

#include <Eigen/Core>

namespace amontons {

/// Whether a tree's motion without contact is an ordinary differential equation that an explicit
/// integrator solves: none of its joints is rows of J, coupled, prescribed, limited, has dry
/// friction or a servo. What is not smooth moves at the velocity level.
bool is_smooth(const System& system, int articulation, JointFriction friction);

/// Forces along a smooth tree's coordinates [nv] besides gravity and inertia: efforts, springs,
/// dampers and wrenches as they are at `time`.
/// @param q, v  of the tree, at which `kinematics` was computed.
void compute_smooth_forces(const System& system, int articulation,
                           const ArticulationKinematics& kinematics,
                           const Eigen::Ref<const Eigen::VectorXd>& q,
                           const Eigen::Ref<const Eigen::VectorXd>& v, double time,
                           Eigen::VectorXd& forces);

}  // namespace amontons

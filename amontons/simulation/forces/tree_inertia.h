#pragma once

#include "amontons/simulation/forces/free_motion.h"

#include <Eigen/Core>

#include <cstddef>

namespace amontons {

/// Writes the inertial impulse of a tree that no row of J connects into a free motion: that of the
/// motion w to which it is coupled, or else that of its motion without forces. Where the free
/// motion gives no w and impulses are expected again, w is that of dynamics/driven_step.h.
/// @param at         kinematics of the tree at the start of the step, with inertias.
/// @param place      index of the tree in the system.
/// @param q, v       positions and velocities of the tree.
/// @param v0         first of its velocities in the system.
/// @param M          its mass matrix, without the gains of drives.
/// @param motion     in: impulses and gains of all forces, coupled_velocity; out: inertial_impulse,
/// inertial_velocity, coupled_velocity and trees_without_inertia.
void compute_tree_inertia(const Articulation& tree, const ArticulationKinematics& at,
                          std::size_t place, const Eigen::Ref<const Eigen::VectorXd>& q,
                          const Eigen::Ref<const Eigen::VectorXd>& v, Eigen::Index v0, double h,
                          const FreeMotionOptions& options,
                          const Eigen::Ref<const Eigen::MatrixXd>& M, FreeMotion& motion);

}  // namespace amontons

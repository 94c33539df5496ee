#pragma once

#include "amontons/dynamics/articulation.h"
#include "amontons/simulation/scene/scene.h"
#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

namespace amontons {

/// Whether a tree's motion between events is an ordinary differential equation that an explicit
/// integrator solves: none of its joints is rows of J, coupled, prescribed or has dry friction.
/// Where one reaches a limit is for the caller to see to (passes_limit()). What is not smooth moves
/// at the velocity level.
bool is_smooth(const System& system, int articulation, JointFriction friction);

/// Whether a coordinate of the tree is beyond a limit, or nearer to it than `margin` [rad or m].
/// @param q  of the tree [nq].
bool passes_limit(const System& system, int articulation,
                  const Eigen::Ref<const Eigen::VectorXd>& q, double margin);

/// Forces along a smooth tree's coordinates [nv] besides gravity, inertia and servos
/// (explicit_servos.h): efforts, springs, dampers and wrenches as they are at `time`.
/// @param q, v  of the tree, at which `kinematics` was computed.
void compute_smooth_forces(const System& system, int articulation,
                           const ArticulationKinematics& kinematics,
                           const Eigen::Ref<const Eigen::VectorXd>& q,
                           const Eigen::Ref<const Eigen::VectorXd>& v, double time,
                           Eigen::VectorXd& forces);

/// The first instant after `time` where what a tree is given over time (efforts, wrenches, targets
/// of servos) goes over to another piece of its table, so that a part of a motion must end there;
/// infinite if there is none.
double next_instant_of_tables(const System& system, int articulation, double time);

/// Whether servos, springs or dampers act along a tree's joints.
bool has_gains(const System& system, int articulation);

/// How long a step of the classical Runge-Kutta method may be before servos, springs and dampers of
/// a tree grow without bound in it [s]; infinite without any (has_gains()).
///
/// Its region of stability holds the left half of a disc of radius 2.6. With d and k the largest
/// eigenvalues of M^-1 D and M^-1 K, D and K the diagonal gains of rate and position, no motion
/// about a rest is faster than d/2 + sqrt(d^2/4 + k); contacts and saturation slow it down.
/// @param M  of the tree.
double longest_stable_step(const System& system, int articulation,
                           const Eigen::Ref<const Eigen::MatrixXd>& M);

}  // namespace amontons

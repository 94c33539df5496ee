#pragma once

#include "amontons/dynamics/articulation.h"
#include "amontons/simulation/scene/scene.h"
#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

namespace amontons {

/// Returns true if a tree's motion between events is an ordinary differential equation for an
/// explicit integrator. None of its joints is then rows of J, coupled, prescribed or has dry
/// friction or a muscle, and no tendon acts on it. Limits are events (joint_limits.h). Other trees
/// move at the velocity level.
bool is_smooth(const System& system, int articulation, JointFriction friction);

/// Computes forces along a smooth tree's coordinates [nv] besides gravity, inertia and servos
/// (explicit_servos.h). They are efforts, springs, dampers and wrenches at `time`.
/// @param q, v  of the tree, at which `kinematics` was computed.
void compute_smooth_forces(const System& system, int articulation,
                           const ArticulationKinematics& kinematics,
                           const Eigen::Ref<const Eigen::VectorXd>& q,
                           const Eigen::Ref<const Eigen::VectorXd>& v, double time,
                           Eigen::VectorXd& forces);

/// Returns true if gravity and inertia are not alone: if the scene has efforts, servos, wrenches or
/// joint dynamics for the tree.
bool has_drives(const System& system, int articulation);

/// Returns true if an effort or a wrench is commanded for the tree.
bool has_commands(const System& system, int articulation);

/// Returns the first instant after `time` at which a table of the tree changes to another piece
/// [s]. Tables belong to efforts, wrenches and servo targets. A part of a motion must end there. It
/// is infinite if there is none.
double next_instant_of_tables(const System& system, int articulation, double time);

/// Returns true if servos, springs or dampers act along a tree's joints.
bool has_gains(const System& system, int articulation);

/// Returns the longest step of the classical Runge-Kutta method in which servos, springs and
/// dampers of a tree stay bounded [s]. It is infinite without any (has_gains()).
///
/// The method's region of stability contains the left half of a disc of radius 2.6. Let d and k be
/// the largest eigenvalues of M^-1 D and M^-1 K, D and K the diagonal gains of rate and position.
/// No motion about a rest is faster than d/2 + sqrt(d^2/4 + k); contacts and saturation slow it
/// down.
/// @param M  of the tree.
double longest_stable_step(const System& system, int articulation,
                           const Eigen::Ref<const Eigen::MatrixXd>& M);

}  // namespace amontons

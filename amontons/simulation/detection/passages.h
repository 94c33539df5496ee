#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/simulation/system/kinematics.h"
#include "amontons/simulation/system/pair_of_shapes.h"
#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// Returns how far a body turns in a step at the velocities v [nv], from where `at` has it [rad].
double turn_of(const System& system, const SystemKinematics& at, int body,
               const Eigen::VectorXd& velocity, double step);

/// Returns the pairs of convex shapes that meet within a step although its problem says nothing of
/// it, sorted: those of which one passes through the other, and those whose contacts were left out
/// (passing_shapes.h) and that touch.
///
/// The condition u_n + s >= 0 holds a gap open along the normal at the start of the step. A body
/// that turns far leaves this normal behind: a rod on a hinge can jump over a peg, without an
/// overlap at either end of the step. Pairs of the problem with a body that turns by more than a
/// quarter of a radian are therefore followed along q (+) t v+, 0 <= t <= h, in parts of at most
/// that turn, 64 at most. A pair passes if the normal between its shapes turns by more than a right
/// angle from one instant to the next, as seen from both bodies, while they touch or overlap, and
/// does not turn back before they are apart or the step ends. Pairs whose contacts were left out
/// are followed alike, whatever their turn, and must not touch.
///
/// @param start      kinematics at the start of the step.
/// @param q          positions there [nq].
/// @param velocity   v+ of its solution [nv].
/// @param step       h [s].
/// @param end        kinematics at its end, with the velocities there.
/// @param contacts   those of the step's problem, sorted by key.
/// @param left_out   pairs whose contacts were left out.
std::vector<PairOfShapes> passed_pairs(const System& system, const SystemKinematics& start,
                                       const Eigen::VectorXd& q, const Eigen::VectorXd& velocity,
                                       double step, const SystemKinematics& end,
                                       const std::vector<Contact>& contacts,
                                       const std::vector<PairOfShapes>& left_out);

/// Returns true if shapes of the contacts pass through each other on the way q (+) t v+. It costs
/// little where none of their bodies turns by more than a quarter of a radian.
bool passes_through(const System& system, const SystemKinematics& start, const Eigen::VectorXd& q,
                    const Eigen::VectorXd& velocity, double step,
                    const std::vector<Contact>& contacts);

}  // namespace amontons

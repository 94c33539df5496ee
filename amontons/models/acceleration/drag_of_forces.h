#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/contact/operators/problem_scaling.h"
#include "amontons/models/acceleration/acceleration_problem.h"

#include <Eigen/Core>

#include <functional>
#include <optional>

namespace amontons {

/// Solves an instant with given shares theta of viscous friction [nc], and returns its loads by
/// loads_of_instant(); none without a solution.
using InstantSolver = std::function<std::optional<Eigen::VectorXd>(const Eigen::VectorXd& shares)>;

/// Finds the shares theta [nc] of viscous friction that agree with the forces which they produce:
/// 1 under a load, 0 where the contact accelerates away, between where it does neither
/// (contact_drag.h, drag_share_search.h). Drag is a given force here, so that f is linear in theta.
/// The last call of `solve` has the shares that are returned, whether they agree or not.
/// @returns true if they agree.
bool find_shares_of_forces(const ContactProblem& problem, const InstantSolver& solve,
                           Eigen::VectorXd& shares);

/// Returns the loads z [nc] [-] of ContactDrag for forces and accelerations at one instant.
/// @param problem     velocity and mu_v of the contacts.
/// @param posed       the instant, with some shares.
/// @param shares      theta of these [nc].
/// @param forces      f of contacts without drag [3 nc] [N].
/// @param rates       accelerations of contacts [3 nc] [m/s^2].
/// @param tolerance   bound of w f_n / V above which a contact bears a load [-].
Eigen::VectorXd loads_of_instant(const ContactProblem& problem, const AccelerationProblem& posed,
                                 const ProblemScaling& scaling, const Eigen::VectorXd& shares,
                                 const Eigen::VectorXd& forces, const Eigen::VectorXd& rates,
                                 double tolerance);

}  // namespace amontons

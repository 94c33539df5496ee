#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/contact/operators/problem_scaling.h"
#include "amontons/optimization/ccp/body_space_operator.h"

#include <Eigen/Core>

#include <span>

namespace amontons {

/// Writes contacts of a problem without loop joints as W = G G' in body space: G_i = J_i L^-1 /
/// sqrt(w_i), M = L'L, every block scaled to trace 3.
/// @param contacts  contacts that some impulse moves, ascending.
/// @param rows      receives G; its memory is kept.
/// @returns sqrt(w) of the contacts.
Eigen::VectorXd contacts_on_bodies(const ProblemScaling& scaling, std::span<const int> contacts,
                                   BodySpaceOperator& rows);

/// Returns true if some velocity lifts these contacts at equal speed, up to 1e-9 of it. Every
/// solution of the frictionless problem that loads no others then has the same sum of impulses.
/// False where the method has not found that velocity.
/// @param contacts  as above.
bool can_lift_all(const ProblemScaling& scaling, std::span<const int> contacts);

}  // namespace amontons

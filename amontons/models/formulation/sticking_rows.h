#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/contact/contact_solution.h"
#include "amontons/models/common/contact_model.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// Solves a step in which some tangent rows of contacts hold, without other friction of contacts.
/// Dry friction and servos of joints act within their bounds.
/// @param gap_speeds    s [nc] [m/s].
/// @param rows          rows of J_C that hold: they become rows of J.
/// @param frictionless  the model of that name.
/// @returns the solution, whose friction is the impulses of the rows.
ContactSolution solve_with_sticking_rows(const ContactProblem& problem,
                                         const Eigen::VectorXd& gap_speeds,
                                         const std::vector<Eigen::Index>& rows,
                                         const ContactModel& frictionless);

/// Returns u_n + s [nc] [m/s] at a velocity [nv].
Eigen::VectorXd slack_at(const ContactProblem& problem, const Eigen::VectorXd& gap_speeds,
                         const Eigen::VectorXd& velocity);

/// Writes a list of contacts that stick [nc] as modes [nc], whatever the speeds.
void write_sticking_modes(const ContactProblem& problem, const std::vector<char>& list,
                          std::vector<ContactMode>& modes);

}  // namespace amontons

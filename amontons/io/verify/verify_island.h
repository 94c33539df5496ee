#pragma once

#include "amontons/contact/certificate/certificate.h"
#include "amontons/contact/contact_problem.h"
#include "amontons/contact/contact_solution.h"
#include "amontons/contact/islands/islands.h"
#include "amontons/contact/operators/problem_scaling.h"
#include "amontons/io/run/run_row.h"

#include <Eigen/Core>

#include <functional>

namespace amontons::io {

/// Holds an island with its own problem, its part of the recorded solution, and the velocities that
/// follow from it.
struct IslandPart {
  const Island& island;             ///< contacts and rows of the whole problem
  const ContactProblem& problem;    ///< the island's own
  const ProblemScaling& scaling;    ///< of that problem
  const ContactSolution& solution;  ///< of that problem
  Eigen::VectorXd contact_velocity = problem.contact_velocities(solution.velocity);  ///< u [3 nc]
  Eigen::VectorXd bounded_velocity = problem.bounded_jacobian * solution.velocity;   ///< L v [nb]
};

/// Returns true if a contact or a limit of a joint bounced.
bool any_impact(const ContactSolution& solution);

/// Returns the solution that a row records, in the order of the problem's contacts.
ContactSolution recorded_solution(const RunRow& row, const ContactProblem& problem);

/// Computes the certificate of a whole step: the worst over its islands.
///
/// Each island is evaluated alone, as it was solved. Articulations that nothing touches must move
/// freely. The law of an island is that of its contacts.
/// @param asked  the law asked, for Certificate::law_distance; null: not computed.
/// @param visit  called with each island; may be empty.
/// @throws std::invalid_argument if sizes do not fit, or contacts of one island claim different
/// laws.
Certificate certify_islands(const ContactProblem& problem, const ContactSolution& solution,
                            double tolerance, const ContactLaw* asked = nullptr,
                            const std::function<void(const IslandPart&)>& visit = {});

}  // namespace amontons::io

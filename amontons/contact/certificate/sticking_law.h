#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/contact/operators/problem_scaling.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// Holds what the law `NoSlip` reads of a solution, in the whole step or in one of its phases.
struct StickingState {
  const Eigen::VectorXd& impulses;          ///< p [3 nc] [N s]
  const Eigen::VectorXd& given_load;        ///< normal impulse besides p_n [nc] [N s]
  const Eigen::VectorXd& contact_velocity;  ///< u [3 nc] [m/s]
  const Eigen::VectorXd& gap_speeds;        ///< s [nc] [m/s]
};

/// Returns the contacts [nc] at which the law `NoSlip` asks for u_t = 0; p_t = 0 at all others. The
/// modes of the solution are not read. A contact with friction must stick where it
///
/// - bears a load, w p_n > tolerance V;
/// - is closed and bears a load in another solution of the normal problem with the same velocity
///   (contact_loads.h), the tangents that carry friction held;
/// - carries friction without a load, more than it slips: the published law holds listed contacts
///   by any force. Its gap must be one that the step can close: at the speed V, or by a motion with
///   the kinetic energy of the island's free motion.
///
/// @param with_other_solutions  the second rule counts; not in a second phase of restitution.
std::vector<char> contacts_that_stick(const ContactProblem& problem, const ProblemScaling& scaling,
                                      const StickingState& state, bool with_other_solutions,
                                      double tolerance);

}  // namespace amontons

#pragma once

#include "amontons/contact/certificate/contact_space_problem.h"
#include "amontons/contact/contact_problem.h"
#include "amontons/contact/contact_solution.h"
#include "amontons/math/solve_status.h"

#include <Eigen/Core>

#include <functional>
#include <limits>
#include <vector>

namespace amontons {

/// Holds the interval of one contact's normal impulse [N s]. It is taken over all reactions that
/// give the velocity of a solution and satisfy the law that it claims there (reaction_face.h).
/// `largest` is +infinity where bodies can be wedged ever harder.
///
/// Where contacts stick on a round cone the discs are replaced by polygons of kDiscCorners corners
/// within them. Both ends are reached by reactions that the law allows, and the true ones are those
/// of discs larger by 5e-6 at most.
struct NormalInterval {
  /// Converged, also where an end is infinite. NotRun if the search was ended before. Stalled if
  /// the solution is farther from the law than ten tolerances (another law held on this island), or
  /// as cone_simplex.h says. Ends that are not known are NaN.
  SolveStatus status = SolveStatus::NotRun;
  double least = std::numeric_limits<double>::quiet_NaN();    ///< lower end [N s]
  double largest = std::numeric_limits<double>::quiet_NaN();  ///< upper end [N s]
};

/// Corners of the polygon that replaces a disc; more of them cost only some pivots
/// (cone_simplex.h).
inline constexpr int kDiscCorners = 1024;

/// Receives the share that is done [-]; returns false to end the search.
using IntervalProgress = std::function<bool(double)>;

/// Computes the interval of each contact [nc], island by island. Each end of a loaded contact is a
/// linear program, warm from the last (cone_simplex.h). None is needed for a least end of zero or
/// an infinite end that was met on the way.
///
/// Between bodies that do not move a contact may carry anything: [0, infinity).
/// @param solution   solution certified to `tolerance`.
/// @throws std::invalid_argument if the law is not a relation at one contact (maximum dissipation),
///   or if Poisson restitution acted: its law is one of two phases.
std::vector<NormalInterval> normal_intervals(const ContactProblem& problem,
                                             const ContactSolution& solution, double tolerance,
                                             const IntervalProgress& progress = {});

/// Computes the same for a problem without bodies.
/// @param impulses  p [3 nc] [N s], certified to `tolerance`.
std::vector<NormalInterval> normal_intervals(const ContactSpaceProblem& problem,
                                             const ContactLaw& law, const Eigen::VectorXd& impulses,
                                             double tolerance,
                                             const IntervalProgress& progress = {});

}  // namespace amontons

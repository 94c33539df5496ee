#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/contact/operators/problem_scaling.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// Holds the gap speeds by which the law `NoSlip` judges a solution.
struct HeldOverlaps {
  Eigen::VectorXd gap_speeds;  ///< [nc] [m/s]
  std::vector<char> held;      ///< overlaps that stay as they are [nc]
};

/// Finds the overlaps that sticking contacts hold, and leaves them as they are: s = max(s, 0) at
/// all contacts of their island, so that they do not sink any further.
///
/// The velocity-level law of no slip knows no overlaps [Drumwright 2015, sec. VI]; s < 0 corrects
/// those of earlier steps, of second order in the turn of a step. Where normals differ, contacts
/// that must not slip may leave no motion that opens them, or one that is fast without measure.
/// Overlaps of an island are held if each velocity v with J v = joint_target(), u_t = 0 at the
/// sticking contacts and u_n + s >= 0 has
///
///   |v - v_free| > |v+ - v_free| + 10 sqrt(sum_i (s_i^2 / (n_i' M^-1 n_i))),   i: overlaps
///
/// in the norm of M, and some velocity has less once contacts may slip: overlaps that contradict
/// each other are not held by friction. The sum has the motions that open each overlap alone. The
/// dual active set method proves it by a lower bound of the left side.
///
/// An island with an overlap deeper than a tenth of what the speed V (contact_scales.h) closes in
/// the step is not left as it is.
///
/// Only islands with a contact that the solution leaves overlapping, u_n + s < -tolerance V, are
/// examined.
/// @param sticks      contacts that must not slip (sticking_law.h) [nc].
/// @param velocity    v+ [nv].
/// @param gap_speeds  s [nc] [m/s].
HeldOverlaps find_held_overlaps(const ContactProblem& problem, const ProblemScaling& scaling,
                                const std::vector<char>& sticks, const Eigen::VectorXd& velocity,
                                const Eigen::VectorXd& gap_speeds, double tolerance);

}  // namespace amontons

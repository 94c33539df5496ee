#pragma once

#include "amontons/models/formulation/working_set.h"

#include <Eigen/Core>

#include <string>
#include <vector>

namespace amontons {

/// Holds the least relaxation of nonpenetration where no velocity satisfies every condition.
struct Relaxation {
  Eigen::VectorXd gap_speeds;  ///< [nc] s, raised where needed [m/s]
  std::vector<int> contacts;   ///< those raised, ascending
  /// Lower bound of the relative effort of a velocity that satisfies every condition [-]; 0 if
  /// nothing was relaxed. The effort is the velocity's distance to the free motion, in the norm of
  /// M, relative to the impulse scale, the root of sum V_i^2 / w_i.
  double least_effort = 0.0;
};

/// Raises s by the least amount that makes the normal conditions of a frictionless problem
/// solvable: least squares with each contact weighted by 1 / w.
///
/// It solves u_n + s + r w p_n >= 0 with the ridge r = 1e-10 (up to 1e-8 where that fails), i.e.
/// min |v - v_free|_M^2 + |d|^2 / (r w) over v and the violation d = r w p_n. The impulses p_n
/// bound the effort of any velocity that needs no relaxation from below, as a ray of Farkas does. s
/// is raised by d (1 + 1e-7), so that the relaxed problem has bounded impulses.
/// @param problem  problem with friction 0 at every contact.
Relaxation relax_least(const PolyhedralProblem& problem);

/// Names contacts that contradict each other: "no velocity keeps apart all of contact 0 (bodies 1,
/// 2), contact 3 (bodies 1, 4)".
std::string name_squeeze(const ContactProblem& problem, const std::vector<int>& contacts);

}  // namespace amontons

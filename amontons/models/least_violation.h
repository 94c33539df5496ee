#pragma once

#include "amontons/models/working_set.h"

#include <Eigen/Core>

#include <string>
#include <vector>

namespace amontons {

/// What must give where no velocity satisfies every nonpenetration condition.
struct Relaxation {
  Eigen::VectorXd gap_speeds;  ///< [nc] s, raised where that was needed [m/s]
  std::vector<int> contacts;   ///< those whose s was raised, ascending
};

/// Raises s by as little as makes the normal conditions of a frictionless problem solvable.
///
/// While there is a proof y >= 0, A y = 0, y . (b + s) < 0 that there is no solution, s moves along
/// y, the shortest way (least squares) to refute that proof, times 1 + 1e-9. Only contacts that
/// squeeze against each other are touched. If 100 proofs do not suffice, the violated ones among
/// all contacts are relaxed to the free motion, which is always solvable.
///
/// @param problem  with friction 0 at every contact.
/// @param proof    the first proof, of problem as it is.
Relaxation relax_least(const PolyhedralProblem& problem, const Eigen::VectorXd& proof);

/// "no velocity keeps contacts 0 (bodies 1, 2), 3 (bodies 1, 4) apart"
std::string name_squeeze(const ContactProblem& problem, const std::vector<int>& contacts);

}  // namespace amontons

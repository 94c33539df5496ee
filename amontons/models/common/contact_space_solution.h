#pragma once

#include "amontons/contact/certificate/certificate.h"
#include "amontons/contact/contact_law.h"
#include "amontons/contact/contact_solution.h"
#include "amontons/math/solve_status.h"

#include <Eigen/Core>

#include <vector>

namespace amontons {

/// Holds the solution of a ContactSpaceProblem.
struct ContactSpaceSolution {
  SolveStatus status = SolveStatus::NotRun;  ///< the weakest of all islands
  ContactLaw law;
  Eigen::VectorXd impulses;  ///< p [3 nc] [N s]
  Eigen::VectorXd velocity;  ///< u = W p + q [3 nc] [m/s]
  Certificate certificate;   ///< normal, friction and coulomb residuals only
  std::vector<SolveAttempt> attempts;
};

}  // namespace amontons

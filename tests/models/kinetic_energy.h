#pragma once

#include "amontons/contact/contact_problem.h"

#include <Eigen/Core>

namespace amontons::test {

/// Returns the kinetic energy of a problem's bodies with velocity v [J].
inline double kinetic_energy(const ContactProblem& problem, const Eigen::VectorXd& v) {
  return 0.5 * v.dot(problem.mass_matrix * v);
}

}  // namespace amontons::test

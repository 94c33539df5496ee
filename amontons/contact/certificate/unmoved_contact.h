#pragma once

#include "amontons/contact/activation.h"
#include "amontons/contact/contact_problem.h"
#include "amontons/contact/contact_solution.h"
#include "amontons/contact/operators/problem_scaling.h"

#include <algorithm>

namespace amontons {

/// Returns the speed at which a contact closes too fast by its bias and its gap alone [m/s], where
/// its rows are zero, so that no velocity changes it: the normal meets the axis of a hinge. It is 0
/// for all other contacts, for those that touch no moving body, and where the law is not active.
inline double unmoved_approach(const ContactProblem& problem, const ProblemScaling& scaling,
                               const ContactLaw& law, std::size_t contact) {
  const auto i = static_cast<Eigen::Index>(contact);
  const Contact& own = problem.contacts[contact];
  const bool is_unmoved = scaling.scales.inverse_mass(i) == 0.0 && !own.is_joint_row &&
                          !problem.contact_jacobian.block_row(contact).empty();
  if (!is_unmoved || !is_active(law, own)) return 0.0;
  return std::max(0.0, -scaling.free_contact_velocity(3 * i + 2) - scaling.gap_speeds(i));
}

}  // namespace amontons

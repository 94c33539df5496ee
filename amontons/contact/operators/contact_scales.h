#pragma once

#include "amontons/contact/contact_problem.h"

#include <Eigen/Core>

#include <span>

namespace amontons {

/// The units in which a contact's answer is measured (problem_scaling.h computes them).
struct ContactScales {
  /// w_i = trace(A_ii)/3 [nc], A_ii the contact's own 3x3 block of J_C M^-1 J_C' [1/kg]. 0 where no
  /// moving body is in contact: no impulse matters there.
  Eigen::VectorXd inverse_mass;
  /// V [nc] [m/s], the same for all contacts of an island: the largest speed of the free motion,
  /// max over its contacts of |J_C v_free + bias|, of -s and of the rebound; at least 1e-6
  /// of the terms these are summed from, below which they are rounding, and at least what its
  /// joints may give the contact (joint_speeds.h).
  Eigen::VectorXd speed;
};

/// A scale is not taken below this share of the terms it is summed from [-]: there it is rounding.
inline constexpr double kMinScaleShare = 1e-6;

/// Share of a contact's inverse mass below which what the joints leave of it is rounding.
inline constexpr double kFixedByJoints = 1e-12;

/// sqrt(w_i) of some contacts with the loop joints kept, w_i = trace(A_ii)/3 [k] [kg^-1/2]: the
/// unit in which a light and a heavy contact look alike. A contact that the joints hold by
/// themselves has no w of its own but rounding, and gets a small one.
/// @param delassus  A of these contacts (ContactSpace::delassus()) [3k x 3k].
Eigen::VectorXd contact_roots(const Eigen::Ref<const Eigen::MatrixXd>& delassus,
                              std::span<const int> contacts, const ContactScales& scales);

}  // namespace amontons

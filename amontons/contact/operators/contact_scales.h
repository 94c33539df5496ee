#pragma once

#include "amontons/contact/contact_problem.h"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <span>

namespace amontons {

/// Holds the units in which residuals of contacts are measured (problem_scaling.h computes them).
struct ContactScales {
  /// w_i = trace(A_ii)/3 [nc] [1/kg], A_ii the contact's own 3x3 block of J_C M^-1 J_C'. It is 0
  /// where no moving body is in contact: no impulse matters there.
  Eigen::VectorXd inverse_mass;
  /// V [nc] [m/s], the same for all contacts of an island: the largest speed of the free motion. It
  /// is the maximum over its contacts of |J_C v_free + bias|, of -s and of the rebound. It is at
  /// least 1e-6 of the terms these are summed from, below which they are rounding. It is also at
  /// least the speed that its joints may give the contact (joint_speeds.h).
  Eigen::VectorXd speed;
};

/// Smallest scale, as a share of the terms it is summed from [-]: below it a scale is rounding.
inline constexpr double kMinScaleShare = 1e-6;

/// Smallest scale of a speed [m/s, rad/s, or sqrt(J) in the norm of M]. What is missed by a
/// tolerance of 1e-8 of it has a square that is near the smallest number with all its digits.
/// Speeds below that are nothing, in an impact too, where no gravity and no step gives a scale.
inline constexpr double kLeastScale = 1e-138;

/// Returns |v| in the norm of M, from v and M v; NaN stays NaN.
inline double mass_norm(const Eigen::Ref<const Eigen::VectorXd>& v,
                        const Eigen::Ref<const Eigen::VectorXd>& momentum) {
  const double square = v.dot(momentum);
  return square < 0.0 ? 0.0 : std::sqrt(square);
}

/// Share of a contact's inverse mass below which what the joints leave of it is rounding [-].
inline constexpr double kFixedByJoints = 1e-12;

/// Returns the least scale of the speed of a row of a joint [m/s or rad/s]: the rounding of a
/// coordinate of unit size in a step, where the row's bound can take that speed from it. What
/// friction holds would else be measured by its own rounding.
/// @param inverse_mass  w of the row.
/// @param bound         largest impulse of the row, 0 of a contact without cohesion.
/// @param step          h [s]; 0: an impact, where no row has a bound.
inline double rest_speed_of_row(double inverse_mass, double bound, double step) {
  if (!(step > 0.0)) return 0.0;
  return std::min(kMinScaleShare * inverse_mass * bound, kGapRounding / step);
}

/// Returns sqrt(w_i) of some contacts with the loop joints kept, w_i = trace(A_ii)/3 [k] [kg^-1/2].
/// In this unit a light and a heavy contact look alike. A contact that the joints fix by themselves
/// has a w of rounding alone, and gets a small one.
/// @param delassus  A of these contacts (ContactSpace::delassus()) [3k x 3k] [1/kg].
Eigen::VectorXd contact_roots(const Eigen::Ref<const Eigen::MatrixXd>& delassus,
                              std::span<const int> contacts, const ContactScales& scales);

}  // namespace amontons

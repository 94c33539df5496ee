#pragma once

#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

namespace amontons {

/// Holds the targets of a servo in a step.
struct ServoTarget {
  double position = 0.0;  ///< [rad or m]
  double rate = 0.0;      ///< [rad/s or m/s]
};

/// Returns the targets at the end of the step from `time`, where an implicit servo acts. Along a
/// position trajectory the rate is its mean over the step. A joint that follows exactly then feels
/// no force.
ServoTarget servo_target(const ServoDrive& servo, double time, double h);

/// Returns the effort of a servo in a step that ends with v_end, without its limit: kp (target - q
/// - h v_end) + kd (rate - v_end) [N m or N].
/// @param q, time  at the start of the step.
double servo_effort(const ServoDrive& servo, const Eigen::Ref<const Eigen::VectorXd>& q,
                    const Eigen::Ref<const Eigen::VectorXd>& v_end, double time, double h);

}  // namespace amontons

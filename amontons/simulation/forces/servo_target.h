#pragma once

#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

namespace amontons {

/// What a servo asks for in a step.
struct ServoTarget {
  double position = 0.0;  ///< [rad or m]
  double rate = 0.0;      ///< [rad/s or m/s]
};

/// At the end of the step from `time`, where an implicit servo acts. The rate of a trajectory of
/// positions is its mean over the step: a joint that follows exactly feels nothing.
ServoTarget servo_target(const ServoDrive& servo, double time, double h);

/// What a servo gives in a step that ends with v_end: kp (target - q - h v_end) + kd (rate -
/// v_end), whatever its limit.
/// @param q, time  at the start of the step.
double servo_effort(const ServoDrive& servo, const Eigen::Ref<const Eigen::VectorXd>& q,
                    const Eigen::Ref<const Eigen::VectorXd>& v_end, double time, double h);

}  // namespace amontons

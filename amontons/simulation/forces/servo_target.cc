#include "amontons/simulation/forces/servo_target.h"

namespace amontons {

ServoTarget servo_target(const ServoDrive& servo, double time, double h) {
  if (!servo.trajectory) return {servo.target, servo.target_rate};
  // Without kp the trajectory gives rates.
  const double end = servo.trajectory->value(time + h);
  if (servo.kp == 0.0) return {servo.target, end};
  return {end, (end - servo.trajectory->value(time)) / h};
}

double servo_effort(const ServoDrive& servo, const Eigen::Ref<const Eigen::VectorXd>& q,
                    const Eigen::Ref<const Eigen::VectorXd>& v_end, double time, double h) {
  // The implicit law at the end of the step, q + h v+.
  const ServoTarget target = servo_target(servo, time, h);
  const double rate = v_end[servo.v_index];
  return servo.kp * (target.position - q[servo.q_index] - h * rate) +
         servo.kd * (target.rate - rate);
}

}  // namespace amontons

#include "amontons/simulation/effort_limits.h"

#include <algorithm>
#include <limits>

namespace amontons {

EffortLimits effort_limits(const System& system) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  const auto num_loops = static_cast<Eigen::Index>(system.loop_coordinates().size());
  EffortLimits limits{Eigen::VectorXd::Constant(system.num_velocities(), kNone),
                      Eigen::VectorXd::Constant(num_loops, kNone)};
  const auto lower = [&limits](int v_index, int loop, double limit) {
    double& own = loop >= 0 ? limits.along_loops[loop] : limits.along_v[v_index];
    own = std::min(own, limit);
  };
  for (const CoordinateDynamics& one : system.coordinate_dynamics()) {
    if (one.dynamics.effort_limit) lower(one.v_index, one.loop, *one.dynamics.effort_limit);
  }
  for (const ServoDrive& servo : system.servos()) {
    lower(servo.v_index, servo.loop, servo.effort.size());
  }
  return limits;
}

}  // namespace amontons

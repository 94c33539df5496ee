#include "amontons/simulation/stepping/idle_couplings.h"

#include "amontons/simulation/stepping/linked_inertia.h"

namespace amontons {

void leave_idle_couplings(const System& system, const StepStart& start,
                          const SystemKinematics& kinematics, FreeMotionOptions uncoupled,
                          const Eigen::VectorXd& velocity, Eigen::VectorXd& coupled_velocity) {
  // Change of the free velocity that a coupling makes at least [-]: `verify` demands the w of an
  // uncoupled tree where the change is below half of this.
  constexpr double kIdle = 2e-10;
  LinkedInertiaStep linkages;
  uncoupled.linked = &linkages.compute(system, kinematics, start.v, start.step);
  FreeMotion motion;
  compute_free_motion(system, kinematics, start.q, start.v, start.time, start.step, uncoupled,
                      motion);
  for (std::size_t a = 0; a < system.articulations().size(); ++a) {
    const auto own = Eigen::seqN(system.v_offset(static_cast<int>(a)),
                                 system.articulations()[a].num_velocities());
    const double size = 1.0 + velocity(own).lpNorm<Eigen::Infinity>();
    const double change = (velocity(own) - motion.velocity(own)).lpNorm<Eigen::Infinity>();
    if (change <= kIdle * size) coupled_velocity(own) = motion.coupled_velocity(own);
  }
}

}  // namespace amontons

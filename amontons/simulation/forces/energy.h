#pragma once

#include "amontons/simulation/forces/free_motion.h"
#include "amontons/simulation/system/step_report.h"

#include <Eigen/Core>

namespace amontons {

/// What a state has [J].
struct StoredEnergy {
  /// Kinetic, potential of gravity, of springs [J].
  double kinetic = 0.0, gravity = 0.0, springs = 0.0;
  double potential() const { return gravity + springs; }  ///< [J]
};

StoredEnergy stored_energy(const System& system, const SystemKinematics& kinematics);

/// Work of each cause in a step. The change of kinetic energy is the sum of all works; gravity's
/// and the springs' are what their potential energies lose, so that the change of kinetic and
/// potential energy is the sum of the others. All others are an impulse times the mean u of the
/// velocities before and after the step, v and v+.
///
/// Contact work on a bouncing contact counts as `impacts`; what stabilization injects through
/// normal and joint impulses counts as `stabilization` and is taken out of `contact_normal`. Limits
/// of joints are counted with the contacts, dry friction of joints as `joint_friction`, servos at
/// their effort limits and prescribed motions of joints as `actuators`.
///
/// `integration` is what a step of finite length h does by itself, of first order in h: forces act
/// at u and as they are where the problem was evaluated, while the configuration moves by h v+, and
/// M changes along the way. With M, C, gravity and springs f at the evaluation's configuration:
///
///   u'h f - (V - V+)  +  T(q+, v+) - T(q, v) - u'M (v+ - v) - u'h C v
///
/// where u'M (v+ - v) is the change of v'M v/2. Of a body alone the impulse of its implicit
/// gyroscopic term stands in place of -h C v.
///
/// `unexplained` is what is left: the work u'(M (v+ - v) - all impulses) of a momentum that no
/// impulse has brought. It is rounding, or else impulses and velocities do not belong together.
EnergyLedger account_energy(const System& system, const ContactProblem& problem,
                            const ContactSolution& solution, const FreeMotion& free_motion,
                            const StoredEnergy& before, const StoredEnergy& after);

}  // namespace amontons

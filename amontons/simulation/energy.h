#pragma once

#include "amontons/simulation/forces.h"
#include "amontons/simulation/step_report.h"

#include <Eigen/Core>

namespace amontons {

/// Work of each cause in a step: impulse times the mean of the velocities before and after it. With
/// a constant mass matrix they sum to the change of kinetic energy; the rest is `unexplained`.
///
/// Contact work on a bouncing contact counts as `impacts`; what stabilization injects through
/// normal and joint impulses counts as `stabilization` and is taken out of `contact_normal`. Limits
/// of joints are counted with the contacts, dry friction of joints as `joint_friction`, servos at
/// their effort limits and prescribed motions of joints as `actuators`.
///
/// @param kinetic_before, kinetic_after, potential_after  [J], at the two configurations.
EnergyLedger account_energy(const System& system, const ContactProblem& problem,
                            const ContactSolution& solution, const FreeMotion& free_motion,
                            double kinetic_before, double kinetic_after, double potential_after);

}  // namespace amontons

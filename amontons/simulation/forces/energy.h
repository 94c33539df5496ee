#pragma once

#include "amontons/simulation/forces/free_motion.h"
#include "amontons/simulation/system/step_report.h"

#include <Eigen/Core>

namespace amontons {

/// Holds the energy of a state [J].
struct StoredEnergy {
  /// These are the kinetic energy, and the potential energies of gravity and of springs [J].
  double kinetic = 0.0, gravity = 0.0, springs = 0.0;
  double potential() const { return gravity + springs; }  ///< [J]
  double total() const { return kinetic + potential(); }  ///< [J]
};

/// Holds the energies of a step: at its start, where its motion ends, and at its end, where
/// positions are corrected (projection, post_stabilization). Without that the last two are the
/// same.
struct StepEnergies {
  StoredEnergy start;  ///< at the start
  StoredEnergy moved;  ///< where the motion ends
  StoredEnergy end;    ///< at the end
};

/// Returns the energy of a state.
StoredEnergy stored_energy(const System& system, const SystemKinematics& kinematics);

/// Computes the work of each cause in a step [J]. The change of kinetic energy is the sum of all
/// works. Gravity's and the springs' works are the losses of their potential energies. All others
/// are an impulse times u, the mean of the velocities v and v+ at the start and the end of the
/// step.
///
/// Contact work on a bouncing contact counts as `impacts`. The work that stabilization does through
/// normal and joint impulses counts as `stabilization`, not as `contact_normal`, and so does the
/// energy that a correction of positions adds, which does no work. Limits of joints
/// count with the contacts, dry friction of joints as `joint_friction`. Servos at their effort
/// limits and prescribed motions of joints count as `actuators`.
///
/// `integration` is the work of a finite step length h, of first order in h. Forces act at u and as
/// at the evaluation's configuration, while the configuration moves by h v+ and M changes. With M,
/// C, gravity and springs f at the evaluation's configuration:
///
///   u'h f - (V - V+)  +  T(q+, v+) - T(q, v) - u'M (v+ - v) - u'h C v
///
/// with q+ before positions are corrected, where u'M (v+ - v) is the change of v'M v/2. For a
/// single body the impulse of its implicit gyroscopic term replaces -h C v, for a coupled tree its
/// own impulse (FreeMotion).
///
/// `unexplained` is the rest: the work u'(M (v+ - v) - all impulses) of a momentum without an
/// impulse. It is rounding, unless impulses and velocities do not belong together.
EnergyLedger account_energy(const System& system, const ContactProblem& problem,
                            const ContactSolution& solution, const FreeMotion& free_motion,
                            const StepEnergies& energies);

/// Holds the intermediate results of account_energy(). Its memory is reused from call to call.
struct EnergyWorkspace {
  Eigen::VectorXd mean_velocity;     ///< u = (v + v+)/2 [nv]
  Eigen::VectorXd contact_velocity;  ///< J_C u [3 nc] [m/s]
  Eigen::VectorXd change;            ///< v+ - v [nv]
  Eigen::VectorXd momentum;          ///< M (v+ - v) [nv]
};
/// Computes the same with memory that is kept.
EnergyLedger account_energy(const System& system, const ContactProblem& problem,
                            const ContactSolution& solution, const FreeMotion& free_motion,
                            const StepEnergies& energies, EnergyWorkspace& work);

}  // namespace amontons

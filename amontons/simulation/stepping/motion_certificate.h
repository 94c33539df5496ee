#pragma once

#include "amontons/contact/certificate/certificate.h"
#include "amontons/dynamics/articulation.h"
#include "amontons/simulation/forces/energy.h"
#include "amontons/simulation/forces/inertial_gain.h"
#include "amontons/simulation/stepping/step_evaluation.h"
#include "amontons/simulation/system/step_report.h"
#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

namespace amontons {

/// Judges the positions and the energy of a whole step, which no law of contact judges:
///
/// - `loop`: the errors Theta that are wider after the step than before, or that a correction in
///   less than one step (joint_correction) leaves as wide, relative to their levers.
///   A lever is 1 rad for an angle. For a length it is the largest distance of the joint's frames
///   to the centers of mass of its bodies, or their radius of gyration, or the distance of a
///   distance joint. A step makes errors of order h^2 |v|^2 [Anitescu, Miller, Hart 2003, theorem
///   3.1]; errors of a tenth of the lever show that h |v| is too large for the linkage, or that its
///   loops cannot close;
/// - `overlap`: overlaps that are deeper than before at pairs on whose contacts the law acted,
/// relative to
///   the bounding radius of the smaller shape. `where`: the first contact of the pair in the
///   problem;
/// - `energy_created`: what stabilization, the finite step, rounding and friction that gives energy
///   on surfaces without a drive have added beyond the kinetic energy at the start, the work of all
///   causes and the energy of all bodies and rotors at three times overlap_speed, where springs
///   that a correction of positions has moved are no cause; and unexplained energy beyond 1e-6 of
///   what moved and the rounding of the potential energies [J]. In a step by velocities, also what
///   the motion x of inertia alone adds beyond 1e-9 of the energy, T(q (+) h x, x) - T(q, v)
///   (FreeMotion::inertial_velocity) of trees that are not coupled, and what inertial forces add
///   with all impulses, beyond a share of the energy (inertial_gain.h). Systems whose joints have
///   prescribed rates are exempt.
///
/// Stabilization removes what was there before a step. Without it (gamma 0) errors and overlaps of
/// all steps add up, and the figures are what the step has added.
///
/// Sets these figures, and withdraws `holds` where one of the first two is above kGrowthTolerance
/// or the last is above zero, or where inertial forces are left out (FreeMotion::inertial_status())
/// or an integrator is replaced (FreeMotion::integration_status).
/// @param start        kinematics at the start of the step.
/// @param energies     those of the step.
/// @param solution     velocity at the end, and the law that the step claims; contacts beyond its
/// activation gap may close.
/// @param free_motion  free motion of the problem.
/// @param is_by_velocities  true: of a step by velocities, which keeps the energy of inertia.
/// @param energy       works of the step.
/// @param end          evaluation at its end; its contacts hold every overlap.
void certify_motion(const System& system, const SystemKinematics& start,
                    const StepEnergies& energies, const ContactProblem& problem,
                    const ContactSolution& solution, const FreeMotion& free_motion,
                    bool is_by_velocities, const EnergyLedger& energy, const StepEvaluation& end,
                    Certificate& certificate);

/// Holds the intermediate results of certify_motion(). Its memory is reused from call to call.
struct MotionCertificateWorkspace {
  Eigen::VectorXd q;          ///< positions after the motion of inertia alone [nq]
  ArticulationKinematics at;  ///< kinematics of one tree there
};
/// Certifies the same with memory that is kept.
/// @param gain  what inertial_gain() returns for a step by velocities; null: another step.
void certify_motion(const System& system, const SystemKinematics& start,
                    const StepEnergies& energies, const ContactProblem& problem,
                    const ContactSolution& solution, const FreeMotion& free_motion,
                    const InertialGain* gain, const EnergyLedger& energy, const StepEvaluation& end,
                    MotionCertificateWorkspace& work, Certificate& certificate);

/// Adds an attempt to the solution that says so where inertial forces are left out, and one where
/// an integrator is replaced.
void note_free_motion(const FreeMotion& free_motion, ContactSolution& solution);

}  // namespace amontons

#pragma once

#include "amontons/contact/certificate/certificate.h"
#include "amontons/contact/contact_problem.h"
#include "amontons/contact/contact_solution.h"
#include "amontons/contact/sliding_law.h"
#include "amontons/simulation/system/commands.h"
#include "amontons/simulation/system/state.h"

#include <Eigen/Core>

#include <cstdint>

namespace amontons {

/// Work done in one step [J] by each cause, and the energy at its end (simulation/forces/energy.h).
/// The change of kinetic energy is the sum of all works.
struct EnergyLedger {
  double kinetic = 0.0, potential = 0.0;  ///< at the end of the step; of gravity and springs
  double gravity = 0.0, springs = 0.0;    ///< what their potential energies give away
  double actuators = 0.0, contact_normal = 0.0, contact_friction = 0.0;  ///< work of the step [J]
  double joint_friction = 0.0;                                           ///< dry and viscous
  double impacts = 0.0, stabilization = 0.0;                             ///< work of the step [J]
  double integration = 0.0;  ///< of a step of finite length: what it adds by itself
  double unexplained = 0.0;  ///< change of kinetic energy that none of them explains: rounding
};

/// What happened in a step of event-driven simulation.
struct StepEvents {
  bool impact = false;   ///< the step takes no time: velocities jump
  bool arrival = false;  ///< it ends early, where shapes meet or contact forces change their law
  /// Impacts without end: what is near is held from here to the next output step.
  bool zeno = false;
  /// Of contacts that slide at the start of the step. What it does not determine is solved between
  /// impulses and velocities, where there is always an answer: in this motion, or where contacts
  /// last by forces in an impact at this instant.
  SlidingLaw sliding = SlidingLaw::Determined;
  std::int32_t by_forces = 0;  ///< contacts whose forces the integrator has found (force_motion.h)
  // Hybrid method only.
  bool steady = false;      ///< the impact is of steady contacts: the scene's model, e = 0
  int became_steady = 0;    ///< pairs of shapes held since this step
  int became_bouncing = 0;  ///< pairs that were held and have bounced in this impact
};

/// Everything known about one step, as the observers see it. References live until they return.
struct StepReport {
  const State* start = nullptr;  ///< before the step; null in the report of the initial state
  const State* end = nullptr;    ///< after the step
  double step = 0.0;             ///< h [s]
  Eigen::VectorXd evaluation_velocity;  ///< M, J were evaluated at start.q (+) h * this [nv]
  /// Contacts were sought at least this far apart, times h, since an answer of the step met what
  /// was out of sight; 0: none did [m/s].
  double closing_speed = 0.0;
  ContactProblem problem;         ///< of the step
  ContactSolution solution;       ///< what the model answered
  Certificate certificate;        ///< what it is worth
  Eigen::VectorXd drive_impulse;  ///< of servos, efforts, springs and dampers [nv]
  Commands commands;              ///< of a program, as they were in the step
  bool start_was_set = false;     ///< by a program, which put the state where the step began
  EnergyLedger energy;            ///< works of the step [J]
  StepEvents events;              ///< of event-driven and hybrid simulation
  /// Of the stepper: reports of one stepper with the same number, not 0, hold the same bits but for
  /// start, end, commands and wall times.
  std::int64_t solution_number = 0;
  double step_time_s = 0.0, solve_time_s = 0.0;  ///< wall time of the step and of the contact solve
};

/// Receives each step as it ends. The recorder of io is one.
class Observer {
 public:
  virtual ~Observer() = default;
  /// Called after every step; what it refers to lives until the next.
  virtual void observe(const StepReport& report) = 0;
};

}  // namespace amontons

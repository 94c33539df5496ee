#pragma once

#include "amontons/contact/certificate/certificate.h"
#include "amontons/contact/contact_problem.h"
#include "amontons/contact/contact_solution.h"
#include "amontons/contact/sliding_law.h"
#include "amontons/math/effort.h"
#include "amontons/simulation/system/commands.h"
#include "amontons/simulation/system/state.h"

#include <Eigen/Core>

#include <cstdint>

namespace amontons {

/// Holds the work of each cause in one step [J], and the energy at its end
/// (simulation/forces/energy.h). The change of kinetic energy is the sum of all works.
struct EnergyLedger {
  double kinetic = 0.0, potential = 0.0;  ///< at the end of the step
  double gravity = 0.0, springs = 0.0;    ///< losses of their potential energies
  double actuators = 0.0, contact_normal = 0.0, contact_friction = 0.0;  ///< work of the step [J]
  double joint_friction = 0.0;                ///< dry and viscous friction
  double impacts = 0.0, stabilization = 0.0;  ///< work of the step [J]
  double integration = 0.0;                   ///< work of the finite step length
  double unexplained = 0.0;  ///< change of kinetic energy without a cause: rounding
};

/// Describes the events in a step of event-driven simulation.
struct StepEvents {
  bool impact = false;   ///< the step takes no time: velocities jump
  bool arrival = false;  ///< it ends early, where shapes meet or contact forces change their law
  /// Is true if impacts accumulate. Contacts within reach are then sustained up to the next output
  /// step.
  bool zeno = false;
  /// Gives the solvability of the law of contacts that slide at the start of the step. A motion
  /// that it does not determine is solved between impulses and velocities, where a solution always
  /// exists. That happens in this motion or, where forces sustain contacts, in an impact at this
  /// instant.
  SlidingLaw sliding = SlidingLaw::Determined;
  std::int32_t by_forces = 0;  ///< contacts whose forces the integrator has found (force_motion.h)
  /// Estimates the integrator's error in that motion: sum over its parts of the largest error of a
  /// coordinate or rate [m, rad, m/s or rad/s].
  double force_error = 0.0;
  // Hybrid method only.
  bool steady = false;      ///< the impact is that of sustained contacts: the scene's model, e = 0
  int became_steady = 0;    ///< pairs of shapes in sustained contact since this step
  int became_bouncing = 0;  ///< pairs whose sustained contact ended by this impact
};

/// Holds all that is known about one step, as the observers see it. References are valid until they
/// return.
struct StepReport {
  const State* start = nullptr;  ///< state at the start; null in the report of the initial state
  const State* end = nullptr;    ///< state at the end of the step
  double step = 0.0;             ///< h [s]
  Eigen::VectorXd evaluation_velocity;  ///< J was evaluated at start.q (+) h * this [nv]
  /// Holds the velocity at the end of the step to which inertial forces belong [nv]; zero for trees
  /// whose inertial forces are those of their motion without forces. Empty: all trees are such.
  Eigen::VectorXd coupled_velocity;
  double coupled_damping = 0.0;  ///< damping of the former trees (CoupledInertia) [-]
  /// Bounds the closing speed from below in the search for contacts, after retries with a wider
  /// contact horizon [m/s]; 0: no retry.
  double closing_speed = 0.0;
  ContactProblem problem;  ///< problem of the step
  /// Names the law that the model of the step was asked for. `solution` has the law that answered.
  LawKind law_asked = LawKind::Frictionless;
  ContactSolution solution;       ///< solution of the model
  Certificate certificate;        ///< residuals of the solution
  Eigen::VectorXd drive_impulse;  ///< impulse of servos, efforts, springs and dampers [nv]
  Commands commands;              ///< commands of a program during the step
  bool start_was_set = false;     ///< true: a program has set the state at the start
  EnergyLedger energy;            ///< works of the step [J]
  StepEvents events;              ///< events of event-driven and hybrid simulation
  /// Numbers the solution within its stepper. Reports with the same number, not 0, hold the same
  /// bits, except for start, end, commands and wall times.
  std::int64_t solution_number = 0;
  WorkCounts work;                               ///< work of the step's solvers
  double step_time_s = 0.0, solve_time_s = 0.0;  ///< wall time of the step and of the contact solve
};

/// Receives each step as it ends. The recorder of io is one.
class Observer {
 public:
  virtual ~Observer() = default;
  /// Receives a step; the report and all that it refers to are valid until the next one.
  virtual void observe(const StepReport& report) = 0;
};

}  // namespace amontons

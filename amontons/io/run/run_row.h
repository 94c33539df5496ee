#pragma once

#include "amontons/contact/certificate/certificate.h"
#include "amontons/contact/contact_law.h"
#include "amontons/contact/contact_problem.h"
#include "amontons/contact/contact_solution.h"
#include "amontons/simulation/system/kinematics.h"
#include "amontons/simulation/system/step_report.h"
#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

#include <cstdint>
#include <vector>

namespace amontons::io {

/// Records one contact of one row of a run. Vectors with three components t1, t2, n are in the
/// contact frame of math/rotation.h, contact_frame().
struct RunContact {
  int body_a = -1, body_b = -1;                           ///< indices of bodies; impulses act on B
  ContactKey key;                                         ///< its name from step to step
  Eigen::Vector3d position_W = Eigen::Vector3d::Zero();   ///< [m]
  Eigen::Vector3d normal_W = Eigen::Vector3d::UnitZ();    ///< unit, from A into B
  double gap = 0.0;                                       ///< before the move [m]
  double friction = 0.0;                                  ///< mu [-]
  double viscous_friction = 0.0;                          ///< mu_v [N s/m]
  double restitution = 0.0;                               ///< e [-]
  LawKind law = LawKind::Frictionless;                    ///< law that the solution claims
  Eigen::Vector3d impulse = Eigen::Vector3d::Zero();      ///< on B [N s]
  Eigen::Vector3d compression = Eigen::Vector3d::Zero();  ///< first part under Poisson's law [N s]
  Eigen::Vector3d velocity = Eigen::Vector3d::Zero();     ///< B relative to A, after [m/s]
  Eigen::Vector3d velocity_free = Eigen::Vector3d::Zero();  ///< the same without contact [m/s]
  ContactMode mode = ContactMode::Open;                     ///< mode of motion
  /// Hold y, lambda and eta of maximum dissipation, in the only or second phase and in the first
  /// (contact_solution.h, DissipationWitness).
  Eigen::Vector3d witness = Eigen::Vector3d::Zero(), first_witness = Eigen::Vector3d::Zero();
  double restitution_share = 1.0;  ///< share of e that the contact gave back [-]
};

/// Records one bounded row of one row of a run (contact/bounded_row.h).
struct RunBoundedRow {
  BoundedRow row;                           ///< the limit, friction or effort bound
  double impulse = 0.0, compression = 0.0;  ///< f, and first part, Poisson [N s or N m s]
  double velocity = 0.0;                    ///< L v after the step [m/s or rad/s]
  ContactMode mode = ContactMode::Open;     ///< open, at a bound or between
  /// Hold multipliers as those of RunContact.
  Eigen::Vector3d witness = Eigen::Vector3d::Zero(), first_witness = Eigen::Vector3d::Zero();
  double restitution_share = 1.0;  ///< share of e that a limit gave back [-]
};

/// Names the part of the system that a command of a program acts on.
enum class CommandKind : std::uint8_t {
  Effort = 0,       ///< along a joint coordinate, in the order of v
  Target = 1,       ///< target of a servo
  Wrench = 2,       ///< on a body
  LoopEffort = 3,   ///< along a joint that is rows of J (System::loop_coordinates())
  FirstChange = 4,  ///< changes of properties: this number plus PropertyKind
  LastChange = FirstChange + kNumPropertyKinds - 1,  ///< the last of them
};

/// Records one command of a program that acted in one row of a run
/// (simulation/system/commands.h).
struct RunCommand {
  CommandKind kind = CommandKind::Effort;  ///< the part that it commands
  int index = -1;                          ///< index of coordinate, servo, body, loop coordinate
  double value = 0.0, rate = 0.0;          ///< effort [N m or N], or a servo's target and its rate
  /// A change has its `other` in rate, its first value in value, the next in force, torque and at.
  Eigen::Vector3d force_W = Eigen::Vector3d::Zero();   ///< [N]
  Eigen::Vector3d torque_W = Eigen::Vector3d::Zero();  ///< [N m]
  Eigen::Vector3d at_B = Eigen::Vector3d::Zero();      ///< where the force acts, in the body [m]
};

/// Records one row of a run: the step that ends at `time`, or the initial state (step 0, no
/// contacts). J of the step was evaluated at q_start (+) step * v_eval, M at q_start and
/// time_start.
struct RunRow {
  double time = 0.0, time_start = 0.0, step = 0.0;  ///< [s]
  std::int64_t step_count = 0;                      ///< steps taken since the start
  Eigen::VectorXd q, v;                             ///< at `time` [nq], [nv]
  Eigen::VectorXd v_free;                           ///< [nv]
  Eigen::VectorXd q_start, v_start, v_eval;         ///< [nq], [nv], [nv]
  Eigen::VectorXd v_coupled;                        ///< StepReport's coupled_velocity [nv]
  Eigen::VectorXd body_position;                    ///< p_WB of each body [3 nB] [m]
  Eigen::VectorXd body_quat_wxyz;                   ///< orientation of each body [4 nB]
  Eigen::VectorXd joint_impulse;                    ///< impulses of the rows of J [nj]
  std::int32_t num_contacts = 0;                    ///< of the step, recorded or not
  std::vector<RunContact> contacts;                 ///< sorted by key; empty if not recorded
  std::vector<RunBoundedRow> bounded_rows;          ///< sorted by key
  std::vector<RunCommand> commands;                 ///< commands that acted in the step
  double coupled_damping = 0.0;                     ///< StepReport's [-]
  double closing_speed = 0.0;                       ///< StepReport's [m/s]
  bool start_was_set = false;                    ///< a program set the state where the step began
  LawKind law_asked = LawKind::Frictionless;     ///< law that the model was asked for
  ContactLaw law;                                ///< law that the step claims
  Certificate certificate;                       ///< values only: `where` is not recorded
  EnergyLedger energy;                           ///< works of the step [J]
  StepEvents events;                             ///< events of event-driven and hybrid simulation
  SolveStatus status = SolveStatus::NotRun;      ///< status of the solution
  int iterations = 0, attempts = 0;              ///< iterations of the solver, methods tried
  double step_time_s = 0.0, solve_time_s = 0.0;  ///< wall time [s]

  /// Returns true if the contacts of the step are recorded.
  bool has_contacts() const { return contacts.size() == static_cast<std::size_t>(num_contacts); }
  /// Returns the number of bodies nB.
  std::size_t num_bodies() const { return static_cast<std::size_t>(body_position.size()) / 3; }
  /// Returns the position of a body's origin, in W [m].
  Eigen::Vector3d position_of(std::size_t body) const {
    return body_position.segment<3>(3 * static_cast<Eigen::Index>(body));
  }
  /// Returns the orientation of a body, w first.
  Eigen::Vector4d quat_wxyz_of(std::size_t body) const {
    return body_quat_wxyz.segment<4>(4 * static_cast<Eigen::Index>(body));
  }
};

/// Makes the row of a step, without its contacts but with their number.
RunRow make_run_row(const System& system, const StepReport& report);
/// Makes the part of it that takes little work: all numbers that are no vectors.
RunRow make_row_of_scalars(const StepReport& report);
/// Adds the rest of it: states, bodies, bounded rows and commands.
/// @param memory  kept for the next row.
void record_vectors(const System& system, const StepReport& report, SystemKinematics& memory,
                    RunRow& row);

/// Adds the contacts of a step to its row, with impulses and velocities in the frame (t1, t2, n).
void record_contacts(const StepReport& report, RunRow& row);

/// Returns the commands of a row as the system takes them.
/// @throws std::invalid_argument for an effort along a coordinate that is not there.
Commands commands_of(const System& system, const RunRow& row);

}  // namespace amontons::io

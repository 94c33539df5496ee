#pragma once

#include "amontons/contact/certificate/certificate.h"
#include "amontons/contact/contact_law.h"
#include "amontons/contact/contact_problem.h"
#include "amontons/contact/contact_solution.h"
#include "amontons/simulation/system/step_report.h"
#include "amontons/simulation/system/system.h"

#include <Eigen/Core>

#include <cstdint>
#include <vector>

namespace amontons::io {

/// One contact of one row of a run. Vectors with three components t1, t2, n are in the contact
/// frame of math/rotation.h, contact_frame().
struct RunContact {
  int body_a = -1, body_b = -1;                           ///< indices of bodies; impulses act on B
  ContactKey key;                                         ///< its name from step to step
  Eigen::Vector3d position_W = Eigen::Vector3d::Zero();   ///< [m]
  Eigen::Vector3d normal_W = Eigen::Vector3d::UnitZ();    ///< unit, from A into B
  double gap = 0.0;                                       ///< before the move [m]
  double friction = 0.0;                                  ///< mu [-]
  double viscous_friction = 0.0;                          ///< mu_v [N s/m]
  double restitution = 0.0;                               ///< e [-]
  LawKind law = LawKind::Frictionless;                    ///< claimed
  Eigen::Vector3d impulse = Eigen::Vector3d::Zero();      ///< on B [N s]
  Eigen::Vector3d compression = Eigen::Vector3d::Zero();  ///< its first part under Poisson's law
  Eigen::Vector3d velocity = Eigen::Vector3d::Zero();     ///< of B relative to A, after [m/s]
  Eigen::Vector3d velocity_free = Eigen::Vector3d::Zero();  ///< the same without contact [m/s]
  ContactMode mode = ContactMode::Open;                     ///< how it moves
  /// Maximum dissipation: y, lambda and eta of its only or second phase, of its first where there
  /// are two, and the share of e (contact_solution.h, DissipationWitness).
  Eigen::Vector3d witness = Eigen::Vector3d::Zero(), first_witness = Eigen::Vector3d::Zero();
  double restitution_share = 1.0;  ///< of e that was given back
};

/// One bounded row of one row of a run (contact/bounded_row.h).
struct RunBoundedRow {
  BoundedRow row;                           ///< what it bounds
  double impulse = 0.0, compression = 0.0;  ///< f, and its first part under Poisson's law
  double velocity = 0.0;                    ///< L v after the step
  ContactMode mode = ContactMode::Open;     ///< open, at a bound or between
  /// As of contacts.
  Eigen::Vector3d witness = Eigen::Vector3d::Zero(), first_witness = Eigen::Vector3d::Zero();
};

/// What a command of a program acts on.
enum class CommandKind : std::uint8_t {
  Effort = 0,      ///< along a joint coordinate, in the order of v
  Target = 1,      ///< of a servo
  Wrench = 2,      ///< on a body
  LoopEffort = 3,  ///< along a joint that is rows of J (System::loop_coordinates())
};

/// One command of a program that held in one row of a run (simulation/system/commands.h).
struct RunCommand {
  CommandKind kind = CommandKind::Effort;  ///< what it commands
  int index = -1;                          ///< of the coordinate, servo, body or loop coordinate
  double value = 0.0, rate = 0.0;          ///< effort [N m or N], or a servo's target and its rate
  Eigen::Vector3d force_W = Eigen::Vector3d::Zero();   ///< [N]
  Eigen::Vector3d torque_W = Eigen::Vector3d::Zero();  ///< [N m]
  Eigen::Vector3d at_B = Eigen::Vector3d::Zero();      ///< where the force acts, in the body [m]
};

/// One row of a run: the step that ends at `time`, or the initial state (step 0, no contacts).
/// M and J of the step were evaluated at q_start (+) step * v_eval and time_start.
struct RunRow {
  double time = 0.0, time_start = 0.0, step = 0.0;  ///< [s]
  std::int64_t step_count = 0;                      ///< steps taken since the start
  Eigen::VectorXd q, v;                             ///< at `time` [nq], [nv]
  Eigen::VectorXd v_free;                           ///< [nv]
  Eigen::VectorXd q_start, v_start, v_eval;         ///< [nq], [nv], [nv]
  Eigen::VectorXd body_position;                    ///< p_WB of each body [3 B]
  Eigen::VectorXd body_quat_wxyz;                   ///< [4 B]
  Eigen::VectorXd joint_impulse;                    ///< [nj]
  std::vector<RunContact> contacts;                 ///< sorted by key
  std::vector<RunBoundedRow> bounded_rows;          ///< sorted by key
  std::vector<RunCommand> commands;                 ///< that held in the step
  double closing_speed = 0.0;                       ///< StepReport's [m/s]
  bool start_was_set = false;  ///< by a program: the state is not what the row before left
  ContactLaw law;              ///< claimed by the step
  Certificate certificate;     ///< values only: `where` is not recorded
  EnergyLedger energy;         ///< works of the step [J]
  StepEvents events;           ///< of event-driven and hybrid simulation
  SolveStatus status = SolveStatus::NotRun;      ///< of the answer
  int iterations = 0, attempts = 0;              ///< of the answer: iterations, and methods tried
  double step_time_s = 0.0, solve_time_s = 0.0;  ///< wall time

  /// nB
  std::size_t num_bodies() const { return static_cast<std::size_t>(body_position.size()) / 3; }
  /// Of a body's origin, in W [m].
  Eigen::Vector3d position_of(std::size_t body) const {
    return body_position.segment<3>(3 * static_cast<Eigen::Index>(body));
  }
  /// Orientation of a body, w first.
  Eigen::Vector4d quat_wxyz_of(std::size_t body) const {
    return body_quat_wxyz.segment<4>(4 * static_cast<Eigen::Index>(body));
  }
};

/// What is recorded of a step. `with_contacts` false leaves the contacts out.
RunRow make_run_row(const System& system, const StepReport& report, bool with_contacts = true);

/// The commands of a row as the system takes them.
/// @throws std::invalid_argument for an effort along a coordinate that is not there.
Commands commands_of(const System& system, const RunRow& row);

}  // namespace amontons::io

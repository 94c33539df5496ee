#include "amontons/io/run/run_row.h"

#include "amontons/math/rotation.h"

#include <stdexcept>
#include <string>

namespace amontons::io {
namespace {

/// Records the poses of all bodies at a state.
void record_bodies(const System& system, const State& state, SystemKinematics& kinematics,
                   RunRow& row) {
  compute_kinematics(system, state.q, state.v, state.time, kinematics);
  const auto num_bodies = static_cast<Eigen::Index>(kinematics.X_WB.size());
  row.body_position.resize(3 * num_bodies);
  row.body_quat_wxyz.resize(4 * num_bodies);
  for (Eigen::Index i = 0; i < num_bodies; ++i) {
    const Pose& X_WB = kinematics.X_WB[static_cast<std::size_t>(i)];
    row.body_position.segment<3>(3 * i) = X_WB.translation;
    row.body_quat_wxyz.segment<4>(4 * i) =
        wxyz_from_quaternion(Eigen::Quaterniond(X_WB.rotation).normalized());
  }
}

/// Returns the three multipliers of a witness: y [N s], lambda [N s] and eta [m/s].
Eigen::Vector3d as_vector(const DissipationWitness& witness) {
  return {witness.phase_one, witness.multiplier, witness.price};
}

/// Records the share of restitution and the multipliers of a contact or bounded row: those of
/// maximum dissipation, of the last phase and of the first where there are two.
/// @param place  index among the contacts, then the bounded rows.
template <typename Record>
void record_witnesses(const ContactSolution& solution, std::size_t place, Record& record) {
  if (solution.restitution_shares.size() > 0) {
    record.restitution_share = solution.restitution_shares(static_cast<Eigen::Index>(place));
  }
  if (solution.witnesses.empty()) return;
  record.witness = as_vector(solution.witnesses.back()[place]);
  record.restitution_share = solution.witnesses.back()[place].restitution_share;
  if (solution.witnesses.size() > 1) {
    record.first_witness = as_vector(solution.witnesses.front()[place]);
  }
}

/// Records the bounded rows of joints with their impulses f and velocities L v.
void record_bounded_rows(const StepReport& report, RunRow& row) {
  const ContactProblem& problem = report.problem;
  const ContactSolution& solution = report.solution;
  if (problem.bounded_rows.empty()) return;
  const Eigen::VectorXd velocity = problem.bounded_jacobian * solution.velocity;
  row.bounded_rows.resize(problem.bounded_rows.size());
  for (std::size_t i = 0; i < row.bounded_rows.size(); ++i) {
    const auto own = static_cast<Eigen::Index>(i);
    RunBoundedRow& record = row.bounded_rows[i];
    record.row = problem.bounded_rows[i];
    record.impulse = solution.bounded_impulses(own);
    if (solution.has_two_phases()) record.compression = solution.bounded_compression(own);
    record.velocity = velocity(own);
    record.mode = solution.bounded_modes[i];
    record_witnesses(solution, problem.num_contacts() + i, record);
  }
}

/// Records the efforts that are not zero [N or N m].
void record_efforts(CommandKind kind, const Eigen::VectorXd& efforts, RunRow& row) {
  for (Eigen::Index i = 0; i < efforts.size(); ++i) {
    if (efforts(i) == 0.0) continue;
    row.commands.push_back({.kind = kind, .index = static_cast<int>(i), .value = efforts(i)});
  }
}

/// Records a change of a property.
RunCommand record_of(const PropertyChange& change) {
  const auto& v = change.values;
  const int kind = static_cast<int>(CommandKind::FirstChange) + static_cast<int>(change.kind);
  return {.kind = static_cast<CommandKind>(kind),
          .index = change.index,
          .value = v[0],
          .rate = static_cast<double>(change.other),
          .force_W = {v[1], v[2], v[3]},
          .torque_W = {v[4], v[5], v[6]},
          .at_B = {v[7], 0.0, 0.0}};
}

/// Records all commands of a step: efforts, targets of servos, wrenches.
void record_commands(const Commands& commands, RunRow& row) {
  record_efforts(CommandKind::Effort, commands.effort, row);
  record_efforts(CommandKind::LoopEffort, commands.loop_effort, row);
  for (const TargetCommand& t : commands.targets) {
    row.commands.push_back(
        {.kind = CommandKind::Target, .index = t.servo, .value = t.target, .rate = t.target_rate});
  }
  for (const WrenchDrive& wrench : commands.wrenches) {
    row.commands.push_back({.kind = CommandKind::Wrench,
                            .index = wrench.body,
                            .force_W = wrench.force_W,
                            .torque_W = wrench.torque_W,
                            .at_B = wrench.at_B});
  }
  for (const PropertyChange& change : commands.changes) row.commands.push_back(record_of(change));
}

/// Returns the change that a command records.
PropertyChange change_of(const RunCommand& command) {
  const int kind = static_cast<int>(command.kind) - static_cast<int>(CommandKind::FirstChange);
  const Eigen::Vector3d &f = command.force_W, &t = command.torque_W;
  const bool has_index = command.rate >= -1.0 && command.rate <= 1e9;
  return {static_cast<PropertyKind>(kind),
          command.index,
          has_index ? static_cast<int>(command.rate) : -2,
          {command.value, f.x(), f.y(), f.z(), t.x(), t.y(), t.z(), command.at_B.x()}};
}

/// Adds a recorded effort to the commands. Throws if the system has no such coordinate.
void add_effort(const RunCommand& command, Eigen::VectorXd& efforts) {
  if (command.index < 0 || command.index >= efforts.size()) {
    throw std::invalid_argument("a commanded effort acts on coordinate " +
                                std::to_string(command.index) + ", which is not there");
  }
  efforts(command.index) = command.value;
}

}  // namespace

Commands commands_of(const System& system, const RunRow& row) {
  // The reverse of record_commands(); zero efforts were not recorded and stay zero.
  Commands commands = system.no_commands();
  for (const RunCommand& command : row.commands) {
    switch (command.kind) {
      case CommandKind::Effort:
        add_effort(command, commands.effort);
        break;
      case CommandKind::LoopEffort:
        add_effort(command, commands.loop_effort);
        break;
      case CommandKind::Target:
        commands.targets.push_back({command.index, command.value, command.rate});
        break;
      case CommandKind::Wrench:
        commands.wrenches.push_back(
            {command.index, command.force_W, command.torque_W, command.at_B});
        break;
      default:
        commands.changes.push_back(change_of(command));
    }
  }
  return commands;
}

RunRow make_run_row(const System& system, const StepReport& report) {
  SystemKinematics memory;
  RunRow row = make_row_of_scalars(report);
  record_vectors(system, report, memory, row);
  return row;
}

RunRow make_row_of_scalars(const StepReport& report) {
  const State& end = *report.end;
  RunRow row;
  row.time = end.time;
  row.time_start = report.start != nullptr ? report.start->time : end.time;
  row.step = report.step;
  row.step_count = end.step_count;
  row.start_was_set = report.start_was_set;
  row.closing_speed = report.closing_speed;
  row.coupled_damping = report.coupled_damping;
  // The solution, its certificate, and the energies [J].
  row.law_asked = report.law_asked;
  row.law = report.solution.law;
  if (!report.solution.has_polygons()) row.law.directions = 0;
  row.certificate = report.certificate;
  row.energy = report.energy;
  row.events = report.events;
  row.status = report.solution.status;
  row.iterations = report.solution.iterations;
  row.attempts = static_cast<int>(report.solution.attempts.size());
  row.step_time_s = report.step_time_s;
  row.solve_time_s = report.solve_time_s;
  // The initial report has no problem.
  if (report.start == nullptr) return row;
  row.num_contacts = static_cast<std::int32_t>(report.problem.num_contacts());
  return row;
}

void record_vectors(const System& system, const StepReport& report, SystemKinematics& memory,
                    RunRow& row) {
  const State& end = *report.end;
  const State& start = report.start != nullptr ? *report.start : end;
  // Vectors that a report leaves empty become zeros, so that every row is equally wide.
  const auto sized = [](const Eigen::VectorXd& v, Eigen::Index size) {
    return v.size() == size ? v : Eigen::VectorXd(Eigen::VectorXd::Zero(size));
  };
  row.q = end.q;
  row.v = end.v;
  row.q_start = start.q;
  row.v_start = start.v;
  // The initial report has no problem and no solution: its free velocity is the state's own.
  const bool is_step = report.start != nullptr;
  row.v_free = is_step ? report.problem.free_velocity : end.v;
  row.v_eval = sized(report.evaluation_velocity, end.v.size());
  row.v_coupled = sized(report.coupled_velocity, end.v.size());
  row.joint_impulse = sized(report.solution.joint_impulses, system.num_joint_rows());
  // Records of their own: commands, poses and bounded rows.
  record_commands(report.commands, row);
  record_bodies(system, end, memory, row);
  if (is_step) record_bounded_rows(report, row);
}

void record_contacts(const StepReport& report, RunRow& row) {
  const ContactProblem& problem = report.problem;
  const ContactSolution& solution = report.solution;
  if (problem.contacts.empty()) return;
  // u = J_C v + bias, after the step and without contact.
  const Eigen::VectorXd velocity = problem.contact_velocities(solution.velocity);
  const Eigen::VectorXd velocity_free = problem.contact_velocities(problem.free_velocity);
  row.contacts.resize(problem.num_contacts());
  for (std::size_t i = 0; i < problem.num_contacts(); ++i) {
    const Contact& contact = problem.contacts[i];
    const Eigen::Index first = ContactProblem::row(i);
    RunContact& record = row.contacts[i];
    // The contact as detection found it.
    record.body_a = contact.body_a;
    record.body_b = contact.body_b;
    record.key = contact.key;
    record.position_W = contact.position_W;
    record.normal_W = contact.normal_W;
    record.gap = contact.gap;
    record.friction = contact.friction;
    record.viscous_friction = contact.viscous_friction;
    record.restitution = contact.restitution;
    // The solution; a part before restitution exists under Poisson's law alone.
    record.law = solution.law_of(i);
    record.impulse = solution.impulses.segment<3>(first);
    if (solution.compression_impulses.size() > 0) {
      record.compression = solution.compression_impulses.segment<3>(first);
    }
    record.velocity = velocity.segment<3>(first);
    record.velocity_free = velocity_free.segment<3>(first);
    record.mode = solution.modes[i];
    record_witnesses(solution, i, record);
  }
}

}  // namespace amontons::io

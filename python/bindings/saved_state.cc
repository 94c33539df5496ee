#include "python/bindings/saved_state.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace amontons::python {
namespace {

bool is_same(const WrenchDrive& a, const WrenchDrive& b) {
  return a.body == b.body && a.force_W == b.force_W && a.torque_W == b.torque_W && a.at_B == b.at_B;
}

bool is_same(const TargetCommand& a, const TargetCommand& b) {
  return a.servo == b.servo && a.target == b.target && a.target_rate == b.target_rate;
}

/// Returns true if both give the same efforts, wrenches and targets.
bool are_same(const Commands& a, const Commands& b) {
  const auto same = [](const auto& one, const auto& other) { return is_same(one, other); };
  return a.effort == b.effort && a.loop_effort == b.loop_effort &&
         std::ranges::equal(a.wrenches, b.wrenches, same) &&
         std::ranges::equal(a.targets, b.targets, same);
}

/// Throws std::invalid_argument where commands name what the system lacks.
void require_fit(const System& system, const Commands& commands) {
  const auto has = [](int index, const auto& items) {
    return index >= 0 && index < static_cast<int>(items.size());
  };
  bool fits = commands.effort.size() == system.num_velocities() &&
              commands.loop_effort.size() == system.commands().loop_effort.size();
  for (const WrenchDrive& wrench : commands.wrenches)
    fits = fits && has(wrench.body, system.bodies());
  for (const TargetCommand& target : commands.targets)
    fits = fits && has(target.servo, system.servos());
  if (!fits) throw std::invalid_argument("restore: the state's commands are of another scene");
}

/// Returns the joint that a servo drives.
const std::string& joint_of(const System& system, const ServoDrive& servo) {
  const auto joint = std::ranges::find_if(system.joints(), [&](const JointCoordinate& own) {
    return servo.loop >= 0 ? own.loop == servo.loop
                           : own.loop < 0 && own.v_offset == servo.v_index && own.num_v > 0;
  });
  if (joint == system.joints().end()) throw std::invalid_argument("restore: a servo has no joint");
  return joint->name;
}

/// Gives commands to a simulator that has none.
void give(Simulator& simulator, const Commands& commands) {
  const System& system = simulator.system();
  simulator.set_efforts(commands.effort);
  for (const JointCoordinate& joint : system.joints()) {
    if (joint.loop >= 0) simulator.set_effort(joint.name, commands.loop_effort[joint.loop]);
  }
  for (const WrenchDrive& wrench : commands.wrenches) {
    const Body& body = system.bodies()[static_cast<std::size_t>(wrench.body)];
    simulator.set_wrench(body.name, wrench.force_W, wrench.torque_W, wrench.at_B);
  }
  for (const TargetCommand& command : commands.targets) {
    const ServoDrive& servo = system.servos()[static_cast<std::size_t>(command.servo)];
    simulator.set_servo_target(joint_of(system, servo), command.target, command.target_rate);
  }
}

}  // namespace

SavedState save(const Simulator& simulator) {
  SavedState saved{simulator.state(), simulator.system().commands()};
  saved.commands.changes.clear();
  return saved;
}

bool has_commands(const SavedState& saved) {
  const Commands& commands = saved.commands;
  return !commands.effort.isZero(0.0) || !commands.loop_effort.isZero(0.0) ||
         !commands.wrenches.empty() || !commands.targets.empty();
}

void end_commands(Simulator& simulator) {
  Commands none = simulator.system().no_commands();
  none.changes.clear();
  restore(simulator, {simulator.state(), std::move(none)});
}

void restore(Simulator& simulator, const SavedState& saved) {
  require_fit(simulator.system(), saved.commands);
  simulator.set_state(saved.state);
  if (are_same(simulator.system().commands(), saved.commands)) return;
  // Only reset() returns servos to the targets of the scene.
  simulator.reset();
  simulator.set_state(saved.state);
  give(simulator, saved.commands);
}

}  // namespace amontons::python

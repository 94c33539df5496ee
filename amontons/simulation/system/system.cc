#include "amontons/simulation/system/system.h"

#include "amontons/simulation/system/system_builder.h"

#include <algorithm>
#include <stdexcept>

namespace amontons {

// The builder fills the private members in the order of their dependence.
System::System(const Scene& scene) { SystemBuilder(scene, *this).build(); }

double MuscleDrive::activation(double time) const {
  return commanded ? muscle_activation(law.times, *commanded, time) : activation_of(law, time);
}

double MuscleDrive::mean_activation(double from, double to) const {
  return commanded ? mean_muscle_activation(law.times, *commanded, from, to)
                   : mean_activation_of(law, from, to);
}

void System::set_muscle_control(int muscle, double control, double time) {
  PropertyChange change{PropertyKind::MuscleControl, muscle, -1, {}};
  check_change(change);
  const MuscleDrive& own = muscles_[static_cast<std::size_t>(muscle)];
  change.values = {clamped_control(own.law, control), time, own.activation(time)};
  std::vector<PropertyChange>& changes = commands_.changes;
  const auto before = std::find_if(
      changes.begin(), changes.end(),
      [&change](const PropertyChange& other) { return other.is_same_property(change); });
  if (before == changes.end()) {
    changes.push_back(change);
  } else {
    *before = change;
  }
  apply_change(change);
}

void System::set_servo_target(int servo, double target, double target_rate) {
  if (servo < 0 || servo >= static_cast<int>(servos_.size())) {
    throw std::invalid_argument("there is no servo " + std::to_string(servo));
  }
  ServoDrive& drive = servos_[static_cast<std::size_t>(servo)];
  std::vector<TargetCommand>& targets = commands_.targets;
  // The scene's target is kept on the first command, for its return.
  const auto own = std::find_if(targets.begin(), targets.end(),
                                [servo](const TargetCommand& t) { return t.servo == servo; });
  if (own == targets.end()) {
    replaced_targets_.push_back({servo, drive.target, drive.target_rate});
    targets.push_back({servo, target, target_rate});
  } else {
    *own = {servo, target, target_rate};
  }
  drive.target = target;
  drive.target_rate = target_rate;
}

Commands System::no_commands() const {
  const auto num_loops = static_cast<Eigen::Index>(loop_coordinates_.size());
  return {Eigen::VectorXd::Zero(nv_), Eigen::VectorXd::Zero(num_loops), {}, {}, {}};
}

void System::set_commands(const Commands& commands) {
  // Efforts and wrenches are checked ahead of any change.
  if (commands.effort.size() != nv_) {
    throw std::invalid_argument("commanded efforts must have " + std::to_string(nv_) + " entries");
  }
  if (commands.loop_effort.size() != commands_.loop_effort.size()) {
    throw std::invalid_argument("commanded efforts along joints that are rows of J must have " +
                                std::to_string(commands_.loop_effort.size()) + " entries");
  }
  for (const WrenchDrive& wrench : commands.wrenches) {
    if (wrench.body < 0 || wrench.body >= static_cast<int>(bodies_.size()) ||
        bodies_[static_cast<std::size_t>(wrench.body)].articulation < 0) {
      throw std::invalid_argument("a wrench acts on body " + std::to_string(wrench.body) +
                                  ", which is not there or fixed");
    }
  }
  if (commands.changes != commands_.changes) set_changes(commands.changes);
  // Servos return to the scene's targets; commanded ones follow below.
  for (const TargetCommand& scene : replaced_targets_) {
    ServoDrive& drive = servos_[static_cast<std::size_t>(scene.servo)];
    drive.target = scene.target;
    drive.target_rate = scene.target_rate;
  }
  replaced_targets_.clear();
  commands_.effort = commands.effort;
  commands_.loop_effort = commands.loop_effort;
  commands_.wrenches = commands.wrenches;
  commands_.targets.clear();
  for (const TargetCommand& t : commands.targets)
    set_servo_target(t.servo, t.target, t.target_rate);
}

namespace {

/// Returns true if the activation of a muscle may change without a command.
bool changes_activation(const MuscleDrive& muscle) {
  const auto is_constant = [](const MuscleControl& own) { return own.control == own.activation; };
  if (muscle.commanded) return !is_constant(*muscle.commanded);
  const std::vector<MuscleControl>& controls = muscle.law.controls;
  return muscle.law.table || controls.size() != 1 || !is_constant(controls.front());
}

}  // namespace

bool System::depends_on_time() const {
  const auto any = [](const auto& drives, const auto& is_given_over_time) {
    return std::any_of(drives.begin(), drives.end(), is_given_over_time);
  };
  // Prescribed motions and all drives given as tables.
  return !motions_.empty() || !prescribed_.empty() ||
         any(servos_, [](const ServoDrive& servo) { return servo.trajectory.has_value(); }) ||
         any(efforts_, [](const EffortDrive& effort) { return effort.table.has_value(); }) ||
         any(muscles_, changes_activation) ||
         any(wrenches_, [](const WrenchDrive& wrench) { return !wrench.table.empty(); });
}

int System::articulation_of(int v_index) const {
  // Articulations have ascending offsets and at least one rate each.
  return static_cast<int>(std::upper_bound(v_offset_.begin(), v_offset_.end(), v_index) -
                          v_offset_.begin()) -
         1;
}

// A table by material, so that contacts need no rule.
PairProperties System::pair_properties(int shape_a, int shape_b) const {
  const auto material = [this](int shape) {
    return static_cast<std::size_t>(shapes_[static_cast<std::size_t>(shape)].material);
  };
  return pair_properties_[material(shape_a)][material(shape_b)];
}

int System::find_body(std::string_view name) const {
  const auto it = std::find_if(bodies_.begin(), bodies_.end(),
                               [name](const Body& body) { return body.name == name; });
  return it == bodies_.end() ? -1 : static_cast<int>(it - bodies_.begin());
}

int System::find_frame(std::string_view name) const {
  const auto it = std::find_if(frames_.begin(), frames_.end(),
                               [name](const SystemFrame& frame) { return frame.name == name; });
  return it == frames_.end() ? -1 : static_cast<int>(it - frames_.begin());
}

int System::find_muscle(std::string_view name) const {
  const auto it = std::find_if(muscles_.begin(), muscles_.end(),
                               [&](const MuscleDrive& muscle) { return muscle.law.name == name; });
  return it == muscles_.end() ? -1 : static_cast<int>(it - muscles_.begin());
}

int System::find_joint(std::string_view name) const {
  const auto it = std::find_if(joints_.begin(), joints_.end(),
                               [name](const JointCoordinate& joint) { return joint.name == name; });
  return it == joints_.end() ? -1 : static_cast<int>(it - joints_.begin());
}

}  // namespace amontons

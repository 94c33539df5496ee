#include "amontons/io/common/fail_at.h"
#include "amontons/io/mjcf/actuators/mjcf_actuator_law.h"
#include "amontons/io/mjcf/actuators/mjcf_shared_limits.h"
#include "amontons/io/mjcf/actuators/mjcf_transmission.h"
#include "amontons/io/mjcf/actuators/mjcf_wrenches.h"
#include "amontons/io/mjcf/mjcf_reader.h"
#include "amontons/io/mjcf/mjcf_reference.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

// <actuator>: on what the forces act, at the controls of the start.

namespace amontons::io {
namespace {

using tinyxml2::XMLElement;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Returns a signal as a table, of one instant where it is constant.
Trajectory table_of(const MjcfSignal& signal) {
  return signal.trajectory().value_or(Trajectory({0.0}, {signal.start}, Interpolation::Linear));
}

/// Reads the actuators of a file, in the order of ctrl.
class ActuatorReader {
 public:
  explicit ActuatorReader(MjcfReader& reader) : reader_(reader) {}

  void run() {
    const MjcfDocument& document = reader_.file.document;
    std::size_t index = 0;
    for (const XMLElement* section : document.children(document.root(), "actuator")) {
      reader_.element(*section, "");
      for (const XMLElement* xml : document.children(*section)) {
        reader_.faults.attempt([&] { read(reader_.element(*xml, MjcfDefaults::kMain), index++); });
      }
    }
    shared_limits_.note(reader_);
    if (!reader_.act.empty() && next_act_ > 0 && reader_.act.size() != next_act_) {
      fail_at(reader_.act_place, "the keyframe's act must be " + std::to_string(next_act_) +
                                     " number(s), one for each actuator with an activation");
    }
  }

 private:
  /// Reads an actuator, or says why it is left out.
  void read(const MjcfElement& element, std::size_t index) {
    if (!reader_.flags.actuation) {
      element.leave_out(ImportFate::Ignored, "actuators are switched off");
      keep(element, std::nullopt, MjcfSignal{});
      return;
    }
    check_mjcf_transmission(element);
    if (reader_.leaves_out(element, ImportFate::Refused)) {
      next_act_ += read_mjcf_actuator_form(element).num_activations;
      return;
    }
    const bool on_joint = element.has("joint") || element.has("jointinparent");
    std::optional<MjcfLine> line;
    if (on_joint) line = mjcf_joint_line(reader_, element);
    if (!on_joint && element.has("tendon")) line = mjcf_tendon_line(reader_, element);
    const bool turns_site = element.has("refsite") && mjcf_turns(element);
    const bool on_slider = element.has("cranksite") || element.has("refsite");
    if (on_slider) {
      line = mjcf_slider_line(reader_, element);
      qpos0_.reset();  // it lacks the new tendon
    }
    const std::optional<MjcfActuatorLaw> law = read_mjcf_actuator_law(
        reader_, element, index, next_act_, line ? line->limits : std::nullopt);
    if (!law) return;
    // Activations of disabled actuators are counted, too: their states stay in the file's order.
    const std::vector<int>& disabled = reader_.disabled_groups;
    if (std::count(disabled.begin(), disabled.end(), element.integer("group", 0)) > 0) {
      element.note(ImportFate::Applied, "it exerts nothing: its group is switched off");
      keep(element, std::nullopt, MjcfSignal{});
      return;
    }
    if (on_joint && !line && !law->muscle && (law->rate != 0.0 || law->dampratio)) {
      line = mjcf_free_line(reader_, element);
      qpos0_.reset();  // it lacks the new tendon
    }
    if (turns_site && !law->muscle) turn_site(element, *law, line);
    if (line) shared_limits_.count(reader_, *line);
    if (line && law->muscle) {
      contract(element, *line, *law);
    } else if (line) {
      drive(element, *line, *law);
    } else if (law->muscle) {
      element.leave_out(
          ImportFate::Refused,
          "it exerts nothing: muscles act on joints of one coordinate and on tendons");
    } else if (on_joint) {
      push_joint(element, *law);
    } else if (element.has("site") && !on_slider) {
      push_site(element, *law);
    } else if (on_slider) {
      keep(element, std::nullopt, MjcfSignal{});  // it has its note
    } else {
      note_other_mjcf_transmission(element);
    }
  }

  /// Keeps an actuator that is modeled, for sensors.
  /// @param force  over time, of one that has no drive along a line.
  void keep(const MjcfElement& element, const std::optional<MjcfLine>& line,
            const std::optional<MjcfSignal>& force) {
    MjcfActuator actuator;
    if (line) {
      actuator.line = line->name;
      actuator.gear = line->gear;
      actuator.has_length = line->has_length;
    }
    if (force) actuator.signal = table_of(*force);
    actuator.is_first = line && !force && shared_limits_.num_along(line->name) == 1;
    reader_.actuators.emplace(element.text("name"), std::move(actuator));
  }

  /// Returns the bounds of an actuator's force, infinite ones where it has none.
  std::array<double, 2> force_range(const MjcfElement& element) const {
    return mjcf_range(reader_, element, "force").value_or(std::array{-kInfinity, kInfinity});
  }

  /// Returns the force of an actuator without feedback, within its bounds.
  MjcfSignal bounded_force(const MjcfElement& element, const MjcfActuatorLaw& law) const {
    const std::array<double, 2> force = force_range(element);
    return law.offset.mapped(1.0, 0.0, force[0], force[1]);
  }

  /// Adds the servo or effort of an actuator along a joint or tendon.
  void drive(const MjcfElement& element, const MjcfLine& line, const MjcfActuatorLaw& law) {
    // With length = gear q and effort = gear force, feedback scales with the gear squared.
    const double gear = line.gear;
    const double kp = line.has_length ? -law.position * gear * gear : 0.0;
    double kd = -law.rate * gear * gear;
    if (law.dampratio) {
      kd = gear * gear * 2.0 * *law.dampratio * std::sqrt(-law.position * reflected(line, gear));
    }
    if (kp < 0.0 || kd < 0.0) {
      element.leave_out(ImportFate::Refused,
                        "it exerts nothing: its feedback drives away from the target");
      return;
    }
    const std::array<double, 2> force = force_range(element);
    // Without feedback the effort is known, within the limits of the force and of the joint.
    if (kp == 0.0 && kd == 0.0) {
      const MjcfSignal pushed = bounded_force(element, law);
      add_effort(element, line.name,
                 pushed.mapped(gear, 0.0, line.effort.least, line.effort.largest));
      keep(element, line, std::nullopt);
      return;
    }
    JointServo servo;
    servo.joint = line.name;
    servo.actuator = element.text("name");
    servo.kp = kp;
    servo.kd = kd;
    servo.where = element.where();
    // The bounds of a servo have 0 between them: clamp(f, a, b) = c + clamp(f - c, a - c, b - c).
    const auto [low, high] = std::minmax({gear * force[0], gear * force[1]});
    const double least = std::clamp(low, line.effort.least, line.effort.largest);
    const double largest = std::clamp(high, line.effort.least, line.effort.largest);
    const double shift = std::clamp(0.0, least, largest);
    if (shift != 0.0) add_effort(element, line.name, {shift});
    servo.effort = {least - shift, largest - shift};
    aim(element, law.offset.mapped(1.0, -shift / gear, -kInfinity, kInfinity), gear, servo);
    reader_.model.servos.push_back(std::move(servo));
    keep(element, line, std::nullopt);
  }

  /// Gives a servo the targets at which it exerts gear times a force, less its feedback: gear force
  /// - kp q - kd rate = kp (target - q) + kd (target_rate - rate).
  void aim(const MjcfElement& element, const MjcfSignal& force, double gear, JointServo& servo) {
    const double factor = gear / (servo.kp > 0.0 ? servo.kp : servo.kd);
    if (!std::isfinite(factor) || !std::isfinite(servo.kp) || !std::isfinite(servo.kd)) {
      element.fail("its gains lead beyond the range of a number");
    }
    const MjcfSignal target = force.scaled(factor);
    (servo.kp > 0.0 ? servo.target : servo.target_rate) = target.start;
    servo.trajectory = target.trajectory();
    if (!force.varies() || servo.kp == 0.0 || servo.kd == 0.0) return;
    if (servo.effort.is_limited()) {
      element.note(ImportFate::Refused,
                   "while its activation changes, it damps the rate against that of its target: "
                   "its force has a limit");
      return;
    }
    // The rate of a trajectory would count as a target, too. The servo keeps its first target, and
    // an effort adds what the activation changes.
    servo.trajectory = Trajectory({0.0}, {target.start}, Interpolation::Linear);
    add_effort(element, servo.joint,
               force.mapped(gear, -gear * force.start, -kInfinity, kInfinity));
  }

  /// Adds a muscle along a joint or tendon.
  void contract(const MjcfElement& element, const MjcfLine& line, const MjcfActuatorLaw& law) {
    JointMuscle muscle;
    muscle.joint = line.name;
    muscle.gear = line.gear;
    muscle.actuator = element.text("name");
    muscle.where = element.where();
    const std::optional<std::array<double, 2>> lengths = lengths_of(element, line, muscle.gear);
    if (!lengths) return;
    double acceleration = 0.0;
    if (law.muscle->needs_acceleration()) {
      acceleration = std::abs(muscle.gear) * at_qpos0().acceleration(line.name);
    }
    muscle.muscle = law.muscle->on(*lengths, acceleration);
    muscle.name = element.text("name", "muscle_" + std::to_string(reader_.model.muscles.size()));
    while (!element.has("name") && reader_.gives("actuator", muscle.name)) muscle.name += "_";
    if (law.control) {
      muscle.times = law.control->times;
      muscle.control_range = law.control->range;
      set_controls(muscle, law.control->activation, {0.0}, {law.control->control});
    } else {
      muscle.table = table_of(law.offset);
    }
    muscle.effort = line.effort;
    const std::array<double, 2> force = force_range(element);
    muscle.least_force = force[0];
    muscle.largest_force = force[1];
    reader_.model.muscles.push_back(std::move(muscle));
    keep(element, line, std::nullopt);
  }

  /// Returns the range of a muscle's length: as given, else between the limits of what it acts on.
  std::optional<std::array<double, 2>> lengths_of(const MjcfElement& element, const MjcfLine& line,
                                                  double gear) const {
    const std::vector<double> given = element.numbers("lengthrange", 2, 2);
    if (!given.empty() && given[0] < given[1]) return std::array<double, 2>{given[0], given[1]};
    // Two equal numbers are the way of the format to give none.
    const bool is_reversed = !given.empty() && given[0] > given[1];
    const std::string fault = is_reversed
                                  ? "its lengthrange has the larger number first and counts "
                                    "as not given"
                                  : "its lengthrange is not given";
    if (!line.limits || gear == 0.0) {
      element.leave_out(ImportFate::Refused,
                        "it exerts nothing: " + fault + ", and no limits imply one");
      return std::nullopt;
    }
    const std::string reason =
        fault + ": it is that between the limits; MuJoCo finds one by a simulation";
    if (is_reversed) element.note("lengthrange", ImportFate::Warning, reason);
    if (!is_reversed) element.note(ImportFate::Approximated, reason);
    const auto [least, largest] = std::minmax({gear * (*line.limits)[0], gear * (*line.limits)[1]});
    return std::array<double, 2>{least, largest};
  }

  void add_effort(const MjcfElement& element, const std::string& joint, const MjcfSignal& effort) {
    if (effort.start == 0.0 && !effort.varies()) {
      element.note(ImportFate::Applied, "at its control it exerts nothing");
      return;
    }
    reader_.model.efforts.push_back(
        {joint, effort.start, element.where(), effort.trajectory(), element.text("name")});
  }

  const MjcfReference& at_qpos0() {
    if (!qpos0_) qpos0_.emplace(reader_, MjcfConfiguration::Qpos0);
    return *qpos0_;
  }

  /// Returns the inertia that an actuator moves at qpos0, seen from its side of the gear.
  double reflected(const MjcfLine& line, double gear) {
    if (line.is_path) return at_qpos0().reflected_inertia(line.name) / (gear * gear);
    if (inertia_.v_index.empty()) inertia_ = compute_mjcf_inertia_at_qpos0(reader_);
    double sum = 0.0;
    for (const auto& [joint, coefficient] : line.joints) {
      const double change = gear * coefficient;
      if (change != 0.0) sum += inertia_.own(joint) / (change * change);
    }
    return sum;
  }

  /// Returns the force of an actuator on something whose length does not change, or nothing if it
  /// depends on its rate.
  std::optional<MjcfSignal> force_alone(const MjcfElement& element, const MjcfActuatorLaw& law) {
    if (law.rate != 0.0 || law.dampratio) {
      element.leave_out(
          ImportFate::Refused,
          "it exerts nothing: feedback acts on joints of one coordinate and tendons only");
      return std::nullopt;
    }
    return bounded_force(element, law);
  }

  /// Adds the wrench of an actuator on a site, whose axes turn with the body.
  void push_site(const MjcfElement& element, const MjcfActuatorLaw& law) {
    const ModelFrame& site = reader_.find_site(element, "site");
    if (is_fixed_mjcf_link(reader_, site.link)) {
      element.note(ImportFate::Applied, "it moves nothing: its site is fixed to the world");
      return;
    }
    const std::optional<MjcfSignal> force = force_alone(element, law);
    if (!force) return;
    keep(element, std::nullopt, force);
    add_mjcf_site_wrench(reader_, element, *force);
  }

  /// Adds the torques of an actuator on a site with a reference.
  /// @param line  along which it pushes besides.
  void turn_site(const MjcfElement& element, const MjcfActuatorLaw& law,
                 const std::optional<MjcfLine>& line) {
    if (law.position != 0.0 || law.rate != 0.0 || law.dampratio) {
      const char* reason = "it exerts no torque: against a reference site it has no feedback here";
      if (line) element.note(ImportFate::Refused, reason);
      if (!line) element.leave_out(ImportFate::Refused, reason);
      return;
    }
    const MjcfSignal force = bounded_force(element, law);
    if (!line) keep(element, std::nullopt, force);
    add_mjcf_site_torques(reader_, element, force);
  }

  /// Adds the wrenches of an actuator on a joint of several coordinates, a ball or a free joint.
  void push_joint(const MjcfElement& element, const MjcfActuatorLaw& law) {
    const MjcfJoint& record =
        reader_.find_joint(element, element.has("joint") ? "joint" : "jointinparent");
    const bool is_free = reader_.joint_of(record).type == JointType::Free;
    std::optional<MjcfSignal> force;
    if (!is_free && law.position != 0.0) {
      element.leave_out(ImportFate::Refused,
                        "it exerts nothing: a ball joint has no feedback here");
    } else {
      force = force_alone(element, law);
    }
    if (!force) return;
    keep(element, std::nullopt, force);
    add_mjcf_joint_wrench(reader_, element, *force);
  }

  MjcfReader& reader_;
  std::size_t next_act_ = 0;
  MjcfSharedLimits shared_limits_;
  MjcfInertiaAtQpos0 inertia_;
  std::optional<MjcfReference> qpos0_;  // where the strength or damping of an actuator needs it
};

}  // namespace

void read_mjcf_actuators(MjcfReader& reader) { ActuatorReader(reader).run(); }

}  // namespace amontons::io

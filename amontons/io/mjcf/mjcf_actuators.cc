#include "amontons/io/common/parse_number.h"
#include "amontons/io/mjcf/mjcf_reader.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

// <actuator>: servos and efforts, at the controls of the start.

namespace amontons::io {
namespace {

using tinyxml2::XMLElement;

/// Holds the law force = gain ctrl + bias[0] + bias[1] length + bias[2] rate of the length.
struct Law {
  double gain = 1.0;
  std::array<double, 3> bias{};
};

/// Reads one actuator.
class ActuatorReader {
 public:
  ActuatorReader(MjcfReader& reader, const MjcfElement& element, std::size_t index)
      : reader_(reader), element_(element), index_(index) {}

  /// Reads the actuator as a servo or an effort, or says why it is left out.
  void run() {
    if (!reader_.flags.actuation) {
      element_.note(ImportFate::Ignored, "actuators are switched off");
      return;
    }
    const std::optional<Law> law = read_law();
    if (!law) return;
    const double ctrl = control();
    // Tendons, sites and bodies as transmissions are not modeled.
    if (!element_.has("joint") && !element_.has("jointinparent")) {
      note_other_transmission(*law, ctrl);
      return;
    }
    const std::string attribute = element_.has("joint") ? "joint" : "jointinparent";
    const MjcfJoint& joint = reader_.find_joint(element_, attribute);
    if (num_velocities(reader_.joint_of(joint).type) != 1) {
      note_idle_or_refused(*law, ctrl, "it acts on joints of one coordinate only");
      return;
    }
    // The first number of gear is that of a joint of one coordinate.
    const std::vector<double> gear = element_.numbers("gear", 1, 6);
    drive(joint, *law, ctrl, gear.empty() ? 1.0 : gear[0]);
  }

 private:
  /// Returns its control at the start, clamped to its range.
  double control() const {
    double ctrl = index_ < reader_.ctrl.size() ? reader_.ctrl[index_] : 0.0;
    if (const auto range = limited_range("ctrl")) ctrl = std::clamp(ctrl, (*range)[0], (*range)[1]);
    return ctrl;
  }

  /// Returns a range of two numbers, or nothing if it does not limit.
  std::optional<std::array<double, 2>> limited_range(const std::string& what) const {
    const std::vector<double> range = element_.numbers(what + "range", 2, 2);
    const std::optional<bool> said = element_.flag(what + "limited");
    // Without the flag, a range alone limits, unless autolimits is off.
    if (!said.value_or(reader_.compiler.autolimits && !range.empty())) return std::nullopt;
    if (range.empty() || !(range[0] < range[1])) {
      element_.fail(what + "range", "must be two numbers, the smaller one first");
    }
    return std::array<double, 2>{range[0], range[1]};
  }

  /// Returns the law of the actuator's kind, or nothing if it exerts nothing.
  std::optional<Law> read_law() {
    const std::string tag = element_.tag();
    if (tag == "motor") return Law{};
    // force = kp (ctrl - length) - kv rate
    if (tag == "position") {
      const double kp = element_.number("kp", 1.0), kv = element_.number("kv", 0.0);
      if (element_.number("dampratio", 0.0) != 0.0) {
        element_.note("dampratio", ImportFate::Refused,
                      "it does not damp: write kv, in N s/m or N m s/rad");
      }
      if (element_.number("timeconst", 0.0) != 0.0) return refuse_dynamics("timeconst");
      return Law{kp, {0.0, -kp, -kv}};
    }
    // force = kv (ctrl - rate)
    if (tag == "velocity") {
      const double kv = element_.number("kv", 1.0);
      return Law{kv, {0.0, 0.0, -kv}};
    }
    if (tag == "damper") {  // its force is -kv ctrl times the rate
      const double kv = element_.number("kv", 1.0);
      return Law{0.0, {0.0, 0.0, -kv * control()}};
    }
    if (tag == "general") return read_general();
    element_.note(ImportFate::Refused, "it exerts nothing: actuators of this kind are not modeled");
    return std::nullopt;
  }

  /// Notes that an actuator with internal dynamics exerts nothing.
  std::optional<Law> refuse_dynamics(const std::string& attribute) {
    element_.note(attribute, ImportFate::Refused, "actuators have no dynamics of their own here");
    element_.note(ImportFate::Refused, "it exerts nothing: it has dynamics of its own");
    return std::nullopt;
  }

  /// Returns the law of <general>, from its gain and bias types.
  std::optional<Law> read_general() {
    if (element_.text("dyntype", "none") != "none") return refuse_dynamics("dyntype");
    const std::string gain = element_.text("gaintype", "fixed");
    const std::string bias = element_.text("biastype", "none");
    if (gain != "fixed" || (bias != "none" && bias != "affine")) {
      element_.note(ImportFate::Refused,
                    "it exerts nothing: its gain must be fixed and its bias affine");
      return std::nullopt;
    }
    Law law;
    const std::vector<double> gains = element_.numbers("gainprm", 1, 10);
    if (!gains.empty()) law.gain = gains[0];
    // Missing numbers of an affine bias are zero.
    if (bias == "none") return law;
    const std::vector<double> biases = element_.numbers("biasprm", 1, 10);
    for (std::size_t i = 0; i < std::min<std::size_t>(3, biases.size()); ++i) {
      law.bias[i] = biases[i];
    }
    return law;
  }

  /// Returns true if the law gives no force at any state.
  static bool is_idle(const Law& law, double ctrl) {
    return law.gain * ctrl + law.bias[0] == 0.0 && law.bias[1] == 0.0 && law.bias[2] == 0.0;
  }

  /// Notes an actuator on something else than a joint.
  void note_other_transmission(const Law& law, double ctrl) {
    bool named = false;
    for (const char* target : {"tendon", "site", "body", "cranksite"}) {
      if (!element_.has(target)) continue;
      named = true;
      element_.text(target);
    }
    if (!named) element_.fail("needs the attribute 'joint'");
    note_idle_or_refused(law, ctrl, "it acts on joints only");
  }

  /// Notes an actuator that cannot act: ignored if it would exert nothing, refused otherwise.
  void note_idle_or_refused(const Law& law, double ctrl, const std::string& reason) {
    if (is_idle(law, ctrl)) {
      element_.note(ImportFate::Ignored, "at its control it exerts nothing (" + reason + ")");
    } else {
      element_.note(ImportFate::Refused, "it exerts nothing: " + reason);
    }
  }

  /// Adds the servo or effort of an actuator on a joint.
  void drive(const MjcfJoint& joint, const Law& law, double ctrl, double gear) {
    // With length = gear q and effort = gear force, feedback scales with the gear squared.
    const double kp = -law.bias[1] * gear * gear, kd = -law.bias[2] * gear * gear;
    double effort = gear * (law.gain * ctrl + law.bias[0]);
    if (kp < 0.0 || kd < 0.0) {
      element_.note(ImportFate::Refused,
                    "it exerts nothing: its feedback drives away from the "
                    "target");
      return;
    }
    const double limit = effort_limit(joint, gear);
    // Without feedback the effort is constant.
    if (kp == 0.0 && kd == 0.0) {
      effort = std::clamp(effort, -limit, limit);
      if (effort == 0.0) {
        element_.note(ImportFate::Applied, "at its control it exerts nothing");
      } else {
        reader_.model.efforts.push_back({joint.name, effort, element_.where()});
      }
      return;
    }
    JointServo servo;
    servo.joint = joint.name;
    servo.kp = kp;
    servo.kd = kd;
    servo.effort_limit = limit;
    servo.where = element_.where();
    // kp (target - q) + kd (target_rate - rate) = effort - kp q - kd rate.
    if (kp > 0.0) {
      servo.target = effort / kp;
    } else {
      servo.target_rate = effort / kd;
    }
    reader_.model.servos.push_back(std::move(servo));
  }

  /// Returns the limit of the effort: forcerange times gear, or that of the joint if it is less.
  double effort_limit(const MjcfJoint& joint, double gear) const {
    double limit = std::numeric_limits<double>::infinity();
    if (const auto range = limited_range("force")) {
      limit = std::abs(gear) * std::min(std::abs((*range)[0]), std::abs((*range)[1]));
      if ((*range)[0] != -(*range)[1]) {
        element_.note("forcerange", ImportFate::Approximated,
                      "the same limit both ways: the smaller of the two");
      }
    }
    return std::min(limit, reader_.joint_of(joint).dynamics.effort_limit.value_or(limit));
  }

  MjcfReader& reader_;
  const MjcfElement& element_;
  std::size_t index_;
};

}  // namespace

void read_mjcf_actuators(MjcfReader& reader) {
  // Actuators are numbered over all sections, in the order of ctrl.
  const MjcfDocument& document = reader.file.document;
  std::size_t index = 0;
  for (const XMLElement* section : document.children(document.root(), "actuator")) {
    reader.element(*section, "");
    for (const XMLElement* xml : document.children(*section)) {
      const MjcfElement element = reader.element(*xml, MjcfDefaults::kMain);
      ActuatorReader(reader, element, index++).run();
    }
  }
}

}  // namespace amontons::io

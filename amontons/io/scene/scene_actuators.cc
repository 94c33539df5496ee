#include "amontons/io/common/fail_at.h"
#include "amontons/io/common/parse_number.h"
#include "amontons/io/scene/scene_reader.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

namespace amontons::io {
namespace {

/// Holds the full name of a joint or tendon (that of a model as model/joint) and what actuators ask
/// about it.
struct NamedJoint {
  std::string name;
  bool scalar = false;  ///< has one coordinate
  std::optional<std::array<double, 2>> limits = {};
};

/// Returns the joints of the scene and the joints and tendons of its models.
std::vector<NamedJoint> list_joints(const Scene& scene) {
  std::vector<NamedJoint> joints;
  for (const SceneJoint& joint : scene.joints) {
    joints.push_back({joint.name, num_velocities(joint.type) == 1, joint.dynamics.limits});
  }
  for (const SceneModel& model : scene.models) {
    for (const ModelJoint& joint : model.joints) {
      joints.push_back(
          {model.name + "/" + joint.name, num_velocities(joint.type) == 1, joint.dynamics.limits});
    }
    for (const ModelTendon& tendon : model.tendons) {
      joints.push_back({model.name + "/" + tendon.name, true, tendon.dynamics.limits});
    }
  }
  return joints;
}

}  // namespace

std::string read_scalar_joint(const SceneReader& reader, const YamlValue& value,
                              const std::string& what) {
  // Unknown names are refused with the nearest name.
  const std::vector<NamedJoint> joints = list_joints(reader.scene);
  std::vector<std::string> names;
  for (const NamedJoint& joint : joints) names.push_back(joint.name);
  std::string name = read_name(value, what, names);
  const auto joint = std::find_if(joints.begin(), joints.end(),
                                  [&](const NamedJoint& other) { return other.name == name; });
  // An actuator or coupling acts along one coordinate.
  if (!joint->scalar) {
    fail_at(value.where, "joint '" + name + "' has no single coordinate: it is not " +
                             "revolute, continuous, prismatic or screw");
  }
  return name;
}

namespace {

/// Returns the bounds of a servo's effort: a limit both ways, or the least and the largest one;
/// none where they are not given.
EffortRange read_effort_range(const MapReader& servo) {
  const YamlValue* value = servo.find("effort");
  if (value == nullptr) return {};
  const std::string what = servo.name_of("effort");
  if (value->kind != YamlValue::Kind::Sequence) {
    return EffortRange::symmetric(read_positive(*value, what));
  }
  const std::vector<double> range = read_numbers(*value, what, 2);
  if (!(range[0] <= 0.0 && range[1] >= 0.0 && range[0] < range[1])) {
    fail_at(value->where, what + " must be [least, largest] with 0 between them");
  }
  return {range[0], range[1]};
}

/// Reads the trajectory that may replace the number `target`; returns nothing where the number is
/// given.
std::optional<Trajectory> read_target_trajectory(SceneReader& reader, const MapReader& map,
                                                 const std::string& joint) {
  if (map.has("target") == map.has("trajectory")) {
    fail_at(map.where(), map.what() + " needs either 'target' or 'trajectory'");
  }
  refuse_keys_of_file(map, "trajectory");
  if (!map.has("trajectory")) return std::nullopt;
  return read_trajectory(reader, map, "trajectory", joint, Interpolation::Cubic);
}

/// Reads a servo of the position: effort = kp (target - q) + kd (target rate - v), within its
/// limit.
void read_position_servo(SceneReader& reader, const YamlValue& value, JointServo servo) {
  const MapReader map(value, "position of the actuator of joint '" + servo.joint + "'",
                      scene_map("position servo"));
  servo.trajectory = read_target_trajectory(reader, map, servo.joint);
  servo.target = map.number("target", 0.0);
  servo.kp = read_positive(map.required("kp"), map.name_of("kp"));
  if (const YamlValue* v = map.find("kd")) servo.kd = read_non_negative(*v, map.name_of("kd"));
  servo.effort = read_effort_range(map);
  reader.scene.servos.push_back(std::move(servo));
}

/// Reads a servo of the rate: effort = kd (target rate - v), within its limit.
void read_velocity_servo(SceneReader& reader, const YamlValue& value, JointServo servo) {
  const MapReader map(value, "velocity of the actuator of joint '" + servo.joint + "'",
                      scene_map("velocity servo"));
  servo.trajectory = read_target_trajectory(reader, map, servo.joint);
  servo.target_rate = map.number("target", 0.0);
  servo.kd = read_positive(map.required("kd"), map.name_of("kd"));
  servo.effort = read_effort_range(map);
  reader.scene.servos.push_back(std::move(servo));
}

/// Reads an effort [N or N m]: a number, or a table over time.
void read_effort(SceneReader& reader, const YamlValue& value, JointEffort effort) {
  const std::string what = "effort of the actuator of joint '" + effort.joint + "'";
  if (value.kind == YamlValue::Kind::Map) {
    const MapReader map(value, what, scene_map("effort over time"));
    map.required("table");
    effort.table = read_trajectory(reader, map, "table", effort.joint, Interpolation::Linear);
  } else {
    effort.effort = read_number(value, what);
  }
  reader.scene.efforts.push_back(std::move(effort));
}

/// Refuses a motion whose range [least, largest] leaves the limits of its joint [m or rad]. Motion
/// and limit would both be rows of J that contradict each other.
void require_within_limits(const SceneReader& reader, const JointMotion& motion, double least,
                           double largest) {
  for (const NamedJoint& joint : list_joints(reader.scene)) {
    if (joint.name != motion.joint || !joint.limits) continue;
    const auto [lower, upper] = *joint.limits;
    if (least >= lower && largest <= upper) continue;
    fail_at(motion.where, "the motion of joint '" + joint.name + "' spans [" +
                              shortest_text(least) + ", " + shortest_text(largest) +
                              "], beyond its limits [" + shortest_text(lower) + ", " +
                              shortest_text(upper) + "]");
  }
}

/// Reads a prescribed motion of a joint: a sinusoid, or a trajectory from a file.
void read_joint_motion(SceneReader& reader, const YamlValue& value, JointMotion motion) {
  const std::string what = "motion of joint '" + motion.joint + "'";
  const MapReader map(value, what, scene_map("motion of a joint"));
  if (map.has("sinusoid") == map.has("trajectory")) {
    fail_at(value.where, what + " needs either 'sinusoid' or 'trajectory'");
  }
  refuse_keys_of_file(map, "trajectory");
  // The motion sets the initial rate, so that a second one would contradict it.
  for (const SceneJoint& joint : reader.scene.joints) {
    if (joint.name != motion.joint) continue;
    if (joint.rate != 0.0) {
      fail_at(value.where, what + " gives the rate at the start; remove 'rate' of the joint");
    }
    const auto moves = [&joint](const SceneBody& body) {
      return body.name == joint.child &&
             !(body.linear_velocity.isZero(0.0) && body.angular_velocity.isZero(0.0));
    };
    if (joint.coordinates == Coordinates::Reduced &&
        std::any_of(reader.scene.bodies.begin(), reader.scene.bodies.end(), moves)) {
      fail_at(value.where, what + " gives the rate at the start; remove 'velocity' of body '" +
                               joint.child + "'");
    }
  }
  if (map.has("trajectory")) {
    // An interpolated trajectory knows its own range.
    motion.trajectory =
        read_trajectory(reader, map, "trajectory", motion.joint, Interpolation::Cubic);
    require_within_limits(reader, motion, motion.trajectory->least(), motion.trajectory->largest());
  } else {
    // q(t) = offset + amplitude sin(2 pi t/period) lies within offset +- |amplitude|.
    const MapReader sinusoid(map.required("sinusoid"), "sinusoid of the " + what,
                             scene_map("sinusoid of a joint"));
    motion.amplitude = read_number(sinusoid.required("amplitude"), sinusoid.name_of("amplitude"));
    motion.period = read_positive(sinusoid.required("period"), sinusoid.name_of("period"));
    motion.offset = sinusoid.number("offset", 0.0);
    const double reach = std::abs(motion.amplitude);
    require_within_limits(reader, motion, motion.offset - reach, motion.offset + reach);
  }
  reader.scene.joint_motions.push_back(std::move(motion));
}

/// Reads an actuator of a joint, which does exactly one thing.
void read_joint_actuator(SceneReader& reader, const YamlValue& value) {
  const MapReader map(value, "an actuator of a joint", scene_map("actuator of a joint"));
  // Two laws on one joint are two actuators.
  int count = 0;
  for (const char* key : {"position", "velocity", "effort", "motion"})
    count += map.has(key) ? 1 : 0;
  if (count != 1) {
    fail_at(value.where,
            "an actuator of a joint needs exactly one of position, velocity, effort, motion");
  }
  // Servo, effort and motion share the joint and the place in the file.
  const std::string joint =
      read_scalar_joint(reader, map.required("joint"), "joint of an actuator");
  JointServo servo;
  servo.joint = joint;
  servo.where = value.where;
  if (map.has("position")) read_position_servo(reader, map.required("position"), servo);
  if (map.has("velocity")) read_velocity_servo(reader, map.required("velocity"), servo);
  if (const YamlValue* v = map.find("effort")) {
    read_effort(reader, *v, {.joint = joint, .where = value.where});
  }
  if (const YamlValue* v = map.find("motion")) {
    read_joint_motion(reader, *v, {.joint = joint, .where = value.where});
  }
  reader.note(ImportFate::Applied, "actuator of joint '" + joint + "'", "", value.where);
}

}  // namespace

void read_actuators(SceneReader& reader, const YamlValue& value) {
  for (const YamlValue& item : read_list(value, "actuators")) {
    // One of three keys names what the actuator acts on.
    if (item.kind != YamlValue::Kind::Map) fail_at(item.where, "an actuator must be a map of keys");
    const bool on_joint = item.find("joint") != nullptr, on_body = item.find("body") != nullptr,
               on_muscle = item.find("muscle") != nullptr;
    if (on_joint + on_body + on_muscle != 1) {
      fail_at(item.where, "an actuator needs one of the keys 'joint', 'body' and 'muscle'");
    }
    if (on_joint) read_joint_actuator(reader, item);
    if (on_body) read_body_actuator(reader, item);
    if (on_muscle) read_muscle_actuator(reader, item);
  }
}

}  // namespace amontons::io

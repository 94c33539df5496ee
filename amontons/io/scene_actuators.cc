#include "amontons/io/scene_reader.h"

#include <algorithm>
#include <utility>

namespace amontons::io {
namespace {

/// Names of all joints, those of models as model/joint, and whether each has one coordinate.
struct NamedJoint {
  std::string name;
  bool scalar = false;
};

std::vector<NamedJoint> list_joints(const Scene& scene) {
  std::vector<NamedJoint> joints;
  for (const SceneJoint& joint : scene.joints) {
    joints.push_back({joint.name, num_velocities(joint.type) == 1});
  }
  for (const SceneModel& model : scene.models) {
    for (const ModelJoint& joint : model.joints) {
      joints.push_back({model.name + "/" + joint.name, num_velocities(joint.type) == 1});
    }
  }
  return joints;
}

}  // namespace

std::string read_scalar_joint(const SceneReader& reader, const YamlValue& value,
                              const std::string& what) {
  const std::vector<NamedJoint> joints = list_joints(reader.scene);
  std::vector<std::string> names;
  for (const NamedJoint& joint : joints) names.push_back(joint.name);
  std::string name = read_name(value, what, names);
  const auto joint = std::find_if(joints.begin(), joints.end(),
                                  [&](const NamedJoint& other) { return other.name == name; });
  if (!joint->scalar) {
    fail_at(value.where, "joint '" + name + "' has no single coordinate: it is not " +
                             "revolute, continuous, prismatic or screw");
  }
  return name;
}

namespace {

double read_effort_limit(const MapReader& servo) {
  const YamlValue* value = servo.find("effort");
  return value ? read_positive(*value, servo.name_of("effort"))
               : std::numeric_limits<double>::infinity();
}

void read_position_servo(SceneReader& reader, const YamlValue& value, JointServo servo) {
  const MapReader map(value, "position of the actuator of joint '" + servo.joint + "'",
                      {"target", "kp", "kd", "effort"});
  servo.target = read_number(map.required("target"), map.name_of("target"));
  servo.kp = read_positive(map.required("kp"), map.name_of("kp"));
  if (const YamlValue* v = map.find("kd")) servo.kd = read_non_negative(*v, map.name_of("kd"));
  servo.effort_limit = read_effort_limit(map);
  reader.scene.servos.push_back(std::move(servo));
}

void read_velocity_servo(SceneReader& reader, const YamlValue& value, JointServo servo) {
  const MapReader map(value, "velocity of the actuator of joint '" + servo.joint + "'",
                      {"target", "kd", "effort"});
  servo.target_rate = read_number(map.required("target"), map.name_of("target"));
  servo.kd = read_positive(map.required("kd"), map.name_of("kd"));
  servo.effort_limit = read_effort_limit(map);
  reader.scene.servos.push_back(std::move(servo));
}

void read_joint_actuator(SceneReader& reader, const YamlValue& value) {
  const MapReader map(value, "an actuator of a joint", {"joint", "position", "velocity", "effort"});
  const int count =
      (map.has("position") ? 1 : 0) + (map.has("velocity") ? 1 : 0) + (map.has("effort") ? 1 : 0);
  if (count != 1) {
    fail_at(value.where, "an actuator of a joint needs exactly one of position, velocity, effort");
  }
  const std::string joint =
      read_scalar_joint(reader, map.required("joint"), "joint of an actuator");
  JointServo servo;
  servo.joint = joint;
  servo.where = value.where;
  if (map.has("position")) read_position_servo(reader, map.required("position"), servo);
  if (map.has("velocity")) read_velocity_servo(reader, map.required("velocity"), servo);
  if (const YamlValue* effort = map.find("effort")) {
    reader.scene.efforts.push_back(
        {joint, read_number(*effort, "effort of the actuator of joint '" + joint + "'"),
         value.where});
  }
  reader.note(ImportFate::Applied, "actuator of joint '" + joint + "'", "", value.where);
}

void read_motion(SceneReader& reader, const YamlValue& value, const std::string& body,
                 const SourceLocation& where) {
  const std::string what = "motion of body '" + body + "'";
  const MapReader map(value, what, {"sinusoid"});
  const MapReader sinusoid(map.required("sinusoid"), "sinusoid of the " + what,
                           {"axis", "amplitude", "period"});
  BodyMotion motion;
  motion.body = body;
  motion.where = where;
  motion.axis = read_direction(sinusoid.required("axis"), sinusoid.name_of("axis"));
  motion.amplitude = read_number(sinusoid.required("amplitude"), sinusoid.name_of("amplitude"));
  motion.period = read_positive(sinusoid.required("period"), sinusoid.name_of("period"));
  reader.scene.motions.push_back(std::move(motion));
}

void read_wrench(SceneReader& reader, const MapReader& map, const std::string& body) {
  if (!map.has("force") && !map.has("torque")) {
    fail_at(map.where(), "an actuator of a body needs motion, or force or torque");
  }
  if (map.has("at") && !map.has("force")) {
    fail_at(map.where("at"), "'at' is the point where a force acts; a torque acts everywhere");
  }
  BodyWrench wrench;
  wrench.body = body;
  wrench.where = map.where();
  wrench.force_W = map.vector3("force", Eigen::Vector3d::Zero());
  wrench.torque_W = map.vector3("torque", Eigen::Vector3d::Zero());
  wrench.at_B = map.vector3("at", Eigen::Vector3d::Zero());
  reader.scene.wrenches.push_back(std::move(wrench));
}

bool is_fixed(const Scene& scene, const std::string& body) {
  return std::any_of(scene.bodies.begin(), scene.bodies.end(), [&](const SceneBody& candidate) {
    return candidate.name == body && candidate.base == BaseType::Fixed;
  });
}

void read_body_actuator(SceneReader& reader, const YamlValue& value) {
  const MapReader map(value, "an actuator of a body",
                      {"body", "motion", "force", "torque", "at", "table"});
  map.refuse_unavailable("table");
  const YamlValue& name = map.required("body");
  const std::string body = read_name(name, "body of an actuator", body_names(reader.scene));
  const bool fixed = is_fixed(reader.scene, body);
  if (const YamlValue* motion = map.find("motion")) {
    for (const char* key : {"force", "torque", "at"}) {
      if (map.has(key)) {
        fail_at(map.where(key), "a prescribed motion needs no force; write two actuators");
      }
    }
    if (!fixed) {
      fail_at(name.where, "'" + body + "' cannot have a prescribed motion: only a body with " +
                              "fixed: true can");
    }
    read_motion(reader, *motion, body, value.where);
  } else {
    if (fixed) fail_at(name.where, "'" + body + "' is fixed; a force cannot move it");
    read_wrench(reader, map, body);
  }
  reader.note(ImportFate::Applied, "actuator of body '" + body + "'", "", value.where);
}

}  // namespace

void read_actuators(SceneReader& reader, const YamlValue& value) {
  for (const YamlValue& item : read_list(value, "actuators")) {
    if (item.kind != YamlValue::Kind::Map) fail_at(item.where, "an actuator must be a map of keys");
    if ((item.find("joint") != nullptr) == (item.find("body") != nullptr)) {
      fail_at(item.where, "an actuator needs the key 'joint' or the key 'body'");
    }
    if (item.find("joint") != nullptr) {
      read_joint_actuator(reader, item);
    } else {
      read_body_actuator(reader, item);
    }
  }
}

}  // namespace amontons::io

#include "amontons/io/common/fail_at.h"
#include "amontons/io/scene/scene_reader.h"

#include <algorithm>
#include <utility>

namespace amontons::io {
namespace {

/// Reads a prescribed motion of a fixed body: x(t) = x0 + axis * amplitude sin(2 pi t/period).
void read_body_motion(SceneReader& reader, const YamlValue& value, const std::string& body,
                      const SourceLocation& where) {
  const std::string what = "motion of body '" + body + "'";
  const MapReader map(value, what, scene_map("motion of a body"));
  const MapReader sinusoid(map.required("sinusoid"), "sinusoid of the " + what,
                           scene_map("sinusoid of a body"));
  BodyMotion motion;
  motion.body = body;
  motion.where = where;
  motion.axis = read_direction(sinusoid.required("axis"), sinusoid.name_of("axis"));
  motion.amplitude = read_number(sinusoid.required("amplitude"), sinusoid.name_of("amplitude"));
  motion.period = read_positive(sinusoid.required("period"), sinusoid.name_of("period"));
  reader.scene.motions.push_back(std::move(motion));
}

/// Reads a wrench on a body or link, constant or from a table over time.
/// @param X_BF  pose in the body of what the actuator names.
void read_wrench(SceneReader& reader, const MapReader& map, const std::string& body,
                 const Pose& X_BF) {
  // Keys that would have no effect are refused instead of ignored.
  const bool has_table = map.has("table");
  if (!has_table && !map.has("force") && !map.has("torque")) {
    fail_at(map.where(), "an actuator of a body needs motion, or force or torque, or table");
  }
  for (const char* key : {"force", "torque"}) {
    if (has_table && map.has(key)) {
      fail_at(map.where(key), "a table holds force and torque; write two actuators");
    }
  }
  if (map.has("at") && !has_table && !map.has("force")) {
    fail_at(map.where("at"), "'at' is the point where a force acts; a torque acts everywhere");
  }
  refuse_keys_of_file(map, "table");
  // Force [N] and torque [N m] along the axes of the world or of a body, the point of the force [m]
  // in the frame of what is named.
  BodyWrench wrench;
  wrench.body = body;
  wrench.where = map.where();
  wrench.force_W = map.vector3("force", Eigen::Vector3d::Zero());
  wrench.torque_W = map.vector3("torque", Eigen::Vector3d::Zero());
  wrench.at_B = X_BF * map.vector3("at", Eigen::Vector3d::Zero());
  if (has_table) wrench.table = read_wrench_table(reader, map);
  if (const YamlValue* axes = map.find("axes")) {
    const std::string name =
        read_name(*axes, map.name_of("axes"), body_names(reader.scene), "world");
    if (name != "world") wrench.axes = name;
  }
  reader.scene.wrenches.push_back(std::move(wrench));
}

/// Returns true for a body of the scene that is fixed.
bool is_fixed(const Scene& scene, const std::string& body) {
  return std::any_of(scene.bodies.begin(), scene.bodies.end(), [&](const SceneBody& candidate) {
    return candidate.name == body && candidate.base == BaseType::Fixed;
  });
}

}  // namespace

void read_body_actuator(SceneReader& reader, const YamlValue& value) {
  // Links and frames of models are allowed as well, as model/link and model/frame.
  const MapReader map(value, "an actuator of a body", scene_map("actuator of a body"));
  const YamlValue& name = map.required("body");
  Pose X_BF;
  const std::string body = read_body_or_frame(reader, name, "body of an actuator", "", X_BF);
  const bool fixed = is_fixed(reader.scene, body);
  if (const YamlValue* motion = map.find("motion")) {
    // A prescribed motion applies to fixed bodies only, which no contact can push away.
    for (const char* key : {"force", "torque", "axes", "at", "table", "interpolation"}) {
      if (map.has(key)) {
        fail_at(map.where(key), "a prescribed motion needs no force; write two actuators");
      }
    }
    if (!fixed) {
      fail_at(name.where, "'" + body + "' cannot have a prescribed motion: only a body with " +
                              "fixed: true can");
    }
    read_body_motion(reader, *motion, body, value.where);
  } else {
    // Any other actuator is a wrench, which has an effect on moving bodies only.
    if (fixed) fail_at(name.where, "'" + body + "' is fixed; a force cannot move it");
    read_wrench(reader, map, body, X_BF);
  }
  reader.note(ImportFate::Applied, "actuator of body '" + body + "'", "", value.where);
}

}  // namespace amontons::io

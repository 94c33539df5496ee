#include "amontons/io/common/fail_at.h"
#include "amontons/io/scene/scene_reader.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <map>
#include <utility>

namespace amontons::io {
namespace {

// Words of the format for the types of joints; there is none for free joints.
const std::map<std::string, JointType> kJointTypes{
    {"revolute", JointType::Revolute},   {"continuous", JointType::Continuous},
    {"prismatic", JointType::Prismatic}, {"spherical", JointType::Spherical},
    {"planar", JointType::Planar},       {"fixed", JointType::Fixed},
    {"distance", JointType::Distance},   {"universal", JointType::Universal},
    {"screw", JointType::Screw}};

/// Reads the type of a joint.
JointType read_type(const MapReader& map) {
  const YamlValue& value = map.required("type");
  if (value.text == "free") {
    fail_at(value.where, "a free joint holds nothing: leave it out, bodies are free by default");
  }
  return kJointTypes.at(map.choice("type"));
}

// Smallest sine of the angle between the two axes of a universal joint; below it they count as
// parallel.
constexpr double kMinSine = 1e-3;

/// Returns true for types of one coordinate.
bool is_scalar(JointType type) { return num_velocities(type) == 1; }

/// Refuses a key that has no meaning for the joint's type: a slip of its author, which must not
/// pass.
void refuse_key(const MapReader& map, const std::string& key, bool allowed,
                const std::string& reason) {
  if (map.has(key) && !allowed) fail_at(map.where(key), map.what() + ": " + reason);
}

/// Refuses all keys that have no meaning for a type of joint.
void check_keys_of_type(const MapReader& map, JointType type) {
  // Geometry: axes, points and lengths.
  const bool scalar = is_scalar(type);
  const bool distance = type == JointType::Distance;
  const bool universal = type == JointType::Universal;
  refuse_key(map, "axis", uses_axis(type), "a joint of this type has no axis");
  refuse_key(map, "axis2", universal, "'axis2' belongs to universal joints");
  refuse_key(map, "pitch", type == JointType::Screw, "'pitch' belongs to screw joints");
  refuse_key(map, "to", distance, "'to' belongs to distance joints; the point is 'at'");
  refuse_key(map, "length", distance, "'length' belongs to distance joints");
  // Quantities along the one coordinate of a joint.
  refuse_key(map, "position", scalar, "only joints of one coordinate have a start position");
  refuse_key(map, "rate", num_velocities(type) > 0,
             "a joint of this type has no coordinate, so that it has no start rate");
  refuse_key(
      map, "limits",
      type == JointType::Revolute || type == JointType::Prismatic || type == JointType::Screw,
      "only revolute, prismatic and screw joints have limits");
  refuse_key(map, "limit_restitution", map.has("limits"),
             "'limit_restitution' is that of the limits; it needs 'limits'");
  refuse_key(map, "coulomb_friction", scalar,
             "coulomb_friction belongs to joints of one coordinate");
  // A universal joint has two coordinates, and both get the same damper, spring and rotor.
  for (const char* key : {"viscous_friction", "stiffness", "armature"}) {
    refuse_key(map, key, scalar || universal,
               std::string(key) + " belongs to joints of one coordinate and to universal joints");
  }
  refuse_key(map, "rest_position", map.has("stiffness") && scalar,
             "'rest_position' is that of a spring on a joint of one coordinate; it needs "
             "'stiffness'");
}

/// Reads parent and child, two different bodies or links; the parent may be the world.
void read_bodies_of_joint(const SceneReader& reader, const MapReader& map, SceneJoint& joint) {
  // A frame of a model stands for its link: axes and points of a joint are in the world.
  Pose unused;
  const auto read = [&](const char* key, const char* also) {
    return read_body_or_frame(reader, map.required(key), map.name_of(key), also, unused);
  };
  joint.parent = read("parent", "world");
  joint.child = read("child", "");
  if (joint.parent == joint.child) {
    fail_at(map.where("child"), map.what() + " joins body '" + joint.child + "' to itself");
  }
  // The child is the one that the joint carries, so that it must be able to move.
  for (const SceneBody& body : reader.scene.bodies) {
    if (body.name == joint.child && body.base == BaseType::Fixed) {
      fail_at(map.where("child"), map.what() + ": its child '" + joint.child +
                                      "' is fixed; make the fixed body the parent");
    }
  }
}

/// Reads the two points of a distance joint [m]: at: [[..], [..]], or at and to.
void read_distance_points(const MapReader& map, SceneJoint& joint) {
  const YamlValue& at = map.required("at");
  const bool two_points = at.items.size() == 2;
  if (two_points == map.has("to")) {
    fail_at(at.where, map.what() +
                          " needs two points: at: [[x, y, z], [x, y, z]], or 'at' on the "
                          "parent and 'to' on the child");
  }
  joint.at_W = read_vector3(two_points ? at.items[0] : at, map.name_of("at"));
  joint.child_at_W = two_points ? read_vector3(at.items[1], map.name_of("at"))
                                : read_vector3(map.required("to"), map.name_of("to"));
  // Without a `length` the joint keeps the initial distance of its points.
  joint.length = (joint.child_at_W - joint.at_W).stableNorm();
  if (const YamlValue* length = map.find("length")) {
    joint.length = read_positive(*length, map.name_of("length"));
  }
  if (!(joint.length > 0.0)) {
    fail_at(at.where, map.what() + ": its two points coincide; a distance joint needs a length");
  }
  if (joint.child_at_W == joint.at_W) {
    fail_at(at.where, map.what() +
                          ": its two points coincide, so that it has no direction; move one of "
                          "them by some part of the length");
  }
}

/// Returns the initial pose of a body of the scene; the identity for other names.
Pose pose_of(const Scene& scene, const std::string& body) {
  for (const SceneBody& candidate : scene.bodies) {
    if (candidate.name == body) return candidate.pose;
  }
  return {};
}

/// Reads the center of a joint [m], by default the origin of the child.
void read_center(const SceneReader& reader, const MapReader& map, SceneJoint& joint) {
  if (const YamlValue* at = map.find("at")) {
    joint.at_W = read_vector3(*at, map.name_of("at"));
    return;
  }
  // A link's pose follows from its robot's joints, and only poses of bodies are known here. For
  // joints that turn, a default would hide a forgotten key.
  const bool turns = joint.type == JointType::Revolute || joint.type == JointType::Continuous ||
                     joint.type == JointType::Spherical || joint.type == JointType::Universal ||
                     joint.type == JointType::Screw;
  if (turns || joint.child.find('/') != std::string::npos) map.required("at");
  joint.at_W = pose_of(reader.scene, joint.child).translation;
}

/// Reads the start rate: a number for one coordinate, else a list [m/s or rad/s].
void read_rate(const MapReader& map, SceneJoint& joint) {
  if (is_scalar(joint.type)) {
    joint.rate = map.number("rate", 0.0);
  } else if (map.has("rate")) {
    const std::vector<double> zeros(static_cast<std::size_t>(num_velocities(joint.type)), 0.0);
    const std::vector<double> rates = map.numbers("rate", zeros);
    joint.rates =
        Eigen::Map<const Eigen::VectorXd>(rates.data(), static_cast<Eigen::Index>(rates.size()));
  }
}

/// Reads whether the joint begins attached; with this key it is rows of J. One that begins detached
/// places no body, so that it has no start of its own.
void read_attached(const MapReader& map, SceneJoint& joint) {
  const YamlValue* value = map.find("attached");
  if (value == nullptr) return;
  joint.is_attached = read_bool(*value, map.name_of("attached"));
  if (map.has("coordinates") && joint.coordinates == Coordinates::Reduced) {
    fail_at(map.where("coordinates"),
            map.what() +
                ": a joint of a tree cannot be detached; 'attached' needs 'coordinates: maximal'");
  }
  joint.coordinates = Coordinates::Maximal;
  if (joint.is_attached) return;
  for (const char* key : {"position", "rate", "error"}) {
    refuse_key(map, key, false,
               std::string("it begins detached, so that '") + key + "' cannot place its child '" +
                   joint.child + "'; leave it out, or place the child by its pose and velocity");
  }
}

/// Reads initial position [m or rad], initial rate [m/s or rad/s] and limits [m or rad].
void read_start(const MapReader& map, SceneJoint& joint) {
  if (map.has("position")) joint.position = map.number("position", 0.0);
  read_rate(map, joint);
  if (const YamlValue* value = map.find("limits")) {
    const Eigen::Vector2d limits = read_vector2(*value, map.name_of("limits"));
    if (limits[0] > limits[1]) {
      fail_at(value->where, map.name_of("limits") + " must be [lower, upper]");
    }
    // The start must satisfy the limits, or the first step would begin with a violated constraint.
    // Limits of a detached joint do not act.
    const double start = joint.position.value_or(0.0);
    if (joint.is_attached && (start < limits[0] || start > limits[1])) {
      fail_at(map.has("position") ? map.where("position") : value->where,
              map.what() + " starts outside its limits; set 'position' within them");
    }
    joint.dynamics.limits = {{limits[0], limits[1]}};
  }
  if (const YamlValue* value = map.find("limit_restitution")) {
    joint.dynamics.limit_restitution =
        read_within(*value, map.name_of("limit_restitution"), 0.0, 1.0);
  }
}

/// Reads whether the joint has coordinates or is rows of J, and an initial error of the rows [m].
void read_coordinates_of_joint(const MapReader& map, SceneJoint& joint) {
  const bool distance = joint.type == JointType::Distance;
  if (const YamlValue* value = map.find("coordinates")) {
    joint.coordinates = map.choice("coordinates", joint.coordinates);
    if (distance && joint.coordinates == Coordinates::Reduced) {
      fail_at(value->where, map.what() + ": a distance joint has no reduced coordinates");
    }
  }
  // Joints in reduced coordinates satisfy their constraint exactly, whatever the state.
  if (const YamlValue* value = map.find("error")) {
    joint.error = map.vector3("error", joint.error);
    if (joint.coordinates == Coordinates::Reduced && !distance) {
      fail_at(value->where,
              map.what() +
                  ": 'error' needs 'coordinates: maximal'; reduced coordinates keep the "
                  "joint exactly");
    }
  }
}

/// Reads the second axis of a universal joint and the pitch of a screw [m/rad].
void read_universal_and_screw(const MapReader& map, SceneJoint& joint) {
  if (joint.type == JointType::Universal) {
    const YamlValue& axis2 = map.required("axis2");
    joint.axis2_W = read_direction(axis2, map.name_of("axis2"));
    if (joint.axis_W.cross(joint.axis2_W).norm() < kMinSine) {
      fail_at(axis2.where, map.what() +
                               ": axis and axis2 are parallel; a universal joint turns "
                               "about two different axes");
    }
  }
  if (joint.type == JointType::Screw) {
    joint.pitch = read_number(map.required("pitch"), map.name_of("pitch"));
  }
}

/// Reads viscous friction, stiffness, rest position and armature; both axes of a universal joint
/// get the same.
void read_spring_damper_rotor(const MapReader& map, SceneJoint& joint) {
  const auto read = [&map](const char* key, double& field) {
    if (const YamlValue* v = map.find(key)) field = read_non_negative(*v, map.name_of(key));
  };
  JointDynamics& dynamics = joint.dynamics;
  read("viscous_friction", dynamics.viscous_friction);
  read("stiffness", dynamics.stiffness);
  read("armature", dynamics.armature);
  dynamics.rest_position = map.number("rest_position", 0.0);
  if (joint.type == JointType::Universal) joint.dynamics2 = dynamics;
}

/// Notes the keys of limits and dry friction, which act as rows of the contact problem.
void note_stored_keys(SceneReader& reader, const MapReader& map) {
  for (const char* key : {"limits", "coulomb_friction"}) {
    if (map.has(key)) reader.note(ImportFate::Applied, map.name_of(key), "", map.where(key));
  }
}

/// Refuses a joint's name that contains '/' or is taken.
void check_name_of_joint(const SceneReader& reader, const std::string& name,
                         const SourceLocation& where) {
  if (name.find('/') != std::string::npos) {
    fail_at(where, "the name '" + name + "' must not contain '/': it separates models from joints");
  }
  for (const SceneJoint& other : reader.scene.joints) {
    if (other.name == name) {
      fail_at(where, "there is already a joint '" + name + "', in line " +
                         std::to_string(other.where.line));
    }
  }
}

/// Reads one item of `joints`.
void read_joint(SceneReader& reader, const YamlValue& value) {
  // Name and type come first: errors name the joint, and the type decides which keys may follow.
  const YamlValue* name = value.find("name");
  const std::string what = name ? "joint '" + read_text(*name, "name of a joint") + "'" : "a joint";
  const MapReader map(value, what, scene_map("joint"));
  SceneJoint joint;
  joint.where = value.where;
  joint.name = read_text(map.required("name"), "name of a joint");
  check_name_of_joint(reader, joint.name, map.where("name"));
  joint.type = read_type(map);
  check_keys_of_type(map, joint.type);
  read_bodies_of_joint(reader, map, joint);
  // Axes are in world coordinates at the initial pose; a planar joint has the normal y by default.
  if (is_scalar(joint.type) || joint.type == JointType::Universal) {
    joint.axis_W = read_direction(map.required("axis"), map.name_of("axis"));
  } else if (joint.type == JointType::Planar) {
    joint.axis_W = map.has("axis") ? read_direction(map.required("axis"), map.name_of("axis"))
                                   : Eigen::Vector3d(Eigen::Vector3d::UnitY());
  }
  // A distance joint connects two points, every other type has one center.
  if (joint.type == JointType::Distance) {
    read_distance_points(map, joint);
  } else {
    read_center(reader, map, joint);
  }
  read_universal_and_screw(map, joint);
  // Coordinates, start, and forces along the coordinate.
  read_coordinates_of_joint(map, joint);
  read_attached(map, joint);
  read_start(map, joint);
  if (const YamlValue* v = map.find("coulomb_friction")) {
    joint.dynamics.coulomb_friction = read_non_negative(*v, map.name_of("coulomb_friction"));
  }
  read_spring_damper_rotor(map, joint);
  // The ledger gets a line for the joint and one for each constraint along it.
  reader.note(ImportFate::Applied, what, "", value.where);
  note_stored_keys(reader, map);
  reader.scene.joints.push_back(std::move(joint));
}

}  // namespace

void read_joints(SceneReader& reader, const YamlValue& value) {
  for (const YamlValue& item : read_list(value, "joints")) read_joint(reader, item);
}

}  // namespace amontons::io

#include "amontons/io/urdf/urdf_rules.h"

#include "amontons/io/common/trimmed.h"
#include "amontons/io/urdf/urdf_contact_rules.h"
#include "amontons/io/urdf/urdf_gazebo_rules.h"
#include "amontons/io/urdf/urdf_mujoco_rules.h"
#include "amontons/io/xml/xml_value.h"

#include <tinyxml2.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace amontons::io {
namespace {

using enum XmlValue;
// Short names make the rows of the table fit their lines.
constexpr ImportFate kApplied = ImportFate::Applied;
constexpr ImportFate kIgnored = ImportFate::Ignored;
constexpr bool kRequired = true, kOptional = false, kRepeatable = true, kOnce = false;
// Reasons in the ledger for limits of effort, velocity and its rates.
constexpr std::string_view kEffortNotEnforced =
    "stored, not enforced; a servo has its own effort limit";
constexpr std::string_view kVelocityNotEnforced =
    "stored, not enforced; nothing bounds the velocity of a joint";
constexpr std::string_view kForPlanners = "belongs to planners of motion; nothing enforces it";

/// Says in the ledger that a file of version 1.0 has a part of version 1.1, which is applied.
std::optional<XmlFate> fate_of_quaternion(const tinyxml2::XMLElement& origin) {
  const char* given = origin.GetDocument()->RootElement()->Attribute("version");
  const std::string_view version = given != nullptr ? trimmed(given) : "1.0";
  if (version != "1" && version != "1.0") return std::nullopt;
  return XmlFate{kApplied, "it is part of version 1.1 of the format, and the file is of 1.0"};
}

/// Returns the attributes of an <origin>, a pose. The count of the quaternion is checked with it.
std::vector<AttributeRule> origin() {
  return {{"xyz", Vector3, kOptional},
          {"rpy", Vector3, kOptional},
          {"quat_xyzw", Numbers, kOptional, kApplied, "", fate_of_quaternion}};
}

/// Refuses versions that are not known.
std::optional<XmlFate> fate_of_urdf_version(const tinyxml2::XMLElement& robot) {
  const std::string version(trimmed(robot.Attribute("version")));
  for (const char* known : {"1", "1.0", "1.1", "1.2"}) {
    if (version == known) return std::nullopt;
  }
  return XmlFate{ImportFate::Refused,
                 "version '" + version + "' of URDF is not known; versions 1.0 to 1.2 are"};
}

/// Returns the type of the joint that an element belongs to.
std::string type_of_joint(const tinyxml2::XMLElement& child) {
  const char* type = child.Parent()->ToElement()->Attribute("type");
  return type ? type : "";
}

/// Returns true for joints of a type without a single coordinate.
bool has_no_coordinate(std::string_view type) {
  return type == "fixed" || type == "floating" || type == "planar" || type == "spherical";
}

/// Ignores friction and damping along joints without a single coordinate. Those of a planar joint
/// act in other programs, which is a finding.
std::optional<XmlFate> fate_of_dynamics(const tinyxml2::XMLElement& element) {
  const std::string type = type_of_joint(element);
  if (!has_no_coordinate(type)) return std::nullopt;
  const bool acts =
      element.DoubleAttribute("damping") != 0.0 || element.DoubleAttribute("friction") != 0.0;
  if (type == "planar" && acts) {
    return XmlFate{ImportFate::Warning, "a planar joint moves here without damping and friction"};
  }
  return XmlFate{kIgnored, "a " + type + " joint has no single coordinate to act along"};
}

/// Ignores a value of dynamics that is read although nothing acts.
std::optional<XmlFate> fate_of_dynamics_value(const tinyxml2::XMLElement& element) {
  const std::string type = type_of_joint(element);
  if (!has_no_coordinate(type)) return std::nullopt;
  return XmlFate{kIgnored, "a " + type + " joint has no single coordinate to act along"};
}

/// Ignores limits of the position of joints that have none.
std::optional<XmlFate> fate_of_position_limit(const tinyxml2::XMLElement& limit) {
  const std::string type = type_of_joint(limit);
  if (type == "continuous") {
    return XmlFate{kIgnored,
                   "a continuous joint has no limits of position: the format has these for "
                   "revolute and prismatic joints"};
  }
  if (!has_no_coordinate(type)) return std::nullopt;
  return XmlFate{kIgnored, "a " + type + " joint has no single coordinate to limit"};
}

/// Names limits that a spherical joint does not keep.
std::optional<XmlFate> fate_of_limit(const tinyxml2::XMLElement& element) {
  if (type_of_joint(element) != "spherical") return std::nullopt;
  return XmlFate{ImportFate::Warning, "a spherical joint has no limits"};
}

/// Ignores the mimic of a fixed joint. One of a joint with several coordinates is a finding.
std::optional<XmlFate> fate_of_mimic(const tinyxml2::XMLElement& element) {
  const std::string type = type_of_joint(element);
  if (type == "fixed") return XmlFate{kIgnored, "a fixed joint has no position to set"};
  if (!has_no_coordinate(type)) return std::nullopt;
  return unsupported("a " + type + " joint has no single position to set: it moves by itself");
}

/// Ignores an inertia without a mass, as urdfdom does.
std::optional<XmlFate> fate_of_inertial(const tinyxml2::XMLElement& inertial) {
  if (inertial.FirstChildElement("mass") != nullptr) return std::nullopt;
  if (inertial.FirstChildElement("density") == nullptr) return XmlFate{kIgnored, "it has no mass"};
  return XmlFate{kIgnored, "it has no mass; that of the shapes follows from its density"};
}

/// Ignores a collision whose shape has a size of zero.
std::optional<XmlFate> fate_of_collision(const tinyxml2::XMLElement& collision) {
  if (!is_nothing_to_collide(collision)) return std::nullopt;
  return XmlFate{kIgnored, "nothing there to collide: a size of its shape is 0"};
}

/// Returns the whole format, in the order of its documentation (http://wiki.ros.org/urdf/XML).
std::vector<ElementRule> make_rules() {
  return {
      {"robot",
       kApplied,
       "",
       kOnce,
       {{"name", Text, kRequired},
        {"version", Text, kOptional, kApplied, "", fate_of_urdf_version}}},
      // Links: inertia, looks, collision shapes.
      {"robot/link", kApplied, "", kRepeatable, {{"name", Text, kRequired}}},
      {.path = "robot/link/inertial", .required = {"mass"}, .fate_of = fate_of_inertial},
      {"robot/link/inertial/origin", kApplied, "", kOnce, origin()},
      {"robot/link/inertial/mass", kApplied, "", kOnce, {{"value", NonNegative, kRequired}}},
      {"robot/link/inertial/inertia",
       kApplied,
       "",
       kOnce,
       {{"ixx", Number, kRequired},
        {"ixy", Number, kRequired},
        {"ixz", Number, kRequired},
        {"iyy", Number, kRequired},
        {"iyz", Number, kRequired},
        {"izz", Number, kRequired}}},
      {"robot/link/visual", kIgnored, "moves nothing; the replay draws it", kRepeatable},
      {.path = "robot/link/collision",
       .repeatable = true,
       .attributes = {{"name", Text, kOptional, kIgnored, "shapes have no names"},
                      {"group", Text, kOptional, kIgnored,
                       "collision groups are not part of the format"}},
       .required = {"geometry"},
       .fate_of = fate_of_collision},
      {"robot/link/collision/origin", kApplied, "", kOnce, origin()},
      // As in urdfdom the first shape counts.
      {.path = "robot/link/collision/geometry",
       .single_child_noun = "shape",
       .first_child_counts = true},
      {"robot/link/collision/geometry/box",
       kApplied,
       "",
       kOnce,
       {{"size", PositiveVector3, kRequired}}},
      {"robot/link/collision/geometry/sphere",
       kApplied,
       "",
       kOnce,
       {{"radius", Positive, kRequired}}},
      {"robot/link/collision/geometry/cylinder",
       kApplied,
       "",
       kOnce,
       {{"radius", Positive, kRequired}, {"length", Positive, kRequired}}},
      {"robot/link/collision/geometry/capsule",
       kApplied,
       "",
       kOnce,
       {{"radius", Positive, kRequired}, {"length", Positive, kRequired}}},
      {"robot/link/collision/geometry/ellipsoid",
       kApplied,
       "",
       kOnce,
       {{"a", Positive, kRequired}, {"b", Positive, kRequired}, {"c", Positive, kRequired}}},
      {"robot/link/collision/geometry/plane",
       kApplied,
       "",
       kOnce,
       {{"normal", Vector3, kRequired}}},
      {.path = "robot/link/collision/geometry/mesh",
       .attributes = {{"filename", Text, kRequired}, {"scale", NonZeroVector3, kOptional}},
       .noted_by_reader = true},
      // Elements outside the format that files often contain.
      {"robot/link/collision/contact_coefficients", kIgnored,
       "not part of the format; contacts take friction from the scene's materials", kRepeatable},
      {"robot/link/collision/material", kIgnored, "a color", kRepeatable},
      // Joints: frame, links, axis and dynamics.
      {"robot/joint",
       kApplied,
       "",
       kRepeatable,
       {{"name", Text, kRequired}, {"type", Text, kRequired}},
       {"parent", "child"}},
      {"robot/joint/origin", kApplied, "", kOnce, origin()},
      {"robot/joint/parent", kApplied, "", kOnce, {{"link", Text, kRequired}}},
      {"robot/joint/child", kApplied, "", kOnce, {{"link", Text, kRequired}}},
      {"robot/joint/axis", kApplied, "", kOnce, {{"xyz", Vector3, kRequired}}},
      {.path = "robot/joint/limit",
       .attributes = {{"lower", Number, kOptional, kApplied, "", fate_of_position_limit},
                      {"upper", Number, kOptional, kApplied, "", fate_of_position_limit},
                      {"effort", NonNegative, kRequired, kIgnored, kEffortNotEnforced},
                      {"velocity", NonNegative, kRequired, kIgnored, kVelocityNotEnforced},
                      {"acceleration", NonNegative, kOptional, kIgnored, kForPlanners},
                      {"deceleration", NonNegative, kOptional, kIgnored, kForPlanners},
                      {"jerk", NonNegative, kOptional, kIgnored, kForPlanners}},
       .fate_of = fate_of_limit},
      {.path = "robot/joint/dynamics",
       .attributes = {{"damping", NonNegative, kOptional, kApplied, "", fate_of_dynamics_value},
                      {"friction", NonNegative, kOptional, kApplied, "", fate_of_dynamics_value}},
       .fate_of = fate_of_dynamics},
      {.path = "robot/joint/mimic",
       .attributes = {{"joint", Text, kRequired},
                      {"multiplier", Number, kOptional},
                      {"offset", Number, kOptional}},
       .fate_of = fate_of_mimic},
      {"robot/joint/calibration", kIgnored, "belongs to the real robot's encoders", kOnce},
      {"robot/joint/safety_controller", kIgnored, "belongs to the real robot's controller", kOnce},
      // Looks, and extensions for other programs.
      {"robot/material", kIgnored, "a color of the replay", kRepeatable},
      {"robot/transmission", kIgnored, "actuators are given in the scene", kRepeatable},
      {"robot/sensor", kIgnored, "there are no sensors", kRepeatable},
      {"robot/ros2_control", kIgnored, "actuators are given in the scene", kRepeatable},
  };
}

}  // namespace

bool is_nothing_to_collide(const tinyxml2::XMLElement& collision) {
  const tinyxml2::XMLElement* geometry = collision.FirstChildElement("geometry");
  const tinyxml2::XMLElement* shape = geometry ? geometry->FirstChildElement() : nullptr;
  if (shape == nullptr || shape->NextSiblingElement() != nullptr) return false;
  constexpr const char* kSizes[] = {"size", "radius", "length", "scale", "a", "b", "c"};
  return std::any_of(std::begin(kSizes), std::end(kSizes),
                     [shape](const char* size) { return has_zero_size(shape->Attribute(size)); });
}

const XmlFormat& urdf_format() {
  static const XmlFormat kFormat([] {
    std::vector<ElementRule> rules = make_rules();
    for (const auto& more : {contact_rules(), gazebo_rules(), mujoco_rules()}) {
      rules.insert(rules.end(), more.begin(), more.end());
    }
    return rules;
  }());
  return kFormat;
}

}  // namespace amontons::io

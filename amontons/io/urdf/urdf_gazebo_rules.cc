#include "amontons/io/urdf/urdf_gazebo_rules.h"

#include "amontons/io/import/acting_plugin.h"
#include "amontons/io/urdf/urdf_extension_value.h"
#include "amontons/io/xml/xml_text.h"
#include "amontons/math/nearest_name.h"

#include <tinyxml2.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

namespace amontons::io {
namespace {

using tinyxml2::XMLElement;

constexpr ImportFate kIgnored = ImportFate::Ignored;
// Reasons in the ledger that several elements share.
constexpr std::string_view kRigid = "contacts are rigid";
constexpr std::string_view kAnotherSolver = "a setting of another solver";
constexpr std::string_view kNoSensors = "there are no sensors";
constexpr std::string_view kLooks = "looks only; the replay does not draw it";
constexpr std::string_view kRigidCoupling = "one joint follows the other rigidly";
constexpr std::string_view kOneDirection =
    "friction is the same in all directions; the first coefficient is used";

XmlFate ignored(std::string_view reason) { return {kIgnored, std::string(reason)}; }

/// Returns the element around one.
const XMLElement& parent_of(const XMLElement& element) { return *element.Parent()->ToElement(); }

/// Returns what a <gazebo> refers to; empty for the robot itself.
std::string reference_of(const XMLElement& gazebo) {
  const char* reference = gazebo.Attribute("reference");
  return reference != nullptr ? reference : "";
}

/// Returns the link or joint that the part of a <gazebo> extends, or null.
/// @param kind  "link" or "joint".
const XMLElement* extended(const XMLElement& part, const char* kind) {
  const XMLElement& gazebo = parent_of(part);
  return find_in_robot(parent_of(gazebo), kind, reference_of(gazebo));
}

/// Returns the fate of a part that extends links alone, where it extends none.
std::optional<XmlFate> fate_beside_link(const XMLElement& part) {
  if (extended(part, "link") != nullptr) return std::nullopt;
  return ignored("acts on links alone, and its <gazebo> refers to none");
}

/// Returns the fate of a value that should be a number and is none.
XmlFate no_number(const XMLElement& part) {
  return unsupported("'" + extension_text(part) + "' is no number: it does not count");
}

/// Returns the last value of a name in the blocks that extend the same; null where there is none.
const XMLElement* value_beside(const XMLElement& part, const char* name) {
  const XMLElement& own = parent_of(part);
  const XMLElement* last = nullptr;
  for (const auto* block = parent_of(own).FirstChildElement("gazebo"); block != nullptr;
       block = block->NextSiblingElement("gazebo")) {
    if (reference_of(*block) != reference_of(own)) continue;
    if (const XMLElement* found = block->LastChildElement(name)) last = found;
  }
  return last;
}

/// Leaves out a block that refers to nothing, as Gazebo does.
std::optional<XmlFate> fate_of_block(const XMLElement& gazebo) {
  const std::string reference = reference_of(gazebo);
  const XMLElement& robot = parent_of(gazebo);
  if (reference.empty() || find_in_robot(robot, "link", reference) != nullptr ||
      find_in_robot(robot, "joint", reference) != nullptr) {
    return std::nullopt;
  }
  std::vector<std::string> names;
  for (const char* kind : {"link", "joint"}) {
    for (const auto* e = robot.FirstChildElement(kind); e != nullptr;
         e = e->NextSiblingElement(kind)) {
      if (e->Attribute("name") != nullptr) names.emplace_back(e->Attribute("name"));
    }
  }
  return ignored("there is no link or joint '" + reference + "'" + did_you_mean(reference, names) +
                 ", so that it acts on nothing in Gazebo, either");
}

std::optional<XmlFate> fate_of_static(const XMLElement& part) {
  if (reference_of(parent_of(part)).empty()) return std::nullopt;
  return ignored("only a <gazebo> without a reference makes a robot static");
}

std::optional<XmlFate> fate_of_mu1(const XMLElement& mu) {
  if (const auto beside = fate_beside_link(mu)) return beside;
  const std::optional<double> number = extension_number(mu);
  if (!number) return no_number(mu);
  if (*number < 0.0) return unsupported("must not be negative: it does not count");
  const XMLElement& link = *extended(mu, "link");
  if (link.FirstChildElement("collision") == nullptr) return ignored("its link touches nothing");
  const XMLElement* contact = link.FirstChildElement("contact");
  if (contact != nullptr && contact->FirstChildElement("lateral_friction") != nullptr) {
    return ignored("<lateral_friction> of the link counts");
  }
  return std::nullopt;
}

std::optional<XmlFate> fate_of_mu2(const XMLElement& mu2) {
  if (const auto beside = fate_beside_link(mu2)) return beside;
  const XMLElement* mu1 = value_beside(mu2, "mu1");
  const std::optional<double> second = extension_number(mu2);
  const std::optional<double> first = mu1 != nullptr ? extension_number(*mu1) : std::nullopt;
  const bool touches = extended(mu2, "link")->FirstChildElement("collision") != nullptr;
  if (first == second || !touches) return ignored("friction has one coefficient, that of mu1");
  return unsupported(kOneDirection);
}

/// Leaves out what acts on links unless its value is zero or false.
std::optional<XmlFate> fate_of_drag(const XMLElement& part) {
  if (const auto beside = fate_beside_link(part)) return beside;
  double largest = 0.0;
  for (const char* name : {"linear", "angular"}) {
    const XMLElement* decay = part.FirstChildElement(name);
    if (decay != nullptr) largest = std::max(largest, std::abs(decay->DoubleText(1.0)));
  }
  if (part.FirstChildElement() == nullptr) largest = std::abs(extension_number(part).value_or(1.0));
  if (largest == 0.0) return ignored("it is zero");
  return unsupported("bodies move without drag");
}

std::optional<XmlFate> fate_of_kinematic(const XMLElement& part) {
  if (const auto beside = fate_beside_link(part)) return beside;
  if (!is_extension_true(part)) return ignored("it is false");
  return unsupported("it moves as forces say; a fixed joint with the world holds it");
}

std::optional<XmlFate> fate_of_spring(const XMLElement& part) {
  const XMLElement* joint = extended(part, "joint");
  if (joint == nullptr) return ignored("acts on joints alone, and its <gazebo> refers to none");
  const std::optional<double> number = extension_number(part);
  if (!number) return no_number(part);
  if (*number < 0.0 && std::string_view(part.Name()) == "springStiffness") {
    return unsupported("it does not act: it is negative");
  }
  const char* type = joint->Attribute("type");
  const std::string_view own = type != nullptr ? type : "";
  if (own == "fixed") return ignored("a fixed joint does not move");
  if (own != "revolute" && own != "continuous" && own != "prismatic") {
    return unsupported("a spring acts along joints of one coordinate alone");
  }
  return std::nullopt;
}

std::optional<XmlFate> fate_of_collision(const XMLElement& collision) {
  const XMLElement* surface = collision.FirstChildElement("surface");
  if (surface == nullptr) return std::nullopt;
  for (const char* acting : {"friction", "bounce"}) {
    if (surface->FirstChildElement(acting) == nullptr) continue;
    return unsupported("the surface of an SDF collision is not read here; write <mu1> beside it");
  }
  const XMLElement* contact = surface->FirstChildElement("contact");
  for (const char* filter : {"collide_bitmask", "category_bitmask", "collide_without_contact"}) {
    if (contact == nullptr || contact->FirstChildElement(filter) == nullptr) continue;
    return unsupported("the collision filters of an SDF collision are not read here");
  }
  return std::nullopt;
}

/// Returns true for a joint of one coordinate.
bool has_one_coordinate(const XMLElement* joint) {
  const char* type = joint != nullptr ? joint->Attribute("type") : nullptr;
  const std::string_view own = type != nullptr ? type : "";
  return own == "revolute" || own == "continuous" || own == "prismatic";
}

/// Returns the fate of a plugin that lets one joint follow another, with the elements of the usual
/// one (roboticsgroup_gazebo_plugins).
std::optional<XmlFate> fate_of_mimic_plugin(const XMLElement& plugin) {
  const XMLElement& robot = *plugin.GetDocument()->RootElement();
  const auto joint_of = [&](const char* part) {
    return find_in_robot(robot, "joint", trimmed_text(plugin.FirstChildElement(part)));
  };
  const XMLElement* follower = joint_of("mimicJoint");
  // The format itself has mimics, which files give beside the plugin that Gazebo needs for them.
  if (follower != nullptr && follower->FirstChildElement("mimic") != nullptr) {
    return ignored("the <mimic> of joint '" + std::string(follower->Attribute("name")) +
                   "' does the same");
  }
  const XMLElement* leader = joint_of("joint");
  bool has_numbers = true;
  for (const char* part : {"multiplier", "offset"}) {
    const XMLElement* number = plugin.FirstChildElement(part);
    has_numbers = has_numbers && (number == nullptr || extension_number(*number).has_value());
  }
  if (has_one_coordinate(follower) && has_one_coordinate(leader) && follower != leader &&
      has_numbers) {
    return std::nullopt;
  }
  return unsupported("it couples no two joints of one coordinate that the file has");
}

std::optional<XmlFate> fate_of_plugin(const XMLElement& plugin) {
  const char* name = plugin.Attribute("name");
  const char* library = plugin.Attribute("filename");
  if (!acts_by_its_name(name != nullptr ? name : "", library != nullptr ? library : "")) {
    return ignored("belongs to another program");
  }
  if (plugin.FirstChildElement("mimicJoint") != nullptr) return fate_of_mimic_plugin(plugin);
  return unsupported("by its name it drives joints or exerts forces; no plugin acts here");
}

/// Returns the rule of a value that is applied unless a function says otherwise. The last one of
/// several counts.
ElementRule value(std::string_view path, XmlFateFunction fate_of) {
  return {.path = path,
          .repeatable = true,
          .attributes = {{"value", XmlValue::AnyText}},
          .text = XmlValue::AnyText,
          .fate_of = fate_of};
}

/// Returns the rule of an element that is left out with all its content.
ElementRule left_out(std::string_view path, std::string_view reason,
                     XmlFateFunction fate_of = nullptr) {
  return {.path = path, .fate = kIgnored, .reason = reason, .repeatable = true, .fate_of = fate_of};
}

/// Returns the rule of an element that adds to the model what acts: a finding.
ElementRule added(std::string_view path) {
  return left_out(path, "", [](const XMLElement&) {
    return std::optional(
        unsupported("SDF within <gazebo> is not read here; write it as URDF, or the robot as SDF"));
  });
}

/// Returns the rules of what acts, as the parser of URDF in libsdformat reads it.
std::vector<ElementRule> acting_rules() {
  return {
      {.path = "robot/gazebo",
       .reason = "extends the robot in Gazebo",
       .repeatable = true,
       .attributes = {{"reference", XmlValue::AnyText}},
       .fate_of = fate_of_block},
      value("robot/gazebo/static", fate_of_static),
      value("robot/gazebo/turnGravityOff", fate_beside_link),
      value("robot/gazebo/gravity", fate_beside_link),
      value("robot/gazebo/mu1", fate_of_mu1),
      left_out("robot/gazebo/mu2", "", fate_of_mu2),
      value("robot/gazebo/selfCollide", fate_beside_link),
      value("robot/gazebo/self_collide", nullptr),
      value("robot/gazebo/springStiffness", fate_of_spring),
      value("robot/gazebo/springReference", fate_of_spring),
      left_out("robot/gazebo/dampingFactor", "it is zero", fate_of_drag),
      left_out("robot/gazebo/velocity_decay", "it is zero", fate_of_drag),
      left_out("robot/gazebo/kinematic", "it is false", fate_of_kinematic),
      left_out("robot/gazebo/collision", "settings of another simulator", fate_of_collision),
      {.path = "robot/gazebo/plugin",
       .reason = "a coupling of joints",
       .repeatable = true,
       .attributes = {{"name", XmlValue::AnyText}, {"filename", XmlValue::AnyText}},
       .fate_of = fate_of_plugin},
      value("robot/gazebo/plugin/joint", nullptr),
      value("robot/gazebo/plugin/mimicJoint", nullptr),
      value("robot/gazebo/plugin/multiplier", nullptr),
      value("robot/gazebo/plugin/offset", nullptr),
      left_out("robot/gazebo/plugin/hasPID", kRigidCoupling),
      left_out("robot/gazebo/plugin/maxEffort", kRigidCoupling),
      left_out("robot/gazebo/plugin/sensitiveness", kRigidCoupling),
      left_out("robot/gazebo/plugin/robotNamespace", "names topics of ROS"),
      added("robot/gazebo/joint"),
      added("robot/gazebo/link"),
      added("robot/gazebo/model"),
      added("robot/gazebo/include"),
      added("robot/gazebo/inertial"),
      added("robot/gazebo/axis"),
  };
}

/// Returns the rules of what moves nothing by itself.
std::vector<ElementRule> idle_rules() {
  return {
      left_out("robot/gazebo/fdir1", "friction is the same in all directions"),
      left_out("robot/gazebo/kp", kRigid),
      left_out("robot/gazebo/kd", kRigid),
      left_out("robot/gazebo/minDepth", kRigid),
      left_out("robot/gazebo/maxVel", kRigid),
      left_out("robot/gazebo/maxContacts", "every contact counts"),
      left_out("robot/gazebo/max_contacts", "every contact counts"),
      left_out("robot/gazebo/stopCfm", kAnotherSolver),
      left_out("robot/gazebo/stopErp", kAnotherSolver),
      left_out("robot/gazebo/fudgeFactor", kAnotherSolver),
      left_out("robot/gazebo/implicitSpringDamper", kAnotherSolver),
      left_out("robot/gazebo/cfmDamping", kAnotherSolver),
      left_out("robot/gazebo/physics", kAnotherSolver),
      left_out("robot/gazebo/provideFeedback", "efforts of joints can be asked for anyhow"),
      left_out("robot/gazebo/preserveFixedJoint", "fixed joints hold, however they are treated"),
      left_out("robot/gazebo/disableFixedJointLumping",
               "fixed joints hold, however they are treated"),
      left_out("robot/gazebo/canonicalBody", "without effect in Gazebo, too"),
      left_out("robot/gazebo/allow_auto_disable", "nothing falls asleep"),
      left_out("robot/gazebo/enable_wind", "there is no air"),
      left_out("robot/gazebo/must_be_base_link", "the tree of joints decides"),
      left_out("robot/gazebo/gripper", "what a gripper holds it holds by friction"),
      left_out("robot/gazebo/laserRetro", kNoSensors),
      left_out("robot/gazebo/sensor", kNoSensors),
      left_out("robot/gazebo/battery", "there are no batteries"),
      left_out("robot/gazebo/material", "a color of Gazebo; the replay draws that of <visual>"),
      left_out("robot/gazebo/visual", kLooks),
      left_out("robot/gazebo/light", kLooks),
      left_out("robot/gazebo/projector", kLooks),
      left_out("robot/gazebo/particle_emitter", kLooks),
      left_out("robot/gazebo/audio_sink", "sound"),
      left_out("robot/gazebo/audio_source", "sound"),
  };
}

}  // namespace

std::vector<ElementRule> gazebo_rules() {
  std::vector<ElementRule> rules = acting_rules();
  for (const ElementRule& idle : idle_rules()) rules.push_back(idle);
  return rules;
}

}  // namespace amontons::io

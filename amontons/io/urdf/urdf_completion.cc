#include "amontons/io/urdf/urdf_completion.h"

#include "amontons/io/common/parse_number.h"
#include "amontons/io/urdf/urdf_numbers.h"
#include "amontons/io/xml/xml_text.h"
#include "amontons/io/xml/xml_walk.h"

#include <string>
#include <string_view>

namespace amontons::io {
namespace {

using tinyxml2::XMLElement;

/// Returns true if the robot has a link of a name.
bool has_link(const XMLElement& robot, std::string_view name) {
  for (const XMLElement* link = robot.FirstChildElement("link"); link != nullptr;
       link = link->NextSiblingElement("link")) {
    const char* own = link->Attribute("name");
    if (own != nullptr && own == name) return true;
  }
  return false;
}

/// Adds the products of inertia that a link leaves out.
void complete_inertia(XMLElement& link, const std::string& file, ImportLedger& ledger) {
  XMLElement* inertial = link.FirstChildElement("inertial");
  XMLElement* inertia = inertial != nullptr ? inertial->FirstChildElement("inertia") : nullptr;
  // An inertia without moments is a fault that the table reports.
  if (inertia == nullptr || inertia->Attribute("ixx") == nullptr ||
      inertia->Attribute("iyy") == nullptr || inertia->Attribute("izz") == nullptr) {
    return;
  }
  std::string missing;
  for (const char* product : {"ixy", "ixz", "iyz"}) {
    if (inertia->Attribute(product) != nullptr) continue;
    inertia->SetAttribute(product, "0");
    missing += (missing.empty() ? "" : ", ") + std::string(product);
  }
  if (missing.empty()) return;
  ledger.add(ImportFate::Warning, describe(link) + ": inertia",
             "it has no " + missing + ", which the format demands: zero, as in Bullet",
             place_of(file, *inertia));
}

/// Adds a <limit> that bounds nothing to a joint that needs one, and to a <limit> the effort and
/// velocity that it leaves out.
void complete_limits(XMLElement& joint, const std::string& file, ImportLedger& ledger) {
  const char* text = joint.Attribute("type");
  const std::string_view type = text != nullptr ? text : "";
  XMLElement* limit = joint.FirstChildElement("limit");
  if (limit == nullptr) {
    if (type != "revolute" && type != "prismatic") return;
    const bool turns = type == "revolute";
    ledger.add(ImportFate::Warning, describe(joint) + ": type",
               "it has no <limit>, which the format demands of " + std::string(type) +
                   " joints: it " + (turns ? "turns" : "slides") +
                   " without limits, as in Bullet, Drake and MuJoCo",
               place_of(file, joint));
    if (turns) return joint.SetAttribute("type", "continuous");
    limit = joint.InsertNewChildElement("limit");
    limit->SetAttribute("lower", -kNoUrdfLimit);
    limit->SetAttribute("upper", kNoUrdfLimit);
    limit->SetAttribute("effort", kNoUrdfLimit);
    return limit->SetAttribute("velocity", kNoUrdfLimit);
  }
  // Limits of other types have no effect.
  const bool counts = type == "revolute" || type == "prismatic" || type == "continuous";
  for (const char* name : {"effort", "velocity"}) {
    const char* given = limit->Attribute(name);
    double value = 0.0;
    if (given != nullptr && !(parse_number(given, value).empty() && value < 0.0)) continue;
    const std::string reason =
        given == nullptr
            ? "it has no " + std::string(name) +
                  ", which the format demands: there is no such limit, as in Drake and MuJoCo"
            : std::string(name) + " " + given +
                  " is negative: there is no such limit, as in MuJoCo";
    limit->SetAttribute(name, kNoUrdfLimit);
    ledger.add(counts ? ImportFate::Warning : ImportFate::Ignored, describe(joint) + ": limit",
               reason, place_of(file, *limit));
  }
}

/// Gives the <axis> of a joint that has none a direction, where it has lost its own: nothing turns
/// or slides about it.
void complete_axis(XMLElement& joint, const std::string& file, ImportLedger& ledger) {
  const char* text = joint.Attribute("type");
  const std::string_view type = text != nullptr ? text : "";
  XMLElement* axis = joint.FirstChildElement("axis");
  if (axis == nullptr || axis->Attribute("xyz") != nullptr) return;
  if (type != "fixed" && type != "floating") return;
  axis->SetAttribute("xyz", "1 0 0");
  ledger.add(ImportFate::Ignored, describe(joint) + ": axis",
             "it has no direction, and a " + std::string(type) + " joint needs none",
             place_of(file, *axis));
}

/// Takes the prefix off the shapes that Drake adds to the format.
void rename_shapes(XMLElement& element) {
  constexpr std::string_view kPrefix = "drake:";
  const std::string name = element.Name();
  if (name == "drake:capsule" || name == "drake:ellipsoid") {
    element.SetName(name.substr(kPrefix.size()).c_str());
  }
  for (XMLElement* child = element.FirstChildElement(); child != nullptr;
       child = child->NextSiblingElement()) {
    rename_shapes(*child);
  }
}

}  // namespace

void complete_urdf(XMLElement& robot, const std::string& file, ImportLedger& ledger) {
  trim_names(robot);
  mend_urdf_numbers(robot, file, ledger);
  if (robot.Attribute("name") == nullptr || robot.Attribute("name", "") != nullptr) {
    robot.SetAttribute("name", "robot");
    ledger.add(ImportFate::Warning, "<robot>", "it has no name, which the format demands",
               place_of(file, robot));
  }
  for (XMLElement* link = robot.FirstChildElement("link"); link != nullptr;
       link = link->NextSiblingElement("link")) {
    complete_inertia(*link, file, ledger);
    rename_shapes(*link);
  }
  bool has_world = has_link(robot, kUrdfWorld);
  for (XMLElement* joint = robot.FirstChildElement("joint"); joint != nullptr;
       joint = joint->NextSiblingElement("joint")) {
    complete_limits(*joint, file, ledger);
    complete_axis(*joint, file, ledger);
    const XMLElement* parent = joint->FirstChildElement("parent");
    const char* name = parent != nullptr ? parent->Attribute("link") : nullptr;
    if (has_world || name == nullptr || std::string_view(name) != kUrdfWorld) continue;
    XMLElement* world = robot.GetDocument()->NewElement("link");
    world->SetAttribute("name", kUrdfWorld);
    robot.InsertFirstChild(world);
    has_world = true;
    ledger.add(ImportFate::Warning, describe(*joint) + ": parent",
               "there is no link 'world', which the format demands: it is the world, as in Drake",
               place_of(file, *parent));
  }
}

}  // namespace amontons::io

#include "amontons/io/sdf/sdf_names.h"

#include "amontons/io/common/fail_at.h"
#include "amontons/io/common/fault_list.h"
#include "amontons/io/sdf/sdf_fates.h"
#include "amontons/io/xml/xml_text.h"
#include "amontons/io/xml/xml_value.h"
#include "amontons/io/xml/xml_walk.h"
#include "amontons/math/nearest_name.h"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

namespace amontons::io {
namespace {

using tinyxml2::XMLElement;

// All types of joints that the format knows.
const std::vector<std::string> kJointTypes{"revolute", "continuous", "prismatic",
                                           "ball",     "universal",  "revolute2",
                                           "screw",    "gearbox",    "fixed"};

/// Calls a function with each child of a name.
template <typename Function>
void for_each_child(const XMLElement& element, const char* name, Function function) {
  for (const XMLElement* e = element.FirstChildElement(name); e != nullptr;
       e = e->NextSiblingElement(name)) {
    function(*e);
  }
}

/// Returns the name of a model, link or the like; for an include the name that it gives, if any.
std::string name_of(const XMLElement& element) {
  if (const char* name = element.Attribute("name")) return name;
  const XMLElement* name = element.FirstChildElement("name");
  return name && name->GetText() ? name->GetText() : "";
}

/// Holds the names that joints of a model, or of a world, may join.
struct JointEnds {
  std::vector<std::string> names;  ///< in the order of kinds, then of the file
  std::set<std::string> known;     ///< the same, to look one up
  bool any = false;                ///< something is included, which may bring any name
};

/// Returns the names of all children with a frame of their own: these may be the end of a joint.
JointEnds joint_ends(const XMLElement& scope) {
  JointEnds ends;
  for (const char* kind : {"link", "frame", "joint", "model", "include"}) {
    for_each_child(scope, kind, [&](const XMLElement& e) { ends.names.push_back(name_of(e)); });
  }
  ends.known = {ends.names.begin(), ends.names.end()};
  ends.any = scope.FirstChildElement("include") != nullptr;
  return ends;
}

/// Checks the names within one file.
class NameCheck {
 public:
  explicit NameCheck(const std::string& file) : file_(file) {}

  /// Refuses two elements of one kind under one name; an include counts as a model.
  void check_unique(const XMLElement& scope) {
    std::map<std::pair<std::string, std::string>, const XMLElement*> seen;
    for (const XMLElement* e = scope.FirstChildElement(); e != nullptr;
         e = e->NextSiblingElement()) {
      std::string kind = e->Name();
      if (kind == "include") kind = "model";
      if (kind != "model" && kind != "link" && kind != "joint" && kind != "frame") continue;
      // Models of a world that have one name get numbers (completion/equal_names.h).
      if (kind == "model" && std::string_view(scope.Name()) == "world") continue;
      // An include without a name takes that of the included model, which is not known here.
      const std::string name = name_of(*e);
      if (name.empty()) continue;
      const auto [it, is_new] = seen.emplace(std::pair{kind, name}, e);
      if (is_new) continue;
      faults_.add({file_, e->GetLineNum(), 0,
                   "there is already a " + kind + " '" + name + "', in line " +
                       std::to_string(it->second->GetLineNum())});
    }
  }

  /// Checks a model and all models nested in it.
  void check_model(const XMLElement& model) {
    check_unique(model);
    if (is_without_links(model) && !is_static(model)) {
      faults_.add({file_, model.GetLineNum(), 0, describe(model) + " needs at least one link"});
    }
    check_joints(model);
    for_each_child(model, "model", [&](const XMLElement& inner) { check_model(inner); });
  }

  /// Checks the joints of a model, or those between models of a world.
  void check_joints(const XMLElement& scope) {
    if (scope.FirstChildElement("joint") == nullptr) return;
    const JointEnds ends = joint_ends(scope);
    for_each_child(scope, "joint", [&](const XMLElement& joint) {
      faults_.attempt([&] { check_joint(joint, ends); });
    });
  }

  /// Throws what was found, if anything.
  void throw_faults() const { faults_.throw_any(); }

 private:
  /// Checks type, ends and axes of a joint.
  void check_joint(const XMLElement& joint, const JointEnds& ends) {
    const std::string type = joint.Attribute("type") ? joint.Attribute("type") : "";
    if (std::find(kJointTypes.begin(), kJointTypes.end(), type) == kJointTypes.end()) {
      fail_at(place_of(file_, joint), describe(joint) + " has an unknown type '" + type + "'" +
                                          did_you_mean(type, kJointTypes));
    }
    // Both ends must exist, and differ; the world can only be the parent.
    const XMLElement* parent = joint.FirstChildElement("parent");
    const XMLElement* child = joint.FirstChildElement("child");
    if (parent == nullptr || child == nullptr) return;  // the table says what is missing
    faults_.attempt([&] { check_joint_end(*parent, joint, ends); });
    check_joint_end(*child, joint, ends);
    if (trimmed_text(child) == "world") {
      fail_at(place_of(file_, *child),
              describe(joint) + ": the world cannot be the child; make it the parent");
    }
    if (trimmed_text(parent) == trimmed_text(child) && !trimmed_text(child).empty()) {
      fail_at(place_of(file_, *child),
              describe(joint) + ": '" + trimmed_text(child) + "' is both its parent and its child");
    }
    for (const char* axis : {"axis", "axis2"}) {
      for_each_child(joint, axis, [&](const XMLElement& e) { check_axis(e, joint); });
    }
  }

  /// Refuses an axis of length zero, and limits in the wrong order.
  void check_axis(const XMLElement& axis, const XMLElement& joint) const {
    const XMLElement* xyz = axis.FirstChildElement("xyz");
    const std::string given = xyz && xyz->GetText() ? xyz->GetText() : "0 0 1";
    std::istringstream words(without_stray_ends(given, XmlValue::Vector3));
    // libsdformat normalizes the axis, which is meaningless for a length below 1e-6.
    double sum = 0.0;
    for (double number = 0.0; words >> number;) sum += number * number;
    if (sum < 1e-12) {
      fail_at(place_of(file_, xyz ? *xyz : axis),
              describe(joint) + ": the length of its axis must not be below 1e-6");
    }
    const XMLElement* limit = axis.FirstChildElement("limit");
    const XMLElement* lower = limit ? limit->FirstChildElement("lower") : nullptr;
    const XMLElement* upper = limit ? limit->FirstChildElement("upper") : nullptr;
    if (lower && upper && lower->DoubleText() > upper->DoubleText()) {
      fail_at(place_of(file_, *lower), describe(joint) + ": lower limit above the upper one");
    }
  }

  /// Refuses an end of a joint that names no link or frame of its model. A name with '::' lies in a
  /// nested model, and one beginning with '__' belongs to libsdformat.
  void check_joint_end(const XMLElement& carrier, const XMLElement& joint,
                       const JointEnds& ends) const {
    const std::string name = trimmed_text(&carrier);
    if (name.empty()) return;  // the table reports it
    if (name == "world" || name.starts_with("__") || name.find("::") != std::string::npos) return;
    if (ends.any || ends.known.contains(name)) return;
    fail_at(place_of(file_, carrier), describe(joint) + ": there is no link or frame '" + name +
                                          "'" + did_you_mean(name, ends.names));
  }

  const std::string& file_;
  FaultList faults_ = {};
};

}  // namespace

void check_sdf_names(const XMLElement& sdf, const std::string& file) {
  NameCheck check(file);
  check.check_unique(sdf);
  for_each_child(sdf, "model", [&](const XMLElement& model) { check.check_model(model); });
  for_each_child(sdf, "world", [&](const XMLElement& world) {
    check.check_unique(world);
    for_each_child(world, "model", [&](const XMLElement& model) { check.check_model(model); });
    check.check_joints(world);
  });
  check.throw_faults();
}

}  // namespace amontons::io

#include "amontons/io/mjcf/mjcf_defaults.h"

#include "amontons/io/common/fail_at.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

namespace amontons::io {
namespace {

using tinyxml2::XMLAttribute;
using tinyxml2::XMLElement;

// Elements of <actuator>, which share their defaults: each class has one set for all of them.
constexpr std::array<std::string_view, 10> kActuators{
    "general", "motor",    "position", "velocity", "intvelocity",
    "damper",  "cylinder", "muscle",   "adhesion", "dcmotor"};

}  // namespace

// A default of any actuator holds for all kinds, one of <tendon> for both kinds of tendons.
std::string MjcfDefaults::kind_of(const std::string& element) {
  if (element == "fixed" || element == "spatial") return "tendon";
  const bool actuator =
      std::find(kActuators.begin(), kActuators.end(), element) != kActuators.end();
  return actuator ? "actuator" : element;
}

MjcfDefaults::MjcfDefaults(const MjcfDocument& document) {
  classes_[kMain] = {};
  classes_[kNone] = {};
  for (const XMLElement* element : document.children(document.root(), "default")) {
    // That of a model that is attached has its name already (mjcf_expansion.h).
    const bool attached = document.model_of(*element) != 0;
    add(document, *element, "", attached ? element->Attribute("class") : kMain);
  }
}

void MjcfDefaults::add(const MjcfDocument& document, const XMLElement& element,
                       const std::string& around, const std::string& outermost) {
  // Every class but the outermost needs a name; the outermost one may be written in pieces.
  const char* given = element.Attribute("class");
  const bool is_named = given != nullptr && *given != '\0';
  if (!is_named && !around.empty()) {
    fail_at(document.place_of(element), "a <default> inside another needs the attribute 'class'");
  }
  const std::string name = around.empty() ? outermost : given;
  Class& added = classes_[name];
  if (!around.empty()) {
    if (!added.where.file.empty() || name == outermost) {
      fail_at(document.place_of(element),
              "default class '" + name + "' is given twice" +
                  (name == outermost ? "" : ", first in line " + std::to_string(added.where.line)));
    }
    added.around = around;
    added.where = document.place_of(element);
  } else if (const char* own = document.origin(element).Attribute("class");
             is_named && own != nullptr && std::string(own) != kMain) {
    // Another name of the outermost class, behind the prefix of a model that is attached.
    const std::string prefix = outermost.substr(0, outermost.size() - std::string(kMain).size());
    classes_[prefix + own].around = outermost;
  }
  // Classes inside this one inherit from it; all other elements are its defaults.
  for (const XMLElement* child : document.children(element)) {
    if (std::string(child->Name()) == "default") {
      add(document, *child, name, outermost);
    } else {
      classes_[name].elements.push_back(child);
    }
  }
}

std::optional<MjcfDefaults::Found> MjcfDefaults::find(const std::string& name_of_class,
                                                      const std::string& element,
                                                      const std::string& attribute) const {
  const std::string kind = kind_of(element);
  // From the class outwards, and within a class from the last element to the first.
  int distance = 0;
  for (auto it = classes_.find(name_of_class); it != classes_.end();
       it = classes_.find(it->second.around), ++distance) {
    const std::vector<const XMLElement*>& elements = it->second.elements;
    for (auto e = elements.rbegin(); e != elements.rend(); ++e) {
      if (kind_of((*e)->Name()) != kind) continue;
      const XMLAttribute* found = (*e)->FindAttribute(attribute.c_str());
      if (found != nullptr) return Found{*e, found, distance};
    }
  }
  return std::nullopt;
}

std::vector<const XMLElement*> MjcfDefaults::layers(const std::string& name_of_class,
                                                    const std::string& element) const {
  const std::string kind = kind_of(element);
  std::vector<const XMLElement*> result;
  for (auto it = classes_.find(name_of_class); it != classes_.end();
       it = classes_.find(it->second.around)) {
    const std::vector<const XMLElement*>& elements = it->second.elements;
    std::copy_if(elements.rbegin(), elements.rend(), std::back_inserter(result),
                 [&](const XMLElement* own) { return kind_of(own->Name()) == kind; });
  }
  return result;
}

std::vector<std::string> MjcfDefaults::names() const {
  std::vector<std::string> result;
  for (const auto& [name, unused] : classes_) {
    if (name != kNone) result.push_back(name);
  }
  return result;
}

}  // namespace amontons::io

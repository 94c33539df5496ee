#include "amontons/io/urdf/urdf_substitutions.h"

#include "amontons/io/common/fail_at.h"
#include "amontons/io/common/fault_list.h"
#include "amontons/io/common/trimmed.h"
#include "amontons/io/urdf/urdf_rules.h"
#include "amontons/io/xml/xml_walk.h"

#include <string_view>

namespace amontons::io {
namespace {

using tinyxml2::XMLElement;

/// Returns true if the table leaves an element out.
bool is_left_out(const XMLElement& element, const ElementRule* rule) {
  if (rule == nullptr || rule->fate == ImportFate::Ignored) return true;
  if (rule->fate_of == nullptr) return false;
  const std::optional<XmlFate> fate = rule->fate_of(element);
  return fate && fate->fate == ImportFate::Ignored;
}

/// Refuses the text of an attribute that should be made of numbers.
void refuse_substitution(const XMLElement& element, const char* name, const std::string& file) {
  const std::string_view text = trimmed(element.Attribute(name));
  if (text.find("$(") == std::string_view::npos && text.find("${") == std::string_view::npos) {
    return;
  }
  fail_at(place_of(file, element), describe(element) + ": " + name + " of <" + element.Name() +
                                       "> is '" + std::string(text) +
                                       "', which xacro or roslaunch replaces by a number: give "
                                       "the file that they make");
}

void refuse_substitutions_in(const XMLElement& element, const std::string& path,
                             const std::string& file, FaultList& faults) {
  const ElementRule* rule = urdf_format().find(path);
  if (is_left_out(element, rule)) return;
  for (const AttributeRule& attribute : rule->attributes) {
    const std::string name(attribute.name);
    if (attribute.value == XmlValue::Text || attribute.value == XmlValue::AnyText ||
        element.Attribute(name.c_str()) == nullptr) {
      continue;
    }
    faults.attempt([&] { refuse_substitution(element, name.c_str(), file); });
  }
  for (const XMLElement* child = element.FirstChildElement(); child != nullptr;
       child = child->NextSiblingElement()) {
    refuse_substitutions_in(*child, path + "/" + child->Name(), file, faults);
  }
}

}  // namespace

void refuse_substitutions(const XMLElement& robot, const std::string& file) {
  FaultList faults;
  refuse_substitutions_in(robot, robot.Name(), file, faults);
  faults.throw_any();
}

}  // namespace amontons::io

#include "amontons/io/urdf_ledger.h"

#include "amontons/io/parse_number.h"
#include "amontons/io/urdf_rules.h"
#include "amontons/io/yaml_reader.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <vector>

namespace amontons::io {
namespace {

using tinyxml2::XMLAttribute;
using tinyxml2::XMLElement;

/// One walk through a document: notes, checks, and the copy of what is used.
class Walk {
 public:
  Walk(const std::string& file, ImportLedger& ledger) : file_(file), ledger_(ledger) {}

  std::string run(const XMLElement& robot) {
    visit(robot, "robot", copy_);
    tinyxml2::XMLPrinter printer;
    copy_.Print(&printer);
    return printer.CStr();
  }

 private:
  void visit(const XMLElement& element, const std::string& path, tinyxml2::XMLNode& parent_copy) {
    const UrdfElement* rule = find_urdf_rule(path);
    if (rule == nullptr || (rule->fate == ImportFate::Ignored && rule->attributes.empty())) {
      ignore(element, rule ? std::string(rule->reason) : "not part of the format");
      return;
    }
    check_once(element, *rule);
    for (const std::string_view child : rule->required) require_child(element, std::string(child));
    if (path == "robot/link/collision/geometry") check_geometry(element);
    // A mesh's entry is written where its hull is known.
    if (std::string(element.Name()) != "mesh") note(element, "", rule->fate, rule->reason);
    XMLElement* copy = copy_.NewElement(element.Name());
    parent_copy.InsertEndChild(copy);
    for (const UrdfAttribute& attribute : rule->attributes) {
      check_attribute(element, attribute, *copy);
    }
    for (const XMLAttribute* a = element.FirstAttribute(); a != nullptr; a = a->Next()) {
      const bool known = std::any_of(rule->attributes.begin(), rule->attributes.end(),
                                     [&](const UrdfAttribute& b) { return b.name == a->Name(); });
      if (!known) note(element, a->Name(), ImportFate::Ignored, "not part of the format");
    }
    for (const XMLElement* child = element.FirstChildElement(); child != nullptr;
         child = child->NextSiblingElement()) {
      visit(*child, path + "/" + child->Name(), *copy);
    }
  }

  void ignore(const XMLElement& element, const std::string& reason) {
    note(element, "", ImportFate::Ignored, reason);
    const std::string inner = std::string("inside an ignored <") + element.Name() + ">";
    for (const XMLElement* child = element.FirstChildElement(); child != nullptr;
         child = child->NextSiblingElement()) {
      ignore(*child, inner);
    }
  }

  void check_once(const XMLElement& element, const UrdfElement& rule) const {
    const XMLElement* first = element.Parent()->FirstChildElement(element.Name());
    if (!rule.repeatable && first != &element) {
      fail_at(place_of(file_, element), describe(element) + ": <" + element.Name() +
                                            "> is given twice, first in line " +
                                            std::to_string(first->GetLineNum()));
    }
  }

  void require_child(const XMLElement& element, const std::string& child) const {
    if (element.FirstChildElement(child.c_str()) != nullptr) return;
    fail_at(place_of(file_, element),
            describe(element) + ": <" + element.Name() + "> needs a <" + child + ">");
  }

  /// A shape that is not known must not be left out: things would pass through the robot.
  void check_geometry(const XMLElement& geometry) const {
    const XMLElement* shape = geometry.FirstChildElement();
    if (shape == nullptr) {
      fail_at(place_of(file_, geometry), describe(geometry) + ": this <geometry> holds no shape");
    }
    const std::string path = std::string("robot/link/collision/geometry/") + shape->Name();
    if (find_urdf_rule(path) == nullptr) {
      fail_at(place_of(file_, *shape), describe(geometry) + ": a <" + shape->Name() +
                                           "> is no shape of the format: box, sphere, cylinder, "
                                           "mesh");
    }
    if (shape->NextSiblingElement() != nullptr) {
      fail_at(place_of(file_, *shape->NextSiblingElement()),
              describe(geometry) + ": a <geometry> holds one shape; write a <collision> for each");
    }
  }

  void check_attribute(const XMLElement& element, const UrdfAttribute& rule, XMLElement& copy) {
    const std::string name(rule.name);
    const XMLAttribute* attribute = element.FindAttribute(name.c_str());
    if (attribute == nullptr) {
      if (rule.required) {
        fail_at(place_of(file_, element), describe(element) + ": <" + element.Name() +
                                              "> needs the attribute '" + name + "'");
      }
      return;
    }
    const std::string what = describe(element) + ": " + name + " of <" + element.Name() + ">";
    const std::string value =
        check_value(attribute->Value(), rule.value, what, {file_, attribute->GetLineNum(), 0});
    copy.SetAttribute(name.c_str(), value.c_str());
    note(element, name, rule.fate, rule.reason);
  }

  /// The value without the blanks around it, which the reader behind does not take.
  static std::string check_value(const std::string& text, UrdfValue kind, const std::string& what,
                                 const SourceLocation& where) {
    if (kind == UrdfValue::Text) {
      if (text.empty()) fail_at(where, what + " must not be empty");
      return text;
    }
    const bool vector = kind == UrdfValue::Vector3 || kind == UrdfValue::PositiveVector3 ||
                        kind == UrdfValue::NonZeroVector3;
    std::istringstream words(text);
    std::vector<double> numbers;
    std::string joined;
    for (std::string word; words >> word;) {
      double number = 0.0;
      const std::string fault = parse_number(word, number);
      if (!fault.empty()) fail_at(where, what + " " + fault);
      numbers.push_back(number);
      joined += (joined.empty() ? "" : " ") + word;
    }
    const std::size_t count = vector ? 3 : 1;
    if (numbers.size() != count) {
      fail_at(where,
              what + " must be " + std::to_string(count) + " number(s), but is '" + text + "'");
    }
    for (const double number : numbers) {
      const bool positive = kind == UrdfValue::Positive || kind == UrdfValue::PositiveVector3;
      if (positive && !(number >= 1e-100)) {
        fail_at(where, what + " must be positive, not " + text);
      }
      if (kind == UrdfValue::NonNegative && number < 0.0) {
        fail_at(where, what + " must not be negative, but is " + text);
      }
      if (kind == UrdfValue::NonZeroVector3 && !(std::abs(number) >= 1e-100)) {
        fail_at(where, what + " must not be zero: " + text);
      }
    }
    return joined;
  }

  void note(const XMLElement& element, const std::string& attribute, ImportFate fate,
            std::string_view reason) {
    std::string name = describe(element);
    std::string path;
    for (const XMLElement* e = &element;
         e->Parent() != nullptr && e->Parent()->ToElement() != nullptr &&
         e->Parent()->ToElement()->Parent()->ToElement() != nullptr;
         e = e->Parent()->ToElement()) {
      path = path.empty() ? e->Name() : std::string(e->Name()) + " " + path;
    }
    if (!path.empty()) name += ": " + path;
    if (!attribute.empty()) name += (path.empty() ? ": " : " ") + attribute;
    ledger_.add(fate, name, std::string(reason), place_of(file_, element));
  }

  const std::string& file_;
  ImportLedger& ledger_;
  tinyxml2::XMLDocument copy_;
};

}  // namespace

SourceLocation place_of(const std::string& file, const tinyxml2::XMLNode& node) {
  return {file, node.GetLineNum(), 0};
}

std::string describe(const tinyxml2::XMLElement& element) {
  const XMLElement* top = &element;
  while (top->Parent()->ToElement() != nullptr &&
         top->Parent()->ToElement()->Parent()->ToElement() != nullptr) {
    top = top->Parent()->ToElement();
  }
  const char* name = top->Attribute("name");
  const std::string kind = top->Name();
  return name ? kind + " '" + name + "'" : "<" + kind + ">";
}

std::string check_and_strip_urdf(const tinyxml2::XMLElement& robot, const std::string& file,
                                 ImportLedger& ledger) {
  return Walk(file, ledger).run(robot);
}

}  // namespace amontons::io

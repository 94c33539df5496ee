#include "amontons/io/mjcf/mjcf_copy.h"

#include "amontons/io/mjcf/mjcf_defaults.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

namespace amontons::io {
namespace {

using tinyxml2::XMLAttribute;
using tinyxml2::XMLElement;

// Sections that refer to the tree. Those that others refer to come first.
constexpr std::array<const char*, 5> kSections{"contact", "tendon", "equality", "actuator",
                                               "sensor"};

/// Names the kind of thing to which an attribute refers.
struct Reference {
  std::string_view attribute, kind;
};
constexpr Reference kReferences[] = {
    {"body", "body"},           {"body1", "body"},     {"body2", "body"},
    {"geom", "geom"},           {"geom1", "geom"},     {"geom2", "geom"},
    {"joint", "joint"},         {"joint1", "joint"},   {"joint2", "joint"},
    {"jointinparent", "joint"}, {"site", "site"},      {"site1", "site"},
    {"site2", "site"},          {"refsite", "site"},   {"cranksite", "site"},
    {"slidersite", "site"},     {"sidesite", "site"},  {"tendon", "tendon"},
    {"tendon1", "tendon"},      {"tendon2", "tendon"}, {"actuator", "actuator"},
    {"subtree1", "body"},       {"subtree2", "body"},  {"camera", "camera"},
};

// Attributes of elements of the tree that name classes and assets.
constexpr std::array<std::string_view, 6> kNamesOfModel{"class",  "childclass", "mesh",
                                                        "hfield", "material",   "texture"};

/// Returns the kind of a body, which sensors call by two words.
std::string kind_of_object(const char* type) {
  const std::string kind = type == nullptr ? "" : type;
  return kind == "xbody" ? "body" : kind;
}

/// Returns the kind under which elements of the tree are named; empty for those that are not.
std::string kind_in_tree(const std::string& tag) {
  if (tag == "freejoint") return "joint";
  for (const char* kind : {"body", "geom", "joint", "site", "camera", "frame"}) {
    if (tag == kind) return kind;
  }
  return "";
}

/// Calls visit(element, attribute, kind, name) for each reference of an element and all inside it.
template <typename Visit>
void visit_references(const MjcfDocument& document, const XMLElement& element, const Visit& visit) {
  for (const XMLAttribute* a = element.FirstAttribute(); a != nullptr; a = a->Next()) {
    const std::string kind = mjcf_reference_kind(element, a->Name());
    if (!kind.empty()) visit(*a, kind, a->Value());
  }
  for (const XMLElement* child : document.children(element)) {
    visit_references(document, *child, visit);
  }
}

/// Says how many references of an element are to what is copied, and to the rest.
struct Count {
  int inside = 0, outside = 0;
};

Count count_references(const MjcfDocument& document, const XMLElement& element,
                       const MjcfNames& names) {
  Count count;
  visit_references(document, element,
                   [&](const XMLAttribute&, const std::string& kind, const std::string& name) {
                     if (name == "world") return;  // the same in every model
                     const auto known = names.find(kind);
                     const bool inside = known != names.end() && known->second.count(name) > 0;
                     (inside ? count.inside : count.outside) += 1;
                   });
  return count;
}

/// Returns the new name of a class or asset. The class without defaults is that of all models.
std::string name_of_model(const MjcfRenaming& renaming, const std::string& name) {
  const bool is_own = renaming.other_model && name != MjcfDefaults::kNone;
  return is_own ? renaming.prefix + name : name;
}

/// Copies an element outside the tree and all inside it.
XMLElement& copy_reference(MjcfDocument& document, const XMLElement& element,
                           const MjcfRenaming& renaming, const MjcfNames& names,
                           XMLElement& parent) {
  XMLElement& copy = document.make(element.Name(), element);
  parent.InsertEndChild(&copy);
  for (const XMLAttribute* a = element.FirstAttribute(); a != nullptr; a = a->Next()) {
    std::string value = a->Value();
    const std::string kind = mjcf_reference_kind(element, a->Name());
    const auto known = names.find(kind);
    if (std::string_view(a->Name()) == "name") value = renaming.of(value);
    if (known != names.end() && known->second.count(value) > 0) value = renaming.of(value);
    if (std::string_view(a->Name()) == "class") value = name_of_model(renaming, value);
    copy.SetAttribute(a->Name(), value.c_str());
  }
  for (const XMLElement* child : document.children(element)) {
    copy_reference(document, *child, renaming, names, copy);
  }
  return copy;
}

}  // namespace

std::string mjcf_reference_kind(const XMLElement& element, const std::string& attribute) {
  if (attribute == "objname") return kind_of_object(element.Attribute("objtype"));
  if (attribute == "refname") return kind_of_object(element.Attribute("reftype"));
  for (const Reference& reference : kReferences) {
    if (reference.attribute == attribute) return std::string(reference.kind);
  }
  return "";
}

void collect_mjcf_names(const MjcfDocument& document, const XMLElement& element, MjcfNames& names) {
  const std::string kind = kind_in_tree(element.Name());
  const char* name = element.Attribute("name");
  if (!kind.empty() && name != nullptr) names[kind].insert(name);
  for (const XMLElement* child : document.children(element)) {
    collect_mjcf_names(document, *child, names);
  }
}

XMLElement& copy_mjcf_tree(MjcfDocument& document, const XMLElement& element,
                           const MjcfRenaming& renaming, XMLElement& parent) {
  XMLElement& copy = document.make(element.Name(), element);
  parent.InsertEndChild(&copy);
  for (const XMLAttribute* a = element.FirstAttribute(); a != nullptr; a = a->Next()) {
    const std::string_view name = a->Name();
    std::string value = a->Value();
    const bool of_model =
        std::find(kNamesOfModel.begin(), kNamesOfModel.end(), name) != kNamesOfModel.end();
    if (name == "name") value = renaming.of(value);
    if (of_model) value = name_of_model(renaming, value);
    copy.SetAttribute(a->Name(), value.c_str());
  }
  for (const XMLElement* child : document.children(element)) {
    copy_mjcf_tree(document, *child, renaming, copy);
  }
  return copy;
}

MjcfReferences find_mjcf_references(const MjcfDocument& document, int model, MjcfCopyIf condition,
                                    MjcfNames names) {
  MjcfReferences found;
  for (const char* section : kSections) {
    std::vector<const XMLElement*> elements;
    // Tendons and actuators that are copied are named by what follows.
    const std::string kind = section;
    std::set<std::string> more;
    for (const XMLElement* element : document.section(section, model)) {
      const Count count = count_references(document, *element, names);
      if (count.inside == 0 || (condition == MjcfCopyIf::All && count.outside > 0)) continue;
      elements.push_back(element);
      if (const char* name = element->Attribute("name")) more.insert(name);
    }
    if (kind == "tendon" || kind == "actuator") names[kind].insert(more.begin(), more.end());
    if (!elements.empty()) found.sections.emplace_back(section, std::move(elements));
  }
  found.names = std::move(names);
  return found;
}

void copy_mjcf_references(MjcfDocument& document, const MjcfReferences& references, int to,
                          const MjcfRenaming& renaming) {
  for (const auto& [section, elements] : references.sections) {
    XMLElement& copies = document.make(section.c_str(), *elements.front());
    for (const XMLElement* element : elements) {
      XMLElement& copy = copy_reference(document, *element, renaming, references.names, copies);
      // A copy without a class has the outermost one of its own model.
      if (renaming.other_model && copy.Attribute("class") == nullptr) {
        copy.SetAttribute("class", (renaming.prefix + "main").c_str());
      }
    }
    document.append(to, copies);
  }
}

}  // namespace amontons::io

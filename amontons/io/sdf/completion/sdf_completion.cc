#include "amontons/io/sdf/completion/sdf_completion.h"

#include "amontons/io/xml/xml_walk.h"

#include <string_view>

namespace amontons::io {
namespace {

using tinyxml2::XMLElement;

/// Returns true for an element inside one of a name.
bool is_child_of(const XMLElement& element, std::string_view name) {
  const XMLElement* parent = element.Parent() ? element.Parent()->ToElement() : nullptr;
  return parent != nullptr && name == parent->Name();
}

const XMLElement& original_of(const XMLElement& element) {
  return *static_cast<const XMLElement*>(element.GetUserData());
}

/// Gives a shape the sizes of the format that it leaves out, with a warning.
void add_default_sizes(XMLElement& shape, const std::string& file, ImportLedger& ledger) {
  struct Size {
    std::string_view shape;
    const char *name, *value;
  };
  constexpr Size kSizes[] = {
      {"box", "size", "1 1 1"},    {"sphere", "radius", "1"},    {"cylinder", "radius", "1"},
      {"cylinder", "length", "1"}, {"capsule", "radius", "0.5"}, {"capsule", "length", "1"},
      {"cone", "radius", "0.5"},   {"cone", "length", "1"},      {"ellipsoid", "radii", "1 1 1"}};
  for (const Size& size : kSizes) {
    if (size.shape != shape.Name() || shape.FirstChildElement(size.name) != nullptr) continue;
    XMLElement* added = shape.InsertNewChildElement(size.name);
    added->SetText(size.value);
    added->SetUserData(shape.GetUserData());
    ledger.add(ImportFate::Warning, record_name(original_of(shape)) + " " + size.name,
               std::string("it has none, which the format demands: ") + size.value + " m",
               place_of(file, original_of(shape)));
  }
}

/// Warns of the axes that a joint leaves out.
void note_missing_axes(const XMLElement& joint, const std::string& file, ImportLedger& ledger) {
  const std::string_view type = joint.Attribute("type");
  if (type == "fixed" || type == "ball") return;
  const bool is_universal = type == "universal" || type == "revolute2";
  const auto note = [&](const char* axis, const char* direction) {
    if (joint.FirstChildElement(axis) != nullptr) return;
    ledger.add(ImportFate::Warning, record_name(original_of(joint)) + " " + axis,
               std::string("it has none, which the format demands: (") + direction +
                   ") of the joint, as in DART",
               place_of(file, original_of(joint)));
  };
  note("axis", is_universal ? "1 0 0" : "0 0 1");
  if (is_universal) note("axis2", "0 1 0");
  if (type == "gearbox") note("axis2", "0 0 1");
}

}  // namespace

void complete_sdf(XMLElement& element, const std::string& file, ImportLedger& ledger) {
  const std::string_view name = element.Name();
  if (is_child_of(element, "geometry")) add_default_sizes(element, file, ledger);
  if (name == "joint") note_missing_axes(element, file, ledger);
  const bool is_friction = (name == "mu" || name == "mu2") && is_child_of(element, "ode");
  if (is_friction && element.DoubleText(0.0) < 0.0) element.SetText(kUnlimitedFriction);
  for (XMLElement* child = element.FirstChildElement(); child != nullptr;
       child = child->NextSiblingElement()) {
    complete_sdf(*child, file, ledger);
  }
}

}  // namespace amontons::io

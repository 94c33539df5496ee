#include "amontons/io/sdf/completion/reserved_names.h"

#include "amontons/io/xml/xml_text.h"
#include "amontons/io/xml/xml_walk.h"

#include <string_view>

namespace amontons::io {
namespace {

using tinyxml2::XMLElement;

constexpr std::string_view kReserved = "world";

/// Returns the child of a kind and name; null if there is none.
XMLElement* find_named(XMLElement& model, const char* kind, std::string_view name) {
  for (XMLElement* e = model.FirstChildElement(kind); e != nullptr;
       e = e->NextSiblingElement(kind)) {
    const char* own = e->Attribute("name");
    if (own != nullptr && own == name) return e;
  }
  return nullptr;
}

/// Returns a name that no link, joint, frame or model of a model has.
std::string free_name(XMLElement& model, const char* kind) {
  std::string name = std::string(kReserved) + "_" + kind;
  const auto taken = [&] {
    for (const char* other : {"link", "joint", "frame", "model"}) {
      if (find_named(model, other, name) != nullptr) return true;
    }
    return false;
  };
  while (taken()) name += "_";
  return name;
}

/// Lets the joints of a model name a link by its new name.
void rename_in_joints(XMLElement& model, const std::string& name) {
  for (XMLElement* joint = model.FirstChildElement("joint"); joint != nullptr;
       joint = joint->NextSiblingElement("joint")) {
    for (const char* end : {"parent", "child"}) {
      XMLElement* e = joint->FirstChildElement(end);
      if (trimmed_text(e) == kReserved) e->SetText(name.c_str());
    }
  }
}

/// Renames what a model and those inside it call by the reserved name.
void rename_in_model(XMLElement& model, const std::string& file, ImportLedger& ledger) {
  for (const char* kind : {"link", "joint"}) {
    XMLElement* element = find_named(model, kind, kReserved);
    if (element == nullptr) continue;
    const bool is_link = std::string_view(kind) == "link";
    const bool is_bare = element->FirstChildElement("inertial") == nullptr &&
                         element->FirstChildElement("collision") == nullptr;
    const bool has_others = model.FirstChildElement("link") != model.LastChildElement("link");
    const auto* original = static_cast<const XMLElement*>(element->GetUserData());
    std::string reason = "the format reserves this name: ";
    if (is_link && is_bare && has_others) {
      model.DeleteChild(element);
      reason += "the link has no mass and no shapes, and is the world itself";
    } else {
      const std::string name = free_name(model, kind);
      element->SetAttribute("name", name.c_str());
      if (is_link) rename_in_joints(model, name);
      reason += "the " + std::string(kind) + " is called " + name;
    }
    ledger.add(ImportFate::Warning, record_name(*original) + " name", reason,
               place_of(file, *original));
  }
  for (XMLElement* inner = model.FirstChildElement("model"); inner != nullptr;
       inner = inner->NextSiblingElement("model")) {
    rename_in_model(*inner, file, ledger);
  }
}

}  // namespace

void rename_reserved_names(XMLElement& sdf, const std::string& file, ImportLedger& ledger) {
  for (XMLElement* child = sdf.FirstChildElement(); child != nullptr;
       child = child->NextSiblingElement()) {
    const std::string_view tag = child->Name();
    if (tag == "model") rename_in_model(*child, file, ledger);
    if (tag == "world") rename_reserved_names(*child, file, ledger);
  }
}

}  // namespace amontons::io

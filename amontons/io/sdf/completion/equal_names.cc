#include "amontons/io/sdf/completion/equal_names.h"

#include "amontons/io/xml/xml_text.h"
#include "amontons/io/xml/xml_walk.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

namespace amontons::io {
namespace {

using tinyxml2::XMLElement;

const XMLElement& original_of(const XMLElement& element) {
  return *static_cast<const XMLElement*>(element.GetUserData());
}

/// Holds the names of the elements beside each other, and hands out numbers for those given twice.
class NumberedNames {
 public:
  void add(const std::string& name) { taken_.insert(name); }

  /// Returns the first name NAME_2, NAME_3 ... that no element has, and takes it.
  std::string next(const std::string& name) {
    int& number = last_.try_emplace(name, 1).first->second;
    // Bound: each turn but the last finds one of the names taken.
    while (true) {
      std::string numbered = name + "_" + std::to_string(++number);
      if (taken_.insert(numbered).second) return numbered;
    }
  }

 private:
  std::set<std::string> taken_;
  std::map<std::string, int> last_;  // numbers that were tried
};

/// Replaces the fate in the record of an element or attribute.
void amend(const std::string& record, const SourceLocation& where, ImportFate fate,
           const std::string& reason, ImportLedger& ledger) {
  const auto is_it = [&](const LedgerEntry& entry) {
    return entry.where.line == where.line && entry.where.file == where.file &&
           entry.element == record;
  };
  const auto found = std::find_if(ledger.entries.begin(), ledger.entries.end(), is_it);
  if (found == ledger.entries.end()) return ledger.add(fate, record, reason, where);
  found->fate = fate;
  found->reason = reason;
}

/// Returns why an element has another name than the file says.
std::string reason_for(const XMLElement& first, const std::string& kind, const std::string& name,
                       const std::string& numbered) {
  return "there is already a " + kind + " '" + name + "', in line " +
         std::to_string(original_of(first).GetLineNum()) + ": it is called " + numbered;
}

void number_collisions_of(XMLElement& link, const std::string& file, ImportLedger& ledger) {
  NumberedNames names;
  for (const XMLElement* e = link.FirstChildElement("collision"); e != nullptr;
       e = e->NextSiblingElement("collision")) {
    names.add(e->Attribute("name"));
  }
  std::map<std::string, const XMLElement*> seen;
  for (XMLElement* e = link.FirstChildElement("collision"); e != nullptr;
       e = e->NextSiblingElement("collision")) {
    const std::string name = e->Attribute("name");
    const auto [first, is_new] = seen.emplace(name, e);
    if (is_new) continue;
    const std::string numbered = names.next(name);
    e->SetAttribute("name", numbered.c_str());
    amend(record_name(original_of(*e), "name"), place_of(file, original_of(*e)),
          ImportFate::Ignored, reason_for(*first->second, "collision", name, numbered), ledger);
  }
}

/// Adds the name of a model at the beginning of the name of a frame.
void add_model(std::string_view frame, std::set<std::string>& models) {
  if (!frame.empty()) models.emplace(frame.substr(0, frame.find("::")));
}

/// Adds the models to which an attribute of an element refers, where it has it.
void add_model_of(const XMLElement* element, const char* attribute, std::set<std::string>& models) {
  const char* frame = element != nullptr ? element->Attribute(attribute) : nullptr;
  if (frame != nullptr) add_model(frame, models);
}

/// Returns the models to which frames, poses, joints and states of a world refer.
std::set<std::string> models_referred_to(const XMLElement& world) {
  std::set<std::string> models;
  for (const XMLElement* e = world.FirstChildElement(); e != nullptr; e = e->NextSiblingElement()) {
    const std::string_view kind = e->Name();
    add_model_of(e, "attached_to", models);
    add_model_of(e->FirstChildElement("pose"), "relative_to", models);
    if (kind == "joint") {
      add_model(trimmed_text(e->FirstChildElement("parent")), models);
      add_model(trimmed_text(e->FirstChildElement("child")), models);
    }
    for (const XMLElement* model = kind == "state" ? e->FirstChildElement("model") : nullptr;
         model != nullptr; model = model->NextSiblingElement("model")) {
      add_model_of(model, "name", models);
    }
  }
  return models;
}

bool is_model(const XMLElement& element) {
  const std::string_view kind = element.Name();
  return kind == "model" || kind == "include";
}

/// Gives a model, or the include of one, another name.
void rename_model(XMLElement& element, const std::string& name) {
  if (std::string_view(element.Name()) == "model") {
    return element.SetAttribute("name", name.c_str());
  }
  XMLElement* given = element.FirstChildElement("name");
  if (given == nullptr) {
    given = element.InsertNewChildElement("name");
    given->SetUserData(element.GetUserData());
  }
  given->SetText(name.c_str());
}

/// Returns the record of what names a model: an attribute, the <name> of an include, or the
/// include.
std::string record_of_name(const XMLElement& element) {
  const XMLElement& original = original_of(element);
  if (std::string_view(element.Name()) == "model") return record_name(original, "name");
  const XMLElement* given = original.FirstChildElement("name");
  return record_name(given != nullptr ? *given : original);
}

/// Returns the place of that record.
SourceLocation place_of_name(const XMLElement& element, const std::string& file) {
  const XMLElement& original = original_of(element);
  const XMLElement* given = original.FirstChildElement("name");
  return place_of(file, is_model(element) && given != nullptr ? *given : original);
}

}  // namespace

void number_equal_collisions(XMLElement& element, const std::string& file, ImportLedger& ledger) {
  if (std::string_view(element.Name()) == "link") number_collisions_of(element, file, ledger);
  for (XMLElement* child = element.FirstChildElement(); child != nullptr;
       child = child->NextSiblingElement()) {
    const std::string_view kind = child->Name();
    if (kind == "world" || kind == "model" || kind == "link") {
      number_equal_collisions(*child, file, ledger);
    }
  }
}

void number_equal_models(XMLElement& world,
                         const std::function<std::string(const std::string&)>& name_of_file,
                         const std::string& file, ImportLedger& ledger) {
  const auto name_of = [&](const XMLElement& element) {
    if (const char* name = element.Attribute("name")) return std::string(name);
    const std::string name = trimmed_text(element.FirstChildElement("name"));
    return name.empty() ? name_of_file(trimmed_text(element.FirstChildElement("uri"))) : name;
  };
  // Frames share the names of models, and joints may not have them.
  NumberedNames names;
  for (const XMLElement* e = world.FirstChildElement(); e != nullptr; e = e->NextSiblingElement()) {
    if (is_model(*e) || e->Attribute("name") != nullptr) names.add(name_of(*e));
  }
  const std::set<std::string> referred = models_referred_to(original_of(world));
  std::map<std::string, const XMLElement*> seen;
  for (XMLElement* e = world.FirstChildElement(); e != nullptr; e = e->NextSiblingElement()) {
    if (!is_model(*e)) continue;
    const std::string name = name_of(*e);
    const auto [first, is_new] = seen.emplace(name, e);
    if (is_new || name.empty()) continue;
    const std::string numbered = names.next(name);
    const bool is_finding = referred.contains(name);
    const std::string reason = reason_for(*first->second, "model", name, numbered) +
                               (is_finding ? "; what refers to the name means the first one" : "");
    amend(record_of_name(*e), place_of_name(*e, file),
          is_finding ? ImportFate::Refused : ImportFate::Ignored, reason, ledger);
    rename_model(*e, numbered);
  }
}

}  // namespace amontons::io

#include "amontons/io/mjcf/mjcf_ledger.h"

#include "amontons/io/mjcf/mjcf_rules.h"
#include "amontons/io/xml/xml_walk.h"
#include "amontons/math/stop.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace amontons::io {
namespace {

using tinyxml2::XMLAttribute;
using tinyxml2::XMLElement;

// What is said of the parts of an element that is left out.
const MjcfFates::Record kWithoutEffect{ImportFate::Ignored,
                                       "without effect here: its element is left out"};
const MjcfFates::Record kIdleDefault{ImportFate::Ignored, "nothing takes this default"};

/// Orders fates: the worst of several uses of one default is reported.
int severity(ImportFate fate) {
  switch (fate) {
    case ImportFate::Applied:
      return 0;
    case ImportFate::Ignored:
      return 1;
    case ImportFate::Approximated:
      return 2;
    default:
      return 3;
  }
}

/// Returns true for sections whose members count one by one, while the section itself is applied.
bool is_section(const std::string& parent, const std::string& tag) {
  constexpr std::string_view kSections[] = {"asset",    "contact", "equality", "tendon",
                                            "actuator", "sensor",  "keyframe", "deformable"};
  return tag == "default" ||
         (parent == "mujoco" &&
          std::find(std::begin(kSections), std::end(kSections), tag) != std::end(kSections));
}

/// Walks over the document and writes its entries.
class Walk {
 public:
  /// @param attached  the elements walked over are those of a model that is attached.
  Walk(const MjcfDocument& document, const MjcfFates& fates, bool attached, ImportLedger& ledger)
      : document_(document), fates_(fates), attached_(attached), ledger_(ledger) {}

  /// Writes the entries of an element and of all below it.
  /// @param acts  false within an element that does not act, of which a finding tells.
  void visit(const XMLElement& element, const std::string& parent, bool acts = true) {
    check_stop();
    const std::string tag = element.Name();
    // An <include> is applied, and so is the root of its file; the children count one by one.
    if (const XMLElement* root = document_.included_root(element)) {
      note_all(element, {ImportFate::Applied, ""});
      note_all(*root, {ImportFate::Applied, ""});
      visit_children(*root, parent);
      return;
    }
    if (is_section(parent, tag)) {
      note_all(element, {ImportFate::Applied, ""});
      visit_children(element, tag);
      return;
    }
    // No reader was made of the element: the rules say why.
    const MjcfFates::Record* record = fates_.find(&element);
    if (record == nullptr && attached_) {
      // Parts of what is inside may be attached.
      note_all(element, {ImportFate::Ignored, "in a model of which other parts are attached"});
      visit_children(element, tag);
      return;
    }
    if (record == nullptr) {
      MjcfReason reason = reason_of_mjcf_element(parent, tag);
      if (const std::string* look = fates_.find_look(&element)) reason.reason = *look;
      const bool is_finding = acts && reason.fate == ImportFate::Refused;
      note(element, {is_finding ? reason.fate : ImportFate::Ignored, reason.reason});
      note_content(element, "inside an ignored <" + tag + ">");
      return;
    }
    // What is left out has had no effect, whatever was read of it, nor has what it alone has used.
    acts = acts && fates_.acts(&element);
    const bool is_drawn = fates_.find_look(&element) != nullptr;
    const bool is_idle_default = parent == "default" && !acts;
    MjcfFates::Record own = is_idle_default ? kIdleDefault : *record;
    if (is_drawn && own.fate == ImportFate::Ignored) own.reason += "; the replay draws it";
    note(element, own);
    if (tag == "flexcomp" || tag == "flex" || (tag == "composite" && !acts)) {
      note_content(element, "a part of a soft body, which is not simulated");
      return;
    }
    // An attribute that nobody read has no effect, and the rules say why.
    for (const XMLAttribute* a = element.FirstAttribute(); a != nullptr; a = a->Next()) {
      note(element, *a, acts && fates_.acts(a) ? fate_of(tag, *a, is_drawn) : kWithoutEffect);
    }
    visit_children(element, tag, acts);
  }

 private:
  /// Writes one reason for all attributes of an element, and for all that is inside it.
  void note_content(const XMLElement& element, const std::string& reason) {
    for (const XMLAttribute* a = element.FirstAttribute(); a != nullptr; a = a->Next()) {
      note(element, *a, {ImportFate::Ignored, reason});
    }
    for (const XMLElement* child = element.FirstChildElement(); child != nullptr;
         child = child->NextSiblingElement()) {
      note_ignored(*child, reason, document_.place_of(*child).file, ledger_);
    }
  }

  /// Returns the fate of an attribute of an applied element.
  /// @param is_drawn  the element is drawn, be it that it does nothing else.
  MjcfFates::Record fate_of(const std::string& tag, const XMLAttribute& attribute,
                            bool is_drawn) const {
    if (const MjcfFates::Record* known = fates_.find(&attribute)) return *known;
    if (const std::string* look = fates_.find_look(&attribute)) return {ImportFate::Ignored, *look};
    const std::string name = attribute.Name();
    if (name == "name") return {ImportFate::Applied, ""};
    const MjcfReason reason = reason_of_mjcf_attribute(tag, name);
    const bool shapes_look = is_drawn && reason.reason == "without effect here";
    return {reason.fate, shapes_look ? std::string(kMjcfDrawn) : reason.reason};
  }

  /// Visits the children; `tag` is the name that the rules know as their parent.
  void visit_children(const XMLElement& element, const std::string& tag, bool acts = true) {
    for (const XMLElement* child = element.FirstChildElement(); child != nullptr;
         child = child->NextSiblingElement()) {
      visit(*child, tag, acts);
    }
  }

  /// Writes one fate for an element and all its attributes.
  void note_all(const XMLElement& element, const MjcfFates::Record& record) {
    note(element, record);
    for (const XMLAttribute* a = element.FirstAttribute(); a != nullptr; a = a->Next()) {
      note(element, *a, record);
    }
  }

  /// Writes one entry.
  void note(const XMLElement& element, const MjcfFates::Record& record) {
    add(record_name(element), record, document_.place_of(element));
  }
  void note(const XMLElement& element, const XMLAttribute& attribute,
            const MjcfFates::Record& record) {
    add(record_name(element, attribute.Name()), record, document_.place_of(element, attribute));
  }
  /// What has a warning is applied as well, with an entry of its own.
  void add(const std::string& name, const MjcfFates::Record& record, const SourceLocation& where) {
    if (record.fate == ImportFate::Warning) ledger_.add(ImportFate::Applied, name, "", where);
    ledger_.add(record.fate, name, record.reason, where);
  }

  const MjcfDocument& document_;
  const MjcfFates& fates_;
  bool attached_;
  ImportLedger& ledger_;
};

}  // namespace

void MjcfFates::use(const void* node, const void* user) {
  if (paused_) return;
  records_.try_emplace(node);
  std::vector<const void*>& users = users_[node];
  if (users.empty() || users.back() != user) users.push_back(user);
}

const std::string* MjcfFates::find_look(const void* node) const {
  const auto found = looks_.find(node);
  return found == looks_.end() ? nullptr : &found->second;
}

bool MjcfFates::acts(const void* node) const {
  const auto users = users_.find(node);
  return users == users_.end() ||
         std::any_of(users->second.begin(), users->second.end(),
                     [&](const void* user) { return left_out_.count(user) == 0; });
}

void MjcfFates::set(const void* node, ImportFate fate, const std::string& reason) {
  if (paused_) return;
  const auto [it, is_new] = records_.try_emplace(node);
  Record& record = it->second;
  // The last reason is kept among equally bad fates.
  if (is_new || severity(fate) >= severity(record.fate)) record = {fate, reason};
}

const MjcfFates::Record* MjcfFates::find(const void* node) const {
  const auto found = records_.find(node);
  return found == records_.end() ? nullptr : &found->second;
}

void write_mjcf_ledger(const MjcfDocument& document, const MjcfFates& fates, ImportLedger& ledger) {
  for (int model = 0; model < document.num_models(); ++model) {
    Walk(document, fates, model > 0, ledger).visit(document.root(model), "");
  }
}

}  // namespace amontons::io

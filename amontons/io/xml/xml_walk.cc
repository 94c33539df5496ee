#include "amontons/io/xml/xml_walk.h"

#include "amontons/io/common/fail_at.h"
#include "amontons/io/common/fault_list.h"
#include "amontons/io/common/printable.h"
#include "amontons/io/common/trimmed.h"
#include "amontons/io/xml/xml_text.h"
#include "amontons/io/xml/xml_value.h"
#include "amontons/math/nearest_name.h"
#include "amontons/math/stop.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace amontons::io {
namespace {

using tinyxml2::XMLAttribute;
using tinyxml2::XMLElement;

/// Attributes of an element at most.
constexpr int kMaxAttributes = 1000;

/// Returns the element around one, null for the root.
const XMLElement* parent_of(const XMLElement& element) {
  return element.Parent() ? element.Parent()->ToElement() : nullptr;
}

/// Returns the elements that hold one, itself last, without the root; for the root, itself alone.
std::vector<const XMLElement*> chain_of(const XMLElement& element) {
  std::vector<const XMLElement*> chain{&element};
  while (const XMLElement* parent = parent_of(*chain.back())) chain.push_back(parent);
  if (chain.size() > 1) chain.pop_back();
  std::reverse(chain.begin(), chain.end());
  return chain;
}

/// Returns true if no later element of the chain has the same kind and a name.
bool is_last_of_its_kind(const std::vector<const XMLElement*>& chain, std::size_t i) {
  return std::none_of(
      chain.begin() + static_cast<std::ptrdiff_t>(i) + 1, chain.end(), [&](const XMLElement* e) {
        return std::string_view(e->Name()) == chain[i]->Name() && e->Attribute("name") != nullptr;
      });
}

/// Returns the fate of an element or attribute that the format does not know. One that is nearly a
/// name of the format is probably meant to be it, which is a finding.
XmlFate fate_of_unknown(std::string_view name, const std::vector<std::string>& known) {
  const std::string hint = did_you_mean(name, known);
  return {hint.empty() ? ImportFate::Ignored : ImportFate::Warning,
          "not part of the format" + hint};
}

/// Refuses text that is not UTF-8, which programs and tables behind could not read.
void require_utf8(std::string_view text, const std::string& what, const SourceLocation& where) {
  if (is_utf8(text)) return;
  fail_at(where, what +
                     " is not UTF-8: save the file as UTF-8 (iconv -f ISO-8859-1 -t UTF-8), or "
                     "declare its encoding in the first line, <?xml version=\"1.0\" "
                     "encoding=\"ISO-8859-1\"?>");
}

/// Refuses text that is not UTF-8, and control characters in names and other attributes: names go
/// to terminals, which obey them. Lines and tabs lay out long attributes, but no names.
void refuse_odd_characters(const XMLElement& element, const std::string& file) {
  require_utf8(element.Name(), "the name of an element", place_of(file, element));
  require_utf8(text_of(element), std::string("the text of <") + element.Name() + ">",
               place_of(file, element));
  for (const XMLAttribute* a = element.FirstAttribute(); a != nullptr; a = a->Next()) {
    require_utf8(std::string(a->Name()) + a->Value(),
                 std::string("an attribute of <") + element.Name() + ">", place_of(file, *a));
    if (has_control_characters(a->Value(), std::string_view(a->Name()) == "name")) {
      fail_at(place_of(file, *a), std::string(a->Name()) + " of <" + element.Name() +
                                      "> must not have control characters");
    }
  }
  for (const auto* child = element.FirstChildElement(); child != nullptr;
       child = child->NextSiblingElement()) {
    refuse_odd_characters(*child, file);
  }
}

/// Walks once through a document: records, checks, and copies of the used parts.
class Walk {
 public:
  Walk(const XmlFormat& format, const std::string& file, ImportLedger& ledger,
       tinyxml2::XMLDocument& used)
      : format_(format), file_(file), ledger_(ledger), used_(used) {}

  /// Treats one element and all its content.
  void visit(const XMLElement& element, const std::string& path, tinyxml2::XMLNode& parent_copy) {
    check_stop();
    // An element that the format does not know is ignored with all its content.
    const ElementRule* rule = format_.find(path);
    if (rule == nullptr) {
      const XmlFate fate =
          fate_of_unknown(element.Name(), format_.children(path.substr(0, path.rfind('/'))));
      note_ignored(element, fate.reason, file_, ledger_, fate.fate);
      return;
    }
    const XMLElement* earlier = rule->repeatable ? nullptr : first_of_its_kind(element);
    if (earlier != nullptr) {
      note_ignored(
          element,
          "given twice: the first one counts, in line " + std::to_string(earlier->GetLineNum()),
          file_, ledger_, ImportFate::Warning);
      return;
    }
    // An ignored element without rules for its content needs no checks.
    const XmlFate fate = decide(element, rule->fate_of, rule->fate, rule->reason);
    const bool stored = !rule->attributes.empty() || rule->text != XmlValue::Nothing;
    const bool is_left_out = fate.fate == ImportFate::Ignored || fate.is_finding;
    if (is_left_out && (rule->fate != ImportFate::Ignored || !stored)) {
      note_ignored(element, fate.reason, file_, ledger_, fate.fate);
      return;
    }
    // Structure: required children, choice of one child.
    for (const std::string_view child : rule->required) require_child(element, std::string(child));
    const std::string place = rule->children_of.empty() ? path : std::string(rule->children_of);
    if (!rule->single_child_noun.empty()) check_choice(element, *rule, place);
    const auto is_surplus = [&](const XMLElement& child) {
      return rule->first_child_counts && &child != element.FirstChildElement() &&
             format_.find(place + "/" + child.Name()) != nullptr;
    };
    if (!rule->noted_by_reader) note(element, fate);
    // Content: attributes, text, children. Their faults do not depend on each other.
    XMLElement& copy = copy_of(element, parent_copy);
    visit_attributes(element, *rule, copy);
    faults_.attempt([&] { visit_text(element, *rule, copy); });
    for (const XMLElement* child = element.FirstChildElement(); child != nullptr;
         child = child->NextSiblingElement()) {
      if (is_surplus(*child)) {
        note_ignored(*child,
                     "a <" + std::string(element.Name()) + "> holds one " +
                         std::string(rule->single_child_noun) + ": the first one counts",
                     file_, ledger_, ImportFate::Warning);
        continue;
      }
      faults_.attempt([&] { visit(*child, place + "/" + child->Name(), copy); });
    }
  }

  /// Throws what was found in all elements, if anything.
  void throw_faults() const { faults_.throw_any(); }

 private:
  /// Appends a copy of an element without its content; its user data is the original.
  XMLElement& copy_of(const XMLElement& element, tinyxml2::XMLNode& parent_copy) {
    XMLElement* copy = used_.NewElement(element.Name());
    copy->SetUserData(const_cast<XMLElement*>(&element));
    parent_copy.InsertEndChild(copy);
    return *copy;
  }

  /// Returns the fate of an element or attribute; a fate function overrules the table.
  /// @throws ParseError if the fate is to be refused, unless it is a finding.
  XmlFate decide(const XMLElement& element, XmlFateFunction fate_of, ImportFate fate,
                 std::string_view reason) const {
    XmlFate result{fate, std::string(reason)};
    if (fate_of != nullptr) result = fate_of(element).value_or(result);
    if (result.fate == ImportFate::Refused && !result.is_finding) {
      fail_at(place_of(file_, element), describe(element) + ": " + result.reason);
    }
    return result;
  }

  /// Returns an earlier element of the same kind beside one, or null.
  static const XMLElement* first_of_its_kind(const XMLElement& element) {
    const XMLElement* parent = parent_of(element);
    if (parent == nullptr) return nullptr;
    const XMLElement* first = parent->FirstChildElement(element.Name());
    return first == &element ? nullptr : first;
  }

  /// Refuses an element that lacks a required child.
  void require_child(const XMLElement& element, const std::string& child) const {
    if (element.FirstChildElement(child.c_str()) != nullptr) return;
    fail_at(place_of(file_, element),
            describe(element) + ": <" + element.Name() + "> needs a <" + child + ">");
  }

  /// Refuses an element that does not hold exactly one child of a known kind.
  void check_choice(const XMLElement& element, const ElementRule& rule,
                    const std::string& place) const {
    const std::string noun(rule.single_child_noun), name = std::string("<") + element.Name() + ">";
    const XMLElement* choice = element.FirstChildElement();
    if (choice == nullptr) {
      fail_at(place_of(file_, element), describe(element) + ": this " + name + " holds no " + noun);
    }
    if (format_.find(place + "/" + choice->Name()) == nullptr) {
      // The error lists all kinds that the format knows here.
      std::string known;
      for (const std::string& child : format_.children(place)) {
        known += (known.empty() ? "" : ", ") + child;
      }
      fail_at(place_of(file_, *choice), describe(element) + ": a <" + choice->Name() + "> is no " +
                                            noun + " of the format: " + known);
    }
    // Other elements that the format does not know are noted as such.
    for (const XMLElement* other = choice->NextSiblingElement(); other != nullptr;
         other = other->NextSiblingElement()) {
      const ElementRule* known = format_.find(place + "/" + other->Name());
      const bool is_same = std::string_view(other->Name()) == choice->Name();
      if (known == nullptr || rule.first_child_counts || (known->repeatable && is_same)) continue;
      fail_at(place_of(file_, *other), describe(element) + ": a " + name + " holds one " + noun +
                                           "; write a <" + parent_of(element)->Name() +
                                           "> for each");
    }
  }

  /// Checks, copies and records the attributes of an element.
  void visit_attributes(const XMLElement& element, const ElementRule& rule, XMLElement& copy) {
    for (const AttributeRule& attribute : rule.attributes) {
      if (!attribute.required ||
          element.FindAttribute(std::string(attribute.name).c_str()) != nullptr) {
        continue;
      }
      faults_.attempt([&] {
        fail_at(place_of(file_, element), describe(element) + ": <" + element.Name() +
                                              "> needs the attribute '" +
                                              std::string(attribute.name) + "'");
      });
    }
    // Unknown attributes are recorded and left out.
    for (const XMLAttribute* a = element.FirstAttribute(); a != nullptr; a = a->Next()) {
      const auto known =
          std::find_if(rule.attributes.begin(), rule.attributes.end(),
                       [&](const AttributeRule& attribute) { return attribute.name == a->Name(); });
      if (known == rule.attributes.end()) {
        std::vector<std::string> names;
        for (const AttributeRule& attribute : rule.attributes) names.emplace_back(attribute.name);
        note(element, *a, fate_of_unknown(a->Name(), names));
        continue;
      }
      faults_.attempt([&] { visit_attribute(element, *a, *known, copy); });
    }
  }

  /// Checks, copies and records an attribute of the format.
  void visit_attribute(const XMLElement& element, const XMLAttribute& attribute,
                       const AttributeRule& rule, XMLElement& copy) {
    const std::string what =
        describe(element) + ": " + attribute.Name() + " of <" + element.Name() + ">";
    const SourceLocation where = place_of(file_, attribute);
    const std::string record = record_name(element, attribute.Name());
    const std::string text = without_noted_ends(attribute.Value(), rule.value, record, where);
    copy.SetAttribute(attribute.Name(), check_value(text, rule.value, what, where).c_str());
    note(element, attribute, decide(element, rule.fate_of, rule.fate, rule.reason));
  }

  /// Checks and copies the text of an element.
  void visit_text(const XMLElement& element, const ElementRule& rule, XMLElement& copy) {
    if (rule.text == XmlValue::Nothing) return;
    const char* given = element.GetText();
    const SourceLocation where = place_of(file_, element);
    const std::string text =
        without_noted_ends(given ? given : "", rule.text, record_name(element), where);
    const std::string what = describe(element) + ": <" + element.Name() + ">";
    copy.SetText(check_value(text, rule.text, what, where).c_str());
  }

  /// Returns a value without stray characters after its numbers, which are a finding.
  std::string without_noted_ends(const std::string& text, XmlValue kind, const std::string& record,
                                 const SourceLocation& where) {
    std::string read = without_stray_ends(text, kind);
    if (read != text) {
      ledger_.add(ImportFate::Warning, record,
                  "'" + std::string(trimmed(text)) +
                      "' has a character that is no part of a number: read as " + read,
                  where);
    }
    return read;
  }

  /// Adds a line to the ledger for an element or attribute of the file; those that a reader has
  /// added, which have no line, are none.
  void note(const XMLElement& element, const XmlFate& fate) {
    if (element.GetLineNum() == 0) return;
    ledger_.add(fate.fate, record_name(element), fate.reason, place_of(file_, element));
  }
  void note(const XMLElement& element, const XMLAttribute& attribute, const XmlFate& fate) {
    if (attribute.GetLineNum() == 0) return;
    ledger_.add(fate.fate, record_name(element, attribute.Name()), fate.reason,
                place_of(file_, attribute));
  }

  const XmlFormat& format_;
  const std::string& file_;
  ImportLedger& ledger_;
  tinyxml2::XMLDocument& used_;
  FaultList faults_ = {};
};

/// Refuses an element with more than kMaxAttributes attributes, which are counted by their values.
void refuse_many_attributes(const std::string& text, const std::string& file) {
  int line = 1, count = 0;
  char quote = '\0';
  bool in_tag = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') ++line;
    if (in_tag && quote != '\0') {
      if (c == quote) quote = '\0';
    } else if (in_tag && (c == '"' || c == '\'')) {
      quote = c;
      if (++count > kMaxAttributes) {
        fail_at({file, line, 0},
                "an element has more than " + std::to_string(kMaxAttributes) + " attributes");
      }
    } else if (c == '<') {
      // A comment is no tag; it may hold anything.
      const bool is_comment = text.compare(i, 4, "<!--") == 0;
      const std::size_t end = is_comment ? text.find("-->", i) : i;
      if (end == std::string::npos) return;
      line += static_cast<int>(std::count(text.begin() + static_cast<std::ptrdiff_t>(i),
                                          text.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
      i = end;
      in_tag = !is_comment;
      count = 0;
    } else if (c == '>') {
      in_tag = false;
    }
  }
}

}  // namespace

void parse_leniently(const std::string& given, const std::string& file,
                     tinyxml2::XMLDocument& document) {
  const std::string text = as_utf8(given);
  refuse_many_attributes(text, file);
  document.Parse(text.data(), text.size());
  if (document.ErrorID() != tinyxml2::XML_ERROR_PARSING_DECLARATION) return;
  // The declaration is replaced by blanks, so that all lines keep their numbers.
  std::string rest = text;
  const std::size_t first = rest.find("<?xml"), end = rest.find("?>", first);
  if (first == std::string::npos || end == std::string::npos) return;
  for (std::size_t i = first; i < end + 2; ++i) {
    if (rest[i] != '\n') rest[i] = ' ';
  }
  document.Parse(rest.data(), rest.size());
}

const XMLElement& parse_xml(const std::string& text, const std::string& file,
                            const std::string& root, const std::string& what,
                            tinyxml2::XMLDocument& document) {
  // Two bytes for each character: the mark at the beginning, or a zero beside the first one.
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff") ||
      (text.size() > 1 && (text[0] == '\0') != (text[1] == '\0'))) {
    fail_at({file, 1, 0}, "the file is UTF-16: save it as UTF-8 (iconv -f UTF-16 -t UTF-8)");
  }
  parse_leniently(text, file, document);
  return checked_root(document, file, root, what);
}

const XMLElement& checked_root(const tinyxml2::XMLDocument& document, const std::string& file,
                               const std::string& root, const std::string& what) {
  if (document.ErrorID() == tinyxml2::XML_ELEMENT_DEPTH_EXCEEDED) {
    fail_at({file, std::max(1, document.ErrorLineNum()), 0},
            "elements are nested deeper than the XML reader reads (100 levels); attach a part of "
            "the model from a file of its own");
  }
  if (document.Error()) {
    fail_at({file, std::max(1, document.ErrorLineNum()), 0},
            std::string("not valid XML: ") + document.ErrorIDToName(document.ErrorID()));
  }
  const XMLElement* element = document.RootElement();
  if (element == nullptr || (!root.empty() && element->Name() != root)) {
    fail_at({file, element ? element->GetLineNum() : 1, 0}, what + " starts with <" + root + ">");
  }
  refuse_odd_characters(*element, file);
  return *element;
}

SourceLocation place_of(const std::string& file, const tinyxml2::XMLNode& node) {
  return {file, node.GetLineNum(), 0};
}

SourceLocation place_of(const std::string& file, const XMLAttribute& attribute) {
  return {file, attribute.GetLineNum(), 0};
}

std::string describe(const XMLElement& element) {
  const std::vector<const XMLElement*> chain = chain_of(element);
  std::string result;
  // A name hides the names of outer elements of its kind.
  for (std::size_t i = 0; i < chain.size(); ++i) {
    const char* name = chain[i]->Attribute("name");
    if (name == nullptr || !is_last_of_its_kind(chain, i)) continue;
    result += (result.empty() ? "" : " ") + std::string(chain[i]->Name()) + " '" + name + "'";
  }
  return result.empty() ? std::string("<") + chain.front()->Name() + ">" : result;
}

std::string record_name(const XMLElement& element, const std::string& attribute) {
  const std::vector<const XMLElement*> chain = chain_of(element);
  std::size_t next = 0;  // index of the first element that describe() does not name
  for (std::size_t i = 0; i < chain.size(); ++i) {
    if (chain[i]->Attribute("name") != nullptr) next = i + 1;
  }
  if (next == 0) next = 1;
  // Elements after the last named one are listed by their kind.
  std::string detail;
  for (; next < chain.size(); ++next) {
    detail += (detail.empty() ? "" : " ") + std::string(chain[next]->Name());
  }
  if (!attribute.empty()) detail += (detail.empty() ? "" : " ") + attribute;
  return describe(element) + (detail.empty() ? "" : ": " + detail);
}

void note_ignored(const XMLElement& element, const std::string& reason, const std::string& file,
                  ImportLedger& ledger, ImportFate fate) {
  ledger.add(fate, record_name(element), reason, place_of(file, element));
  // The content is recorded as well, so that the ledger accounts for every part of the file.
  const std::string inner = std::string("inside an ignored <") + element.Name() + ">";
  for (const XMLAttribute* a = element.FirstAttribute(); a != nullptr; a = a->Next()) {
    ledger.add(ImportFate::Ignored, record_name(element, a->Name()), inner, place_of(file, *a));
  }
  for (const XMLElement* child = element.FirstChildElement(); child != nullptr;
       child = child->NextSiblingElement()) {
    note_ignored(*child, inner, file, ledger);
  }
}

void walk_xml(const XMLElement& root, const XmlFormat& format, const std::string& file,
              ImportLedger& ledger, tinyxml2::XMLDocument& used) {
  Walk walk(format, file, ledger, used);
  walk.visit(root, root.Name(), used);
  walk.throw_faults();
}

}  // namespace amontons::io

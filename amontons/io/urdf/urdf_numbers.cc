#include "amontons/io/urdf/urdf_numbers.h"

#include "amontons/io/common/parse_number.h"
#include "amontons/io/common/trimmed.h"
#include "amontons/io/urdf/urdf_completion.h"
#include "amontons/io/xml/xml_value.h"
#include "amontons/io/xml/xml_walk.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace amontons::io {
namespace {

using tinyxml2::XMLAttribute;
using tinyxml2::XMLElement;

constexpr std::array<std::string_view, 5> kVectors{"xyz", "rpy", "size", "scale", "normal"};
constexpr std::array<std::string_view, 4> kBounds{"lower", "upper", "effort", "velocity"};
constexpr std::array<std::string_view, 2> kOfSeveral{"damping", "friction"};

template <std::size_t n>
bool is_one_of(const std::array<std::string_view, n>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Returns the words of a text between characters that part them.
std::vector<std::string> split(std::string_view text, std::string_view parting) {
  std::vector<std::string> words;
  for (std::size_t end = 0; end < text.size();) {
    const std::size_t begin = text.find_first_not_of(parting, end);
    if (begin == std::string_view::npos) break;
    end = std::min(text.find_first_of(parting, begin), text.size());
    words.emplace_back(text.substr(begin, end - begin));
  }
  return words;
}

/// Returns a mended value of an attribute; empty where it needs none, or cannot be mended.
std::string mended(std::string_view name, const std::string& text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const bool is_vector = is_one_of(kVectors, name), is_bound = is_one_of(kBounds, name);
  const bool is_first = is_one_of(kOfSeveral, name);
  if (!is_vector && !is_bound && !is_first) return "";
  const std::vector<std::string> words = split(text, is_vector ? " \t\r\n," : kBlanks);
  if (is_bound && words.size() == 1 && is_no_bound(words[0])) {
    return shortest_text(words[0].starts_with('-') ? -kNoUrdfLimit : kNoUrdfLimit);
  }
  const std::size_t count = is_vector ? 3 : 1;
  if (words.size() < count || (words.size() > count && !is_vector && !is_first)) return "";
  // Stray characters behind numbers are left to the walk through the format.
  std::string joined;
  for (std::size_t i = 0; i < words.size(); ++i) {
    double number = 0.0;
    if (!parse_number(without_stray_ends(words[i], XmlValue::Number), number).empty()) return "";
    if (i < count) joined += (i > 0 ? " " : "") + words[i];
  }
  const bool has_commas = is_vector && text.find(',') != std::string::npos;
  return words.size() == count && !has_commas ? "" : joined;
}

}  // namespace

void mend_urdf_numbers(XMLElement& element, const std::string& file, ImportLedger& ledger) {
  for (const XMLAttribute* own = element.FirstAttribute(); own != nullptr; own = own->Next()) {
    const std::string name = own->Name(), text = own->Value();
    const std::string value = mended(name, text);
    if (value.empty()) continue;
    element.SetAttribute(name.c_str(), value.c_str());
    const bool is_bound = is_one_of(kBounds, name) && is_no_bound(trimmed(text));
    ledger.add(is_bound ? ImportFate::Applied : ImportFate::Warning, record_name(element, name),
               is_bound ? "'" + text + "' stands for no limit"
                        : "'" + text + "' is not of the format: it counts as '" + value + "'",
               place_of(file, element));
  }
  for (XMLElement* child = element.FirstChildElement(); child != nullptr;
       child = child->NextSiblingElement()) {
    mend_urdf_numbers(*child, file, ledger);
  }
}

}  // namespace amontons::io

#include "amontons/io/urdf/urdf_extension_value.h"

#include "amontons/io/common/parse_number.h"
#include "amontons/io/common/trimmed.h"
#include "amontons/io/xml/xml_text.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace amontons::io {
namespace {

/// Returns the value in small letters.
std::string small_text(const tinyxml2::XMLElement& element) {
  std::string text = extension_text(element);
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

}  // namespace

std::string extension_text(const tinyxml2::XMLElement& element) {
  const char* value = element.Attribute("value");
  return value != nullptr ? std::string(trimmed(value)) : trimmed_text(&element);
}

std::optional<double> extension_number(const tinyxml2::XMLElement& element) {
  double number = 0.0;
  if (!parse_number(extension_text(element), number).empty()) return std::nullopt;
  return number;
}

bool is_extension_true(const tinyxml2::XMLElement& element) {
  const std::string text = small_text(element);
  return text == "true" || text == "yes" || text == "1";
}

bool is_extension_false(const tinyxml2::XMLElement& element) {
  const std::string text = small_text(element);
  return text == "false" || text == "no" || text == "0";
}

const tinyxml2::XMLElement* find_in_robot(const tinyxml2::XMLElement& robot, const char* kind,
                                          const std::string& name) {
  for (const auto* element = robot.FirstChildElement(kind); element != nullptr;
       element = element->NextSiblingElement(kind)) {
    const char* own = element->Attribute("name");
    if (own != nullptr && name == own) return element;
  }
  return nullptr;
}

}  // namespace amontons::io

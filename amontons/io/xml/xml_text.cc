#include "amontons/io/xml/xml_text.h"

#include "amontons/io/common/parse_number.h"
#include "amontons/io/common/printable.h"
#include "amontons/io/common/trimmed.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <sstream>
#include <utility>

namespace amontons::io {
namespace {

using tinyxml2::XMLElement;

/// Prints elements at given lines, with line breaks as the only layout.
class LinePrinter {
 public:
  explicit LinePrinter(const std::function<int(const XMLElement&)>& line_of) : line_of_(line_of) {}

  /// Appends an element with all its content.
  void print(const XMLElement& element) {
    go_to_line_of(element);
    text_ += std::string("<") + element.Name();
    for (const auto* a = element.FirstAttribute(); a != nullptr; a = a->Next()) {
      text_ += std::string(" ") + a->Name() + "=\"";
      print_escaped(a->Value());
      text_ += '"';
    }
    text_ += '>';
    for (const auto* node = element.FirstChild(); node != nullptr; node = node->NextSibling()) {
      if (const XMLElement* child = node->ToElement()) print(*child);
      if (const tinyxml2::XMLText* words = node->ToText()) print_escaped(words->Value());
    }
    text_ += std::string("</") + element.Name() + ">";
  }

  std::string take() { return std::move(text_); }

 private:
  /// Adds line breaks up to the line of an element.
  void go_to_line_of(const XMLElement& element) {
    for (const int line = line_of_(element); line_ < line; ++line_) text_ += '\n';
  }

  /// Appends a text with the five characters escaped that XML reserves in texts and attributes.
  void print_escaped(const char* words) {
    for (; *words != '\0'; ++words) {
      switch (*words) {
        case '&':
          text_ += "&amp;";
          break;
        case '<':
          text_ += "&lt;";
          break;
        case '>':
          text_ += "&gt;";
          break;
        case '"':
          text_ += "&quot;";
          break;
        case '\n':
          text_ += ' ';  // one line stays one line
          break;
        default:
          text_ += *words;
      }
    }
  }

  const std::function<int(const XMLElement&)>& line_of_;
  std::string text_;
  int line_ = 1;
};

}  // namespace

std::string text_with_lines(const tinyxml2::XMLDocument& used) {
  // The original is the user data of a copied element; one that was added has none.
  return text_with_lines(used, [](const XMLElement& element) {
    const auto* original = static_cast<const XMLElement*>(element.GetUserData());
    return original != nullptr ? original->GetLineNum() : 0;
  });
}

std::string text_with_lines(const tinyxml2::XMLDocument& document,
                            const std::function<int(const XMLElement&)>& line_of) {
  LinePrinter printer(line_of);
  printer.print(*document.RootElement());
  return printer.take();
}

std::vector<double> numbers_in(std::string_view text) {
  std::istringstream words{std::string(text)};
  std::vector<double> numbers;
  for (std::string word; words >> word;) {
    numbers.push_back(0.0);
    parse_number(word, numbers.back());
  }
  return numbers;
}

void trim_names(XMLElement& element) {
  for (const char* attribute :
       {"name", "type", "link", "joint", "filename", "attached_to", "relative_to", "expressed_in",
        "canonical_link", "placement_frame"}) {
    const char* given = element.Attribute(attribute);
    if (given == nullptr) continue;
    const std::string word(trimmed(given));
    if (word != given) element.SetAttribute(attribute, word.c_str());
  }
  for (XMLElement* child = element.FirstChildElement(); child != nullptr;
       child = child->NextSiblingElement()) {
    trim_names(*child);
  }
}

std::string as_utf8(const std::string& text) {
  const std::size_t end = text.starts_with("<?xml") ? text.find("?>") : std::string::npos;
  if (end == std::string::npos) return text;
  std::string declaration = text.substr(0, end);
  std::transform(declaration.begin(), declaration.end(), declaration.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const bool is_latin = declaration.find("iso-8859-1\"") != std::string::npos ||
                        declaration.find("iso-8859-1'") != std::string::npos ||
                        declaration.find("latin1") != std::string::npos;
  if (!is_latin || is_utf8(text)) return text;
  // Its bytes are the code points U+0000 to U+00FF.
  std::string result;
  result.reserve(text.size() + text.size() / 8);
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (code < 0x80) {
      result += c;
    } else {
      result += static_cast<char>(0xc0 | (code >> 6));
      result += static_cast<char>(0x80 | (code & 0x3f));
    }
  }
  return result;
}

std::string_view text_of(const XMLElement& element) {
  const char* text = element.GetText();
  return text != nullptr ? text : "";
}

std::string trimmed_text(const tinyxml2::XMLElement* element) {
  const char* text = element != nullptr ? element->GetText() : nullptr;
  return text != nullptr ? std::string(trimmed(text)) : "";
}

}  // namespace amontons::io

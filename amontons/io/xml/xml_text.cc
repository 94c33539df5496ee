#include "amontons/io/xml/xml_text.h"

#include "amontons/io/common/trimmed.h"

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

std::string_view text_of(const XMLElement& element) {
  const char* text = element.GetText();
  return text != nullptr ? text : "";
}

std::string trimmed_text(const tinyxml2::XMLElement* element) {
  const char* text = element != nullptr ? element->GetText() : nullptr;
  return text != nullptr ? std::string(trimmed(text)) : "";
}

}  // namespace amontons::io

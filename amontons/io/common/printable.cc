#include "amontons/io/common/printable.h"

#include <cstddef>

namespace amontons::io {
namespace {

/// Returns the number of bytes of a control character that begins a text; 0 if none does.
std::size_t control_size(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x20 || first == 0x7f) return 1;
  // C1 is U+0080 to U+009F, two bytes of UTF-8.
  if (first != 0xc2 || text.size() < 2) return 0;
  const auto second = static_cast<unsigned char>(text[1]);
  return second >= 0x80 && second < 0xa0 ? 2 : 0;
}

bool is_layout(char c) { return c == '\n' || c == '\t'; }

}  // namespace

bool has_control_characters(std::string_view text, bool with_layout) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (control_size(text.substr(i)) > 0 && (with_layout || !is_layout(text[i]))) return true;
  }
  return false;
}

std::string printable(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t size = control_size(text.substr(i));
    if (size == 0 || is_layout(text[i])) {
      result += text[i++];
      continue;
    }
    i += size;
    const auto code = static_cast<unsigned char>(text[i - 1]);
    result += "\\x";
    result += {kDigits[code >> 4], kDigits[code & 0xf]};
  }
  return result;
}

}  // namespace amontons::io

#include "amontons/io/common/printable.h"

#include <algorithm>
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

std::string with_short_words(std::string_view text) {
  constexpr std::size_t kLongest = 300, kKept = 100;  // [bytes]; kept at each end
  // The second and later bytes of a character begin with the bits 10.
  const auto is_inside = [&](std::size_t i) { return (text[i] & 0xc0) == 0x80; };
  std::string result;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find_first_of(" \n\t", begin), text.size());
    if (end - begin > kLongest) {
      std::size_t head = begin + kKept, tail = end - kKept;
      while (head > begin && is_inside(head)) --head;
      while (tail < end && is_inside(tail)) ++tail;
      result.append(text.substr(begin, head - begin));
      result += "...(" + std::to_string(tail - head) + " bytes)...";
      result.append(text.substr(tail, end - tail));
    } else {
      result.append(text.substr(begin, end - begin));
    }
    if (end < text.size()) result += text[end];
    begin = end + 1;
  }
  return result;
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

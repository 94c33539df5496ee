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

/// Returns a UTF-8 text with the bytes between its ends replaced by their number.
std::string without_middle(std::string_view text, std::size_t head, std::size_t last) {
  // The second and later bytes of a character begin with the bits 10.
  const auto is_inside = [&](std::size_t i) { return (text[i] & 0xc0) == 0x80; };
  std::size_t tail = text.size() - last;
  while (head > 0 && is_inside(head)) --head;
  while (tail < text.size() && is_inside(tail)) ++tail;
  return std::string(text.substr(0, head)) + "...(" + std::to_string(tail - head) + " bytes)..." +
         std::string(text.substr(tail));
}

bool is_layout(char c) { return c == '\n' || c == '\t'; }

}  // namespace

bool has_control_characters(std::string_view text, bool with_layout) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (control_size(text.substr(i)) > 0 && (with_layout || !is_layout(text[i]))) return true;
  }
  return false;
}

bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i++]);
    if (first < 0x80) continue;
    const int more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1;
    if (first < 0xc2 || first > 0xf4) return false;
    unsigned code = first & (0x3fu >> more);
    for (int k = 0; k < more; ++k, ++i) {
      if (i == text.size()) return false;
      const auto next = static_cast<unsigned char>(text[i]);
      if ((next & 0xc0) != 0x80) return false;
      code = (code << 6) | (next & 0x3fu);
    }
    constexpr unsigned kLeast[] = {0x80, 0x800, 0x10000};
    if (code < kLeast[more - 1] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) {
      return false;
    }
  }
  return true;
}

std::string with_short_words(std::string_view text) {
  constexpr std::size_t kLongest = 300, kKept = 100;  // [bytes]; kept at each end
  std::string result;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find_first_of(" \n\t", begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    result += word.size() > kLongest ? without_middle(word, kKept, kKept) : std::string(word);
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

std::string message_line(std::string_view text) {
  constexpr std::size_t kLongest = 4000, kHead = 2000, kTail = 1000;  // [bytes]
  std::string line = printable(with_short_words(text));
  if (line.size() > kLongest) line = without_middle(line, kHead, kTail);
  std::string result;
  for (const char c : line) {
    if (is_layout(c)) {
      result += c == '\n' ? "\\n" : "\\t";
    } else {
      result += c;
    }
  }
  return result;
}

}  // namespace amontons::io

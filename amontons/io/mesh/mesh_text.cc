#include "amontons/io/mesh/mesh_text.h"

#include "amontons/io/common/parse_error.h"
#include "amontons/io/common/parse_number.h"
#include "amontons/math/stop.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

namespace amontons::io {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }
bool is_end(char c) { return c == '\n'; }

/// Lines from one poll of check_stop() to the next.
constexpr int kLinesPerPoll = 1024;

/// Returns the number of significant digits of a decimal number; zeros at its end do not count.
int digits_of(std::string_view word) {
  int digits = 0, zeros = 0;
  for (const char c : word) {
    if (c == 'e' || c == 'E') break;
    if (c < '0' || c > '9') continue;
    if (c == '0') {
      zeros += digits > 0 ? 1 : 0;
    } else {
      digits += zeros + 1;
      zeros = 0;
    }
  }
  return digits;
}

/// Returns the length of a backslash and the line end behind it, 0 where there is none.
std::size_t continuation_of(std::string_view text) {
  if (text.substr(0, 2) == "\\\n") return 2;
  return text.substr(0, 3) == "\\\r\n" ? 3 : 0;
}

}  // namespace

void MeshText::skip_blanks() {
  while (!rest_.empty()) {
    if (is_blank(rest_[0])) {
      rest_.remove_prefix(1);
      continue;
    }
    // A backslash before the line end continues the line.
    const std::size_t length = continuation_of(rest_);
    if (length == 0) return;
    rest_.remove_prefix(length);
    ++line_;
  }
}

std::string_view MeshText::word_of_line() {
  skip_blanks();
  std::size_t length = 0;
  while (length < rest_.size() && !is_blank(rest_[length]) && !is_end(rest_[length])) {
    // A backslash within a word is part of it, as in the names of files.
    if (rest_[length] == '\\' && continuation_of(rest_.substr(length)) > 0) break;
    ++length;
  }
  const std::string_view word = rest_.substr(0, length);
  rest_.remove_prefix(length);
  return word;
}

std::string_view MeshText::word() {
  std::string_view word = word_of_line();
  while (word.empty() && next_line()) word = word_of_line();
  return word;
}

bool MeshText::next_line() {
  if (line_ % kLinesPerPoll == 0) check_stop();
  while (!word_of_line().empty()) continue;
  if (rest_.empty()) return false;
  rest_.remove_prefix(1);
  ++line_;
  return true;
}

double MeshText::coordinate(std::string_view word) {
  std::string_view digits = word;
  if (digits.size() > 1 && digits[0] == '+') digits.remove_prefix(1);
  double number = 0.0;
  const char* end = digits.data() + digits.size();
  const std::from_chars_result result = std::from_chars(digits.data(), end, number);
  const bool fine = result.ec == std::errc() && result.ptr == end && std::isfinite(number);
  if (!fine || std::abs(number) > kLargestNumber) {
    if (result.ec == std::errc() && result.ptr == end && !std::isfinite(number)) {
      fail("a coordinate is not finite: '" + std::string(word) + "'");
    }
    const std::string fault = parse_number(word, number);
    fail("a coordinate " + (fault.empty() ? "cannot be read" : fault) + "; export the mesh again");
  }
  most_digits_ = std::max(most_digits_, digits_of(word));
  return number;
}

long MeshText::integer(std::string_view word) const {
  long number = 0;
  const std::from_chars_result result =
      std::from_chars(word.data(), word.data() + word.size(), number);
  if (result.ec != std::errc() || result.ptr != word.data() + word.size()) {
    fail("must be an integer: '" + std::string(word) + "'; export the mesh again");
  }
  return number;
}

void MeshText::fail(const std::string& message) const {
  throw ParseError(name_, line_, 0, message);
}

}  // namespace amontons::io

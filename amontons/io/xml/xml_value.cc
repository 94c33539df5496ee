#include "amontons/io/xml/xml_value.h"

#include "amontons/io/common/fail_at.h"
#include "amontons/io/common/parse_number.h"
#include "amontons/io/common/trimmed.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>
#include <string_view>
#include <vector>

namespace amontons::io {
namespace {

/// Returns how many numbers a value of this kind has; 0 means any number of them.
std::size_t num_numbers(XmlValue kind) {
  switch (kind) {
    case XmlValue::Vector2:
      return 2;
    case XmlValue::Vector3:
    case XmlValue::PositiveVector3:
    case XmlValue::NonZeroVector3:
      return 3;
    case XmlValue::Pose:
      return 6;
    case XmlValue::Numbers:
      return 0;
    default:
      return 1;
  }
}

/// Refuses a number that is outside the range of its kind.
void check_range(double number, XmlValue kind, const std::string& text, const std::string& what,
                 const SourceLocation& where) {
  const bool positive = kind == XmlValue::Positive || kind == XmlValue::PositiveVector3;
  if (positive && !(number >= kSmallestNumber)) {
    fail_at(where, what + " must be positive, not " + text);
  }
  if (kind == XmlValue::NonNegative && number < 0.0) {
    fail_at(where, what + " must not be negative, but is " + text);
  }
  if (kind == XmlValue::NonZeroVector3 && !(std::abs(number) >= kSmallestNumber)) {
    fail_at(where, what + " must not be zero: " + text);
  }
  if (kind == XmlValue::Fraction && !(number >= 0.0 && number <= 1.0)) {
    fail_at(where, what + " must lie in [0, 1], but is " + text);
  }
  if (kind == XmlValue::Integer && number != std::round(number)) {
    fail_at(where, what + " must be an integer, not " + text);
  }
}

/// Returns what is wrong with a text that should be numbers: that of a word, unless xacro or
/// roslaunch would have put a number in place of `$(arg NAME)` or `${EXPRESSION}`.
std::string fault_of_text(const std::string& text, const std::string& fault_of_word) {
  if (text.find("$(") == std::string::npos && text.find("${") == std::string::npos) {
    return fault_of_word;
  }
  return "is '" + text +
         "', which xacro or roslaunch replaces by a number: give the file that they make";
}

/// Checks a value made of numbers and returns these, separated by single blanks.
std::string check_words(const std::string& text, XmlValue kind, const std::string& what,
                        const SourceLocation& where) {
  std::istringstream words(text);
  std::size_t count = 0;
  std::string joined;
  double quaternion = 0.0;  // largest entry of that of a pose, after its position
  for (std::string word; words >> word; ++count) {
    double number = 0.0;
    if (kind == XmlValue::Bound) {
      // As libsdformat writes it.
      if (is_no_bound(word)) word = word.starts_with('-') ? "-1e16" : "1e16";
    }
    const std::string fault = parse_number(word, number);
    if (!fault.empty()) {
      fail_at(where, what + " " + fault_of_text(text, fault + beside_word(word, text)));
    }
    check_range(number, kind, text, what, where);
    if (count >= 3) quaternion = std::max(quaternion, std::abs(number));
    joined += (joined.empty() ? "" : " ") + word;
  }
  // A pose has 6 numbers, 7 with a quaternion in place of the angles, or none.
  const std::size_t expected = num_numbers(kind);
  const bool other = kind == XmlValue::Pose && (count == 0 || count == 7);
  if (expected != 0 && count != expected && !other) {
    fail_at(where,
            what + " must be " + std::to_string(expected) + " number(s), but is '" + text + "'");
  }
  // libsdformat takes a shorter quaternion as it is.
  if (kind == XmlValue::Pose && count == 7 && quaternion < 1e-6) {
    fail_at(where, what + " has a quaternion shorter than 1e-6, which gives no orientation: '" +
                       text + "'; (0 0 0 1) is no turn");
  }
  return joined;
}

/// Returns true for a value that is made of numbers.
bool is_numeric(XmlValue kind) {
  return kind != XmlValue::Nothing && kind != XmlValue::Text && kind != XmlValue::AnyText &&
         kind != XmlValue::Bool;
}

/// Returns true for a number followed by one character that is there by mistake.
bool has_stray_end(const std::string& word) {
  constexpr std::string_view kStray = "\"',;.";
  double number = 0.0;
  if (word.size() < 2 || kStray.find(word.back()) == std::string_view::npos) return false;
  // A full stop may be part of the number, as in `1.`.
  return !parse_number(word, number).empty() &&
         parse_number(word.substr(0, word.size() - 1), number).empty();
}

}  // namespace

bool is_no_bound(std::string_view word) {
  if (word.starts_with('-') || word.starts_with('+')) word.remove_prefix(1);
  if (word == "inf" || word == "INF" || word == "infinity") return true;
  // Digits alone and an exponent, so that nothing else that strtod accepts is a number here.
  return word.find_first_not_of("0123456789.eE+") == std::string_view::npos &&
         std::strtod(std::string(word).c_str(), nullptr) > kLargestNumber;
}

std::string without_stray_ends(const std::string& text, XmlValue kind) {
  if (!is_numeric(kind)) return text;
  std::istringstream words(text);
  std::string joined;
  bool any = false;
  for (std::string word; words >> word;) {
    if (has_stray_end(word)) {
      word.pop_back();
      any = true;
    }
    joined += (joined.empty() ? "" : " ") + word;
  }
  return any ? joined : text;
}

std::string beside_word(std::string_view word, std::string text) {
  if (word == text) return "";
  for (char& c : text) {
    if (c == '\n' || c == '\r' || c == '\t') c = ' ';
  }
  return ": it is '" + text + "'";
}

std::string check_value(const std::string& text, XmlValue kind, const std::string& what,
                        const SourceLocation& where) {
  if (kind == XmlValue::Nothing) return "";
  // Words keep their inner blanks.
  if (kind == XmlValue::Text || kind == XmlValue::AnyText) {
    std::string word(trimmed(text));
    if (word.empty() && kind == XmlValue::Text) fail_at(where, what + " must not be empty");
    return word;
  }
  // XML schemas allow 0 and 1 as truth values.
  if (kind == XmlValue::Bool) {
    std::string word(trimmed(text));
    if (word == "true" || word == "false" || word == "1" || word == "0") return word;
    fail_at(where, what + " must be true or false, not '" + text + "'");
  }
  return check_words(text, kind, what, where);
}

bool has_zero_size(const char* text) {
  std::istringstream words(text ? text : "");
  bool zero = false;
  for (std::string word; words >> word;) {
    double number = 0.0;
    if (!parse_number(word, number).empty() || number < 0.0) return false;
    zero = zero || number < kSmallestNumber;
  }
  return zero;
}

}  // namespace amontons::io

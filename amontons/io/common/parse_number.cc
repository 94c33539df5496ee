#include "amontons/io/common/parse_number.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <system_error>

namespace amontons::io {

std::string parse_number(std::string_view text, double& number) {
  const std::string quoted = std::string("'").append(text) + "'";
  // std::from_chars refuses a leading plus, which YAML allows.
  std::string_view digits = text;
  if (digits.size() > 1 && digits[0] == '+' && digits[1] != '-') digits.remove_prefix(1);
  double value = 0.0;
  const char* end = digits.data() + digits.size();
  const std::from_chars_result result = std::from_chars(digits.data(), end, value);
  // YAML's spellings of NaN and infinity get a message of their own.
  const bool yaml_special = digits == ".nan" || digits == ".NaN" || digits == ".NAN" ||
                            digits == ".inf" || digits == "-.inf" || digits == ".Inf" ||
                            digits == "-.Inf" || digits == ".INF" || digits == "-.INF";
  if (yaml_special) return "must be a finite number, not " + quoted;
  // Out of range means overflow or underflow of a double.
  if (result.ec == std::errc::result_out_of_range && result.ptr == end) {
    return "is beyond the range of a number: " + quoted;
  }
  if (result.ec != std::errc() || result.ptr != end) return "must be a number, not " + quoted;
  if (!std::isfinite(value)) return "must be a finite number, not " + quoted;
  if (std::abs(value) > kLargestNumber) {
    return "is absurdly large: " + quoted + " (limit 1e100)";
  }
  number = value;
  return "";
}

std::string shortest_text(double number) {
  // 24 characters suffice for any double in its shortest form.
  std::array<char, 32> buffer{};
  const std::to_chars_result result =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), number);
  return {buffer.data(), result.ptr};
}

std::string rounded_text(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", number);
  return text;
}

}  // namespace amontons::io

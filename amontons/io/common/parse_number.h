#pragma once

#include "amontons/contact/number_limits.h"

#include <string>
#include <string_view>

namespace amontons::io {

/// Smallest number that counts as positive in any file, so that reciprocals stay finite.
inline constexpr double kSmallestNumber = 1e-100;

/// Reads a whole text as one decimal number, independent of the locale. It accepts no blanks, octal
/// or hexadecimal form, NaN, infinity, or magnitude beyond kLargestNumber.
/// @returns an empty text, or the fault, worded to follow the name of the quantity ("must be a
/// number, not 'x'"). `number` is unchanged in that case.
std::string parse_number(std::string_view text, double& number);

/// Returns the shortest decimal text that reads back as the same double.
std::string shortest_text(double number);

/// Returns a number with four digits, for messages.
std::string rounded_text(double number);

}  // namespace amontons::io

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace amontons::io {

/// One line of a table of numbers.
struct NumberRow {
  std::vector<double> numbers;
  int line = 0;
};

/// A text of numbers in rows and columns: separated by commas, semicolons or blanks, the same
/// number in each row. Empty lines and what follows a # are skipped.
struct NumberTable {
  std::vector<std::string> header;  ///< names of the columns, where the first line has names
  int header_line = 0;
  std::vector<NumberRow> rows;
};

/// @param name        the file, for messages.
/// @param noun        what a number is: "height".
/// @param may_have_header  whether a first line that begins with no number names the columns;
///     names are separated like numbers, by commas or semicolons where there are any.
/// @throws ParseError with line and column for anything else.
NumberTable parse_number_table(std::string_view text, const std::string& name,
                               const std::string& noun, bool may_have_header);

}  // namespace amontons::io

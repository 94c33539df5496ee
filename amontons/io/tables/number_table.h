#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace amontons::io {

/// Holds one line of a table of numbers.
struct NumberRow {
  std::vector<double> numbers;
  int line = 0;
};

/// Holds a text of numbers in rows and columns, with the same number of entries in each row.
/// Commas, semicolons or blanks separate numbers. Empty lines are skipped, and everything after a
/// #.
struct NumberTable {
  std::vector<std::string> header;  ///< names of the columns, where the first line has names
  int header_line = 0;
  std::vector<NumberRow> rows;
};

/// @throws ParseError for a text that is not UTF-8 or ASCII with line ends of \n or \r\n.
void check_is_text(std::string_view text, const std::string& name);

/// Reads a table of numbers.
/// @param name        the file, for messages.
/// @param noun        the word for a number in messages, e.g. "height".
/// @param may_have_header  true if a first line that begins with no number names the columns. Names
/// are separated by commas or semicolons where there are any, else by blanks.
/// @throws ParseError with line and column for anything else.
NumberTable parse_number_table(std::string_view text, const std::string& name,
                               const std::string& noun, bool may_have_header);

}  // namespace amontons::io

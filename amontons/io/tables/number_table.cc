#include "amontons/io/tables/number_table.h"

#include "amontons/io/common/parse_error.h"
#include "amontons/io/common/parse_number.h"
#include "amontons/io/common/trimmed.h"

#include <algorithm>
#include <utility>

namespace amontons::io {
namespace {

// A carriage return counts as a blank, so that files with either kind of line end are read.
constexpr std::string_view kSeparators = ",; \t\r", kBlanks = " \t\r";

/// Returns true for a character between numbers.
bool is_separator(char c) { return kSeparators.find(c) != std::string_view::npos; }

/// Returns the numbers of one line. Numbers are separated by blanks, or by one comma or semicolon
/// with blanks around it.
std::vector<double> parse_row(std::string_view line, const std::string& name,
                              const std::string& noun, int line_number) {
  std::vector<double> row;
  bool expects_number = false;  // after a comma
  for (std::size_t begin = 0; begin < line.size();) {
    const auto fail = [&](const std::string& message) {
      throw ParseError(name, line_number, static_cast<int>(begin) + 1, message);
    };
    // Two commas in a row, or one at the start, mean that a number was left out.
    if (is_separator(line[begin])) {
      if (line[begin] == ',' || line[begin] == ';') {
        if (row.empty() || expects_number) fail("a " + noun + " is missing before the comma");
        expects_number = true;
      }
      ++begin;
      continue;
    }
    // A word reaches up to the next separator and must be one number.
    std::size_t end = begin;
    while (end < line.size() && !is_separator(line[end])) ++end;
    double number = 0.0;
    const std::string fault = parse_number(line.substr(begin, end - begin), number);
    if (!fault.empty()) fail("a " + noun + " " + fault);
    row.push_back(number);
    expects_number = false;
    begin = end;
  }
  if (expects_number) {
    throw ParseError(name, line_number, static_cast<int>(line.size()) + 1,
                     "a " + noun + " is missing after the last comma");
  }
  return row;
}

/// Returns the names in a line; names may contain blanks only if commas separate them.
std::vector<std::string> parse_header(std::string_view line) {
  const bool has_commas = line.find_first_of(",;") != std::string_view::npos;
  const std::string_view separators = has_commas ? std::string_view(",;") : kBlanks;
  std::vector<std::string> names;
  for (std::string_view rest = trimmed(line); !rest.empty();) {
    const std::size_t end = std::min(rest.find_first_of(separators), rest.size());
    std::string_view name = trimmed(rest.substr(0, end));
    if (name.size() >= 2 && name.front() == '"' && name.back() == '"') {
      name = name.substr(1, name.size() - 2);
    }
    names.emplace_back(name);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (!has_commas) rest = trimmed(rest);
  }
  return names;
}

/// Returns true if a line begins with a name.
bool is_header(std::string_view line) {
  const std::string_view text = trimmed(line);
  return !text.empty() &&
         std::string_view("+-.,;0123456789").find(text.front()) == std::string_view::npos;
}

}  // namespace

void check_is_text(std::string_view text, const std::string& name) {
  const std::string_view mark = text.substr(0, 2);
  if (mark == "\xFF\xFE" || mark == "\xFE\xFF" || text.find('\0') != std::string_view::npos) {
    throw ParseError(name, 1, 0, "the text is in UTF-16 or binary; save it as UTF-8");
  }
  if (text.find('\r') != std::string_view::npos && text.find('\n') == std::string_view::npos) {
    throw ParseError(name, 1, 0, "lines end with CR alone; save the file with LF or CR LF");
  }
}

NumberTable parse_number_table(std::string_view text, const std::string& name,
                               const std::string& noun, bool may_have_header) {
  NumberTable table;
  check_is_text(text, name);
  if (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);  // UTF-8 byte order mark
  for (int line_number = 1; !text.empty(); ++line_number) {
    // Lines are cut off the front of the text, comments off the end of each line.
    const std::string_view whole = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(whole.size() + 1, text.size()));
    const std::string_view line = whole.substr(0, whole.find('#'));
    if (may_have_header && table.header.empty() && table.rows.empty() && is_header(line)) {
      table.header = parse_header(line);
      table.header_line = line_number;
      continue;
    }
    std::vector<double> row = parse_row(line, name, noun, line_number);
    if (row.empty()) continue;
    // The header, else the first row, sets the number of columns.
    const std::size_t expected = !table.header.empty() ? table.header.size()
                                 : !table.rows.empty() ? table.rows.front().numbers.size()
                                                       : row.size();
    if (row.size() != expected) {
      throw ParseError(name, line_number, 0,
                       "this row has " + std::to_string(row.size()) + " " + noun + "s, the " +
                           (table.header.empty() ? "first" : "header") + " has " +
                           std::to_string(expected));
    }
    table.rows.push_back({std::move(row), line_number});
  }
  return table;
}

}  // namespace amontons::io

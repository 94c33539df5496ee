#include "amontons/io/tables/timed_table.h"

#include "amontons/io/common/parse_error.h"
#include "amontons/io/common/parse_number.h"
#include "amontons/io/tables/number_table.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace amontons::io {
namespace {

/// Returns the columns that are expected, as a text.
std::string joined(const std::vector<std::string>& names) {
  std::string text = "time";
  for (const std::string& name : names) text += ", " + name;
  return text;
}

/// Returns the columns of a file that names them, without the time.
std::vector<std::string> names_of(const NumberTable& table, const std::string& file,
                                  const std::vector<std::string>& expected) {
  const auto fail = [&](const std::string& message) {
    throw ParseError(file, table.header_line, 0, message);
  };
  std::vector<std::string> names = table.header;
  if (names.front() != "time") {
    fail("the first column must be 'time' [s], not '" + names.front() + "'");
  }
  names.erase(names.begin());
  if (names.empty()) fail("there is no column besides 'time'");
  // Each name must be unique, and known where the caller expects certain columns.
  std::unordered_set<std::string> seen;
  for (const std::string& name : names) {
    if (name.empty()) fail("a column has no name");
    if (!seen.insert(name).second) fail("column '" + name + "' is there twice");
    if (!expected.empty() && std::find(expected.begin(), expected.end(), name) == expected.end()) {
      fail("column '" + name + "' is unknown; the columns are " + joined(expected));
    }
  }
  // All expected columns must be present, in any order.
  for (const std::string& name : expected) {
    if (seen.count(name) == 0) {
      fail("column '" + name + "' is missing; the columns are " + joined(expected));
    }
  }
  return names;
}

/// Returns the columns of a file that does not name them, by their number.
std::vector<std::string> names_by_count(const NumberRow& first, const std::string& file,
                                        const std::vector<std::string>& expected) {
  const std::size_t count = first.numbers.size() - 1;
  const auto fail = [&](const std::string& message) {
    throw ParseError(file, first.line, 0, message);
  };
  if (!expected.empty()) {
    if (count != expected.size()) {
      fail("this row has " + std::to_string(count + 1) + " numbers; the columns are " +
           joined(expected));
    }
    return expected;
  }
  // A single column needs no name; the meaning of several would depend on their order.
  if (count == 0) fail("there is no column besides the time");
  if (count > 1) {
    fail("a file of " + std::to_string(count + 1) +
         " columns needs a first line that names them: time, NAME, NAME, ...");
  }
  return {""};
}

}  // namespace

TimedTable::TimedTable(const std::string& bytes, std::string file,
                       const std::vector<std::string>& names)
    : file_(std::move(file)) {
  const NumberTable table = parse_number_table(bytes, file_, "number", true);
  if (table.rows.empty()) {
    throw ParseError(file_, std::max(table.header_line, 1), 0,
                     "there are no rows; at least one instant with its values is needed");
  }
  names_ = table.header.empty() ? names_by_count(table.rows.front(), file_, names)
                                : names_of(table, file_, names);
  // Interpolation needs instants that increase strictly.
  columns_.resize(names_.size());
  for (const NumberRow& row : table.rows) {
    const double time = row.numbers.front();
    if (!times_.empty() && !(time > times_.back())) {
      throw ParseError(file_, row.line, 1,
                       "time " + shortest_text(time) + " does not follow " +
                           shortest_text(times_.back()) +
                           ": times must increase from row to row; sort the rows, and give each "
                           "instant once");
    }
    times_.push_back(time);
    for (std::size_t k = 0; k < columns_.size(); ++k) columns_[k].push_back(row.numbers[k + 1]);
  }
}

Trajectory TimedTable::trajectory(std::size_t column, Interpolation interpolation) const {
  return {times_, columns_[column], interpolation};
}

}  // namespace amontons::io

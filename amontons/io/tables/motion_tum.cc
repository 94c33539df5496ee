#include "amontons/io/common/parse_error.h"
#include "amontons/io/tables/motion_file.h"
#include "amontons/io/tables/motion_rows.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace amontons::io {
namespace {

/// Returns the words of a line, separated by blanks and commas.
std::vector<std::string_view> words_of(std::string_view line) {
  constexpr std::string_view kSeparators = " \t\r,";
  std::vector<std::string_view> words;
  for (std::size_t begin = line.find_first_not_of(kSeparators); begin != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(kSeparators, begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    begin = line.find_first_not_of(kSeparators, end);
  }
  return words;
}

}  // namespace

MotionFile parse_tum(std::string_view text, const std::string& name, const std::string& body,
                     const MotionUnits& units) {
  constexpr std::array kNames = {"the time", "tx", "ty", "tz", "qx", "qy", "qz", "qw"};
  MotionRows rows;
  for (const TextLine& line : content_lines(text, name)) {
    const std::vector<std::string_view> words = words_of(line.text);
    if (words.size() != kNames.size()) {
      throw ParseError(name, line.number, 0,
                       "has " + std::to_string(words.size()) +
                           " values; a line has 8: timestamp tx ty tz qx qy qz qw");
    }
    std::vector<double>& numbers = rows.numbers.emplace_back();
    for (std::size_t k = 0; k < words.size(); ++k) {
      numbers.push_back(read_cell(words[k], kNames[k], name, line.number));
    }
    rows.lines.push_back(line.number);
  }
  if (rows.lines.empty()) {
    throw ParseError(name, 0, 0, "has no lines: timestamp tx ty tz qx qy qz qw");
  }
  MotionFile motion;
  motion.times = times_of(rows, 0, name, units.time);
  MeasuredBody& own = motion.bodies.emplace_back();
  own.name = body;
  own.positions = columns_of<3>(rows, {1, 2, 3}, units.length);
  own.quaternions = columns_of<4>(rows, {7, 4, 5, 6}, 1.0);
  check_quaternions(own, rows, name);
  return motion;
}

bool is_tum(std::string_view text) {
  const std::vector<TextLine> lines = content_lines(text, "");
  if (lines.empty()) return false;
  const std::vector<std::string_view> words = words_of(lines[0].text);
  return words.size() == 8 && std::all_of(words.begin(), words.end(), is_number);
}

}  // namespace amontons::io

#include "amontons/io/common/parse_error.h"
#include "amontons/io/tables/motion_file.h"
#include "amontons/io/tables/motion_rows.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace amontons::io {
namespace {

constexpr std::array kNames = {"timestamp", "tx", "ty", "tz", "qx", "qy", "qz", "qw"};

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

/// Returns true for a line that names the numbers of a line. With separators other than blanks x,
/// y, z are columns of a CSV file.
bool is_header(std::string_view line, const std::vector<std::string_view>& words) {
  if (words.size() != kNames.size()) return false;
  const bool has_blanks_alone = line.find_first_of(",\t") == std::string_view::npos;
  const auto is_name = [&](std::size_t k) {
    const std::string word = lower_case(words[k]), name = kNames[k];
    if (k == 0) return word == name || word == "time" || word == "t";
    return word == name || (name.front() == 't' && has_blanks_alone && word == name.substr(1));
  };
  for (std::size_t k = 0; k < words.size(); ++k) {
    if (!is_name(k)) return false;
  }
  return true;
}

/// Returns true if the names of the numbers stand in front of them.
bool begins_with_header(const std::vector<TextLine>& lines) {
  return !lines.empty() && is_header(lines[0].text, words_of(lines[0].text));
}

}  // namespace

MotionFile parse_tum(std::string_view text, const std::string& name, const std::string& body,
                     const MotionUnits& units) {
  MotionRows rows;
  const std::vector<TextLine> lines = content_lines(text, name);
  for (std::size_t i = begins_with_header(lines) ? 1 : 0; i < lines.size(); ++i) {
    const TextLine& line = lines[i];
    const std::vector<std::string_view> words = words_of(line.text);
    if (i == 0 && std::none_of(words.begin(), words.end(), is_number)) {
      throw ParseError(
          name, line.number, 0,
          "has no numbers; a line of names must be timestamp tx ty tz qx qy qz qw, and "
          "a comment begins with #");
    }
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

bool is_tum(std::string_view text, const std::string& name) {
  const std::vector<TextLine> lines = content_lines(text, name);
  if (lines.empty()) return false;
  if (begins_with_header(lines)) return true;
  const std::vector<std::string_view> words = words_of(lines[0].text);
  return words.size() == 8 && std::all_of(words.begin(), words.end(), is_number);
}

}  // namespace amontons::io

#include "amontons/io/tables/motion_rows.h"

#include "amontons/io/common/parse_error.h"
#include "amontons/io/common/parse_number.h"
#include "amontons/io/common/trimmed.h"
#include "amontons/io/tables/number_table.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>

namespace amontons::io {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
// Norms of a quaternion between which noise and units of the file lie.
constexpr double kShortest = 1e-3, kLongest = 1e3;
// Seconds after 1970 that no clock shows, and those that stamps of our days exceed: years 5138,
// 1973.
constexpr double kLatest = 1e11, kEarliest = 1e8;

/// Refuses stamps that are not in the unit given, with the unit in which they are of our days.
void check_unit(double stamp, double unit, const std::string& file, int line) {
  if (std::abs(stamp) * unit <= kLatest) return;
  std::string remedy = "give the unit of the file's times";
  for (const double right : {1e-3, 1e-6, 1e-9}) {
    const double seconds = std::abs(stamp) * right;
    if (seconds <= kEarliest || seconds > kLatest) continue;
    remedy = std::string("give the file's unit of time: time_unit=") + shortest_text(right) +
             " in Python, --time-unit " + shortest_text(right) + " of contest";
  }
  throw ParseError(file, line, 0,
                   "the time " + shortest_text(stamp) + " is " + rounded_text(stamp * unit) +
                       " s, which no clock shows; " + remedy);
}

}  // namespace

std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

std::vector<TextLine> content_lines(std::string_view text, const std::string& file) {
  check_is_text(text, file);
  if (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);  // UTF-8 byte order mark
  std::vector<TextLine> lines;
  for (int number = 1; !text.empty(); ++number) {
    const std::string_view whole = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(whole.size() + 1, text.size()));
    // Cells at the ends may be empty, so that tabs there stay.
    const std::string_view line = whole.substr(0, whole.find_last_not_of('\r') + 1);
    const std::string_view content = trimmed(line);
    if (!content.empty() && content.front() != '#') lines.push_back({line, number});
  }
  return lines;
}

double read_cell(std::string_view text, const std::string& column, const std::string& file,
                 int line) {
  if (text.empty() || text == "nan" || text == "NaN" || text == "NAN") return kMissing;
  double number = 0.0;
  const std::string fault = parse_number(text, number);
  if (!fault.empty()) {
    throw ParseError(file, line, 0, column + " " + fault + "; a missing value is left empty");
  }
  return number;
}

bool is_number(std::string_view text) {
  double number = 0.0;
  return parse_number(text, number).empty();
}

std::vector<double> times_of(const MotionRows& rows, std::size_t column, const std::string& file,
                             double unit) {
  std::vector<double> times;
  double last = kMissing;
  for (std::size_t i = 0; i < rows.lines.size(); ++i) {
    const double time = rows.numbers[i][column];
    const int line = rows.lines[i];
    if (std::isnan(time)) throw ParseError(file, line, 0, "has no time; give each row its time");
    if (i == 0) check_unit(time, unit, file, line);
    if (i > 0 && time <= last) {
      throw ParseError(file, line, 0,
                       "the time " + shortest_text(time) + " does not follow the time " +
                           shortest_text(last) + "; sort the rows and remove repeated ones");
    }
    last = time;
    // The difference comes first: times since 1970 in nanoseconds have no digits to spare.
    times.push_back((time - rows.numbers[0][column]) * unit);
    if (i > 0 && times[i] <= times[i - 1]) {
      throw ParseError(file, line, 0,
                       "times are closer than a double tells apart; check the unit "
                       "of time");
    }
  }
  return times;
}

void check_quaternions(const MeasuredBody& body, const MotionRows& rows, const std::string& file) {
  for (Eigen::Index i = 0; i < body.quaternions.rows(); ++i) {
    const double norm = body.quaternions.row(i).norm();
    if (!(norm < kShortest || norm > kLongest)) continue;
    throw ParseError(file, rows.lines[static_cast<std::size_t>(i)], 0,
                     "the quaternion of '" + body.name + "' has the norm " + rounded_text(norm) +
                         "; a missing one is left empty");
  }
}

}  // namespace amontons::io

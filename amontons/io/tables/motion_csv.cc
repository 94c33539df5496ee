#include "amontons/io/common/parse_error.h"
#include "amontons/io/common/trimmed.h"
#include "amontons/io/tables/motion_file.h"
#include "amontons/io/tables/motion_rows.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace amontons::io {
namespace {

constexpr std::array kPosition = {"x", "y", "z"};
constexpr std::array kQuaternion = {"qw", "qx", "qy", "qz"};
constexpr std::array kLinear = {"vx", "vy", "vz"};
constexpr std::array kAngular = {"wx", "wy", "wz"};

/// Returns the cells of a line, without blanks and quotes around them.
std::vector<std::string_view> split(std::string_view line, char separator) {
  std::vector<std::string_view> cells;
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find(separator, begin), line.size());
    std::string_view cell = trimmed(line.substr(begin, end - begin));
    if (cell.size() >= 2 && cell.front() == '"' && cell.back() == '"') {
      cell = trimmed(cell.substr(1, cell.size() - 2));
    }
    cells.push_back(cell);
    begin = end + 1;
  }
  return cells;
}

/// Holds the names in the first line of a CSV file.
struct Header {
  std::vector<std::string> names;
  char separator = ',';
  int line = 0;
};

Header read_header(const TextLine& line, const std::string& file) {
  Header header;
  header.line = line.number;
  // The most frequent separator is the file's.
  long most = -1;
  for (const char candidate : {',', ';', '\t'}) {
    const long count = std::count(line.text.begin(), line.text.end(), candidate);
    if (count > most) header.separator = candidate;
    most = std::max(most, count);
  }
  bool has_names = false;
  std::unordered_set<std::string_view> seen;
  for (const std::string_view cell : split(line.text, header.separator)) {
    has_names = has_names || !(cell.empty() || is_number(cell));
    if (!seen.insert(cell).second) {
      if (!has_names) continue;  // the error below says more
      throw ParseError(file, line.number, 0,
                       "column '" + std::string(cell) + "' occurs twice; rename one");
    }
    header.names.emplace_back(cell);
  }
  if (!has_names) {
    throw ParseError(file, line.number, 0,
                     "the first line holds numbers; begin the file with the names of the "
                     "columns, such as t,x,y,z,qw,qx,qy,qz");
  }
  return header;
}

/// Returns true if the numbers of a file have decimal commas: no comma separates cells, and none of
/// them has a point.
/// @throws ParseError where commas could group thousands as well.
bool has_decimal_commas(const std::vector<TextLine>& lines, const Header& header,
                        const std::string& file) {
  if (header.separator == ',') return false;
  const TextLine* first = nullptr;  // line with a comma
  bool could_group = true;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    for (const std::string_view cell : split(lines[i].text, header.separator)) {
      if (cell.find('.') != std::string_view::npos) return false;
      const std::size_t comma = cell.find(',');
      if (comma == std::string_view::npos) continue;
      if (first == nullptr) first = &lines[i];
      // Groups have three digits behind one to three, the first of which is not zero.
      const std::size_t begin = cell.find_first_not_of("+-");
      could_group = could_group && cell.size() - comma == 4 && comma > begin &&
                    comma - begin <= 3 && cell[begin] != '0';
    }
  }
  if (first != nullptr && could_group) {
    throw ParseError(file, first->number, 0,
                     "its commas may be decimal ones or group thousands; write numbers with "
                     "decimal points");
  }
  return first != nullptr;
}

/// Reads the rows below the header.
MotionRows read_rows(const std::vector<TextLine>& lines, const Header& header,
                     const std::string& file) {
  MotionRows rows;
  const bool decimal_commas = has_decimal_commas(lines, header, file);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::vector<std::string_view> cells = split(lines[i].text, header.separator);
    if (cells.size() != header.names.size()) {
      throw ParseError(file, lines[i].number, 0,
                       "has " + std::to_string(cells.size()) + " values for " +
                           std::to_string(header.names.size()) + " columns");
    }
    std::vector<double> numbers;
    for (std::size_t k = 0; k < cells.size(); ++k) {
      std::string cell(cells[k]);
      if (decimal_commas) std::replace(cell.begin(), cell.end(), ',', '.');
      numbers.push_back(read_cell(cell, header.names[k], file, lines[i].number));
    }
    rows.numbers.push_back(std::move(numbers));
    rows.lines.push_back(lines[i].number);
  }
  return rows;
}

/// Names the columns of one body, by their parts.
struct BodyColumns {
  std::string body;
  std::vector<std::pair<std::string, std::size_t>> parts;

  /// Returns the columns of some parts, or nothing where none of them is there.
  /// @throws ParseError where some are missing, or all are and they are needed.
  template <std::size_t n>
  std::optional<std::array<std::size_t, n>> columns(const std::array<const char*, n>& wanted,
                                                    bool needed, const std::string& file,
                                                    int line) const {
    std::array<std::size_t, n> found{};
    std::string missing, all;
    std::size_t count = 0;
    for (std::size_t k = 0; k < n; ++k) {
      all += (k > 0 ? ", " : "") + std::string(wanted[k]);
      const auto part = std::find_if(parts.begin(), parts.end(),
                                     [&](const auto& one) { return one.first == wanted[k]; });
      if (part == parts.end()) {
        if (missing.empty()) missing = wanted[k];
      } else {
        found[k] = part->second;
        ++count;
      }
    }
    if (count == n) return found;
    if (!needed && count == 0) return {};
    throw ParseError(file, line, 0,
                     "body '" + body + "' has no column '" + missing + "'; it needs all of " + all);
  }
};

/// Returns true for a part of a pose or velocity.
bool is_part(const std::string& name) {
  const auto is_name = [&](const char* part) { return name == part; };
  return std::any_of(kPosition.begin(), kPosition.end(), is_name) ||
         std::any_of(kQuaternion.begin(), kQuaternion.end(), is_name) ||
         std::any_of(kLinear.begin(), kLinear.end(), is_name) ||
         std::any_of(kAngular.begin(), kAngular.end(), is_name);
}

/// Holds what the columns of a file are.
struct Columns {
  std::optional<std::size_t> time;
  std::vector<BodyColumns> bodies;
  std::vector<std::size_t> joints;
};

/// Sorts the columns of a file by their names.
Columns sort_columns(const Header& header, const std::string& body, const std::string& file) {
  Columns columns;
  std::unordered_map<std::string, std::size_t> place_of_body;
  for (std::size_t column = 0; column < header.names.size(); ++column) {
    const std::string& name = header.names[column];
    const std::size_t dot = name.rfind('.');
    const std::string owner = dot == std::string::npos ? body : name.substr(0, dot);
    const std::string part = dot == std::string::npos ? name : name.substr(dot + 1);
    const std::string word = lower_case(name);
    if (is_part(part)) {
      if (owner.empty()) {
        throw ParseError(file, header.line, 0,
                         "column '" + name + "' does not name its body; write BODY." + part +
                             ", or say which body it is");
      }
      const auto [own, is_new] = place_of_body.try_emplace(owner, columns.bodies.size());
      if (is_new) columns.bodies.push_back({owner, {}});
      columns.bodies[own->second].parts.emplace_back(part, column);
    } else if (word == "t" || word == "time" || word == "timestamp") {
      if (columns.time) throw ParseError(file, header.line, 0, "there are two columns of times");
      columns.time = column;
    } else {
      columns.joints.push_back(column);
    }
  }
  if (!columns.time) {
    throw ParseError(file, header.line, 0, "there is no column t; it holds the time of each row");
  }
  if (columns.bodies.empty() && columns.joints.empty()) {
    throw ParseError(file, header.line, 0,
                     "there is a time and nothing else; add columns such as cube.x or the name of "
                     "a joint");
  }
  return columns;
}

/// Returns the motion of a body.
MeasuredBody read_body(const BodyColumns& columns, const MotionRows& rows, const std::string& file,
                       int header_line, const MotionUnits& units) {
  MeasuredBody body;
  body.name = columns.body;
  body.positions =
      columns_of(rows, *columns.columns(kPosition, true, file, header_line), units.length);
  const auto quaternion = columns.columns(kQuaternion, false, file, header_line);
  if (quaternion) body.quaternions = columns_of(rows, *quaternion, 1.0);
  check_quaternions(body, rows, file);
  // Velocities are those of the first row, which then has a whole pose, too.
  const auto linear = columns.columns(kLinear, false, file, header_line);
  const auto angular = columns.columns(kAngular, false, file, header_line);
  if (angular && !quaternion) {
    throw ParseError(file, header_line, 0,
                     "body '" + body.name +
                         "' has angular velocities and no quaternions; give "
                         "both");
  }
  if (angular && !linear) {
    throw ParseError(file, header_line, 0,
                     "body '" + body.name + "' has no column 'vx'; it needs all of vx, vy, vz");
  }
  if (!linear) return body;
  body.linear_velocity = columns_of(rows, *linear, units.length / units.time).row(0);
  if (angular) body.angular_velocity = columns_of(rows, *angular, 1.0 / units.time).row(0);
  if (!body.positions.row(0).allFinite() || !body.linear_velocity->allFinite() ||
      (quaternion && !body.quaternions.row(0).allFinite()) ||
      (angular && !body.angular_velocity->allFinite())) {
    throw ParseError(
        file, rows.lines[0], 0,
        "the first pose or velocity of '" + body.name + "' is missing; the motion starts with it");
  }
  return body;
}

}  // namespace

MotionFile parse_motion_csv(std::string_view text, const std::string& name, const std::string& body,
                            const MotionUnits& units) {
  const std::vector<TextLine> lines = content_lines(text, name);
  if (lines.size() < 2) {
    throw ParseError(name, 0, 0,
                     "has no rows; it needs a line of names, such as t,x,y,z, and rows");
  }
  const Header header = read_header(lines[0], name);
  const MotionRows rows = read_rows(lines, header, name);
  const Columns columns = sort_columns(header, body, name);
  MotionFile motion;
  motion.times = times_of(rows, *columns.time, name, units.time);
  for (const BodyColumns& own : columns.bodies) {
    motion.bodies.push_back(read_body(own, rows, name, header.line, units));
  }
  for (const std::size_t column : columns.joints) {
    MeasuredJoint& joint = motion.joints.emplace_back();
    joint.name = header.names[column];
    for (const std::vector<double>& row : rows.numbers) joint.positions.push_back(row[column]);
  }
  return motion;
}

}  // namespace amontons::io

#include "amontons/io/height_map_file.h"

#include "amontons/io/parse_error.h"
#include "amontons/io/parse_number.h"
#include "amontons/io/pgm_image.h"
#include "amontons/io/read_file.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

namespace amontons::io {
namespace {

constexpr std::string_view kSeparators = ",; \t\r";

bool is_separator(char c) { return kSeparators.find(c) != std::string_view::npos; }

// The numbers of one line. Blanks separate, and so does one comma or semicolon with blanks around.
std::vector<double> parse_row(std::string_view line, const std::string& name, int line_number) {
  std::vector<double> row;
  bool expects_number = false;  // after a comma
  for (std::size_t begin = 0; begin < line.size();) {
    const auto fail = [&](const std::string& message) {
      throw ParseError(name, line_number, static_cast<int>(begin) + 1, message);
    };
    if (is_separator(line[begin])) {
      if (line[begin] == ',' || line[begin] == ';') {
        if (row.empty() || expects_number) fail("a height is missing before the comma");
        expects_number = true;
      }
      ++begin;
      continue;
    }
    std::size_t end = begin;
    while (end < line.size() && !is_separator(line[end])) ++end;
    double height = 0.0;
    const std::string fault = parse_number(line.substr(begin, end - begin), height);
    if (!fault.empty()) fail("a height " + fault);
    row.push_back(height);
    expects_number = false;
    begin = end;
  }
  if (expects_number) {
    throw ParseError(name, line_number, static_cast<int>(line.size()) + 1,
                     "a height is missing after the last comma");
  }
  return row;
}

Eigen::MatrixXd parse_table(std::string_view text, const std::string& name) {
  std::vector<std::vector<double>> rows;
  for (int line_number = 1; !text.empty(); ++line_number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    std::vector<double> row = parse_row(line.substr(0, line.find('#')), name, line_number);
    if (row.empty()) continue;
    if (!rows.empty() && row.size() != rows.front().size()) {
      throw ParseError(name, line_number, 0,
                       "this row has " + std::to_string(row.size()) + " heights, the first has " +
                           std::to_string(rows.front().size()));
    }
    rows.push_back(std::move(row));
  }
  const std::size_t num_columns = rows.empty() ? 0 : rows.front().size();
  Eigen::MatrixXd heights(static_cast<Eigen::Index>(rows.size()),
                          static_cast<Eigen::Index>(num_columns));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < num_columns; ++j) {
      heights(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = rows[i][j];
    }
  }
  return heights;
}

// Seen from above with y upwards: image columns run along x, image rows against y.
Eigen::MatrixXd heights_of(const PgmImage& image) {
  return image.values.colwise().reverse().transpose() / image.largest;
}

}  // namespace

HeightField load_height_map(const std::filesystem::path& file, double size_x, double size_y,
                            double height_scale) {
  return parse_height_map(read_file(file), file.string(), size_x, size_y, height_scale);
}

HeightField parse_height_map(const std::string& bytes, const std::string& name, double size_x,
                             double size_y, double height_scale) {
  if (!std::isfinite(height_scale)) {
    throw std::invalid_argument("height scale must be finite, is " + std::to_string(height_scale));
  }
  const Eigen::MatrixXd heights =
      is_pgm(bytes) ? heights_of(parse_pgm(bytes, name)) : parse_table(bytes, name);
  if (heights.rows() < 2 || heights.cols() < 2) {
    throw ParseError(name, 0, 0,
                     "a terrain needs at least 2 x 2 heights, the file has " +
                         std::to_string(heights.rows()) + " x " + std::to_string(heights.cols()));
  }
  return {height_scale * heights, size_x, size_y};
}

}  // namespace amontons::io

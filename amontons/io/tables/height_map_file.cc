#include "amontons/io/tables/height_map_file.h"

#include "amontons/io/common/parse_error.h"
#include "amontons/io/tables/number_table.h"
#include "amontons/io/tables/pgm_image.h"
#include "amontons/io/tables/png_image.h"

#include <cmath>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace amontons::io {
namespace {

/// Returns the numbers of a table, [rows x columns]; all rows have equal length.
Eigen::MatrixXd parse_table(std::string_view text, const std::string& name) {
  const std::vector<NumberRow> rows = parse_number_table(text, name, "height", false).rows;
  const std::size_t num_columns = rows.empty() ? 0 : rows.front().numbers.size();
  Eigen::MatrixXd heights(static_cast<Eigen::Index>(rows.size()),
                          static_cast<Eigen::Index>(num_columns));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < num_columns; ++j) {
      heights(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = rows[i].numbers[j];
    }
  }
  return heights;
}

/// Returns the heights of an image, [along x, along y], as fractions of its largest value. Seen
/// from above with y upwards, image columns run along x and image rows against y.
Eigen::MatrixXd heights_of(const GrayImage& image) {
  return image.values.colwise().reverse().transpose() / image.largest;
}

/// Reads a PNG image, which must be gray.
GrayImage gray_png(const std::string& bytes, const std::string& name) {
  GrayImage image = parse_png(bytes, name);
  if (image.has_colors) {
    throw ParseError(name, 0, 0, "the image has colors; save it as a gray one");
  }
  return image;
}

}  // namespace

HeightField parse_height_map(const std::string& bytes, const std::string& name, double size_x,
                             double size_y, double height_scale) {
  if (!std::isfinite(height_scale)) {
    throw std::invalid_argument("height scale must be finite, is " + std::to_string(height_scale));
  }
  const Eigen::MatrixXd heights = is_pgm(bytes)   ? heights_of(parse_pgm(bytes, name))
                                  : is_png(bytes) ? heights_of(gray_png(bytes, name))
                                                  : parse_table(bytes, name);
  // A height field needs at least one cell.
  if (heights.rows() < 2 || heights.cols() < 2) {
    throw ParseError(name, 0, 0,
                     "a terrain needs at least 2 x 2 heights, the file has " +
                         std::to_string(heights.rows()) + " x " + std::to_string(heights.cols()));
  }
  return {height_scale * heights, size_x, size_y};
}

}  // namespace amontons::io

#pragma once

#include "amontons/io/tables/motion_file.h"

#include <Eigen/Core>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace amontons::io {

// Rows of a file of measured motions, whatever its format is.

/// Holds a line that is no comment, with its number.
struct TextLine {
  std::string_view text;
  int number = 0;
};

/// Holds rows of numbers, of equal length, and their lines. NaN is a missing number.
struct MotionRows {
  std::vector<std::vector<double>> numbers;
  std::vector<int> lines;
};

/// Returns the lines of a text that are neither empty nor comments, which begin with #.
/// @throws ParseError for a text in UTF-16, and for binary files.
std::vector<TextLine> content_lines(std::string_view text, const std::string& file);

/// Reads a number; an empty cell and "nan" are a missing one.
/// @throws ParseError for anything else.
double read_cell(std::string_view text, const std::string& column, const std::string& file,
                 int line);

/// Returns a text in small letters.
std::string lower_case(std::string_view text);

/// Returns true for a word that is a number.
bool is_number(std::string_view text);

/// Returns the times in a column from 0 on [s].
/// @param unit  that of the file [s].
/// @throws ParseError where a time is missing or does not follow the one before it, and where
/// stamps in this unit lie millennia after 1970.
std::vector<double> times_of(const MotionRows& rows, std::size_t column, const std::string& file,
                             double unit);

/// Refuses quaternions that no noise has made of a unit one.
/// @throws ParseError at their line.
void check_quaternions(const MeasuredBody& body, const MotionRows& rows, const std::string& file);

/// Returns some columns of the rows, times a unit.
template <std::size_t n>
Eigen::Matrix<double, Eigen::Dynamic, static_cast<int>(n), Eigen::RowMajor> columns_of(
    const MotionRows& rows, const std::array<std::size_t, n>& columns, double unit) {
  Eigen::Matrix<double, Eigen::Dynamic, static_cast<int>(n), Eigen::RowMajor> result(
      static_cast<Eigen::Index>(rows.lines.size()), static_cast<Eigen::Index>(n));
  for (std::size_t i = 0; i < rows.lines.size(); ++i) {
    for (std::size_t k = 0; k < n; ++k) {
      result(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k)) =
          rows.numbers[i][columns[k]] * unit;
    }
  }
  return result;
}

}  // namespace amontons::io

#pragma once

#include "amontons/math/trajectory.h"

#include <string>
#include <vector>

namespace amontons::io {

/// What a CSV file says over time: the first column is time [s], each other one a quantity.
class TimedTable {
 public:
  /// @param bytes  numbers in rows (number_table.h); a first line may name the columns, and must
  ///     where there is more than one besides the time, unless `names` are given.
  /// @param names  what the columns besides the time must be, in this order where the file does
  ///     not name them; empty: anything.
  /// @throws ParseError with file and line: no rows, times that do not increase, columns that are
  ///     missing, unknown or twice, and whatever is not a number.
  TimedTable(const std::string& bytes, std::string file,
             const std::vector<std::string>& names = {});

  const std::string& file() const { return file_; }
  /// Of the columns besides the time; one empty name where the file has no first line of names.
  const std::vector<std::string>& names() const { return names_; }

  /// The column at this place among names().
  Trajectory trajectory(std::size_t column, Interpolation interpolation) const;

 private:
  std::string file_;
  std::vector<std::string> names_;
  std::vector<double> times_;
  std::vector<std::vector<double>> columns_;
};

}  // namespace amontons::io

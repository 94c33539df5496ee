#pragma once

#include "amontons/math/trajectory.h"

#include <string>
#include <vector>

namespace amontons::io {

/// Holds a quantity at ascending times [s].
struct TimedColumn {
  std::vector<double> times, values;  ///< as many of both
};

/// Holds quantities over time from a CSV file: the first column is time [s], each other one a
/// quantity.
class TimedTable {
 public:
  /// @param bytes  numbers in rows (number_table.h). A first line may name the columns. It must if
  /// there are several besides the time, unless `names` are given.
  /// @param names  the required columns besides the time, in this order where the file does not
  /// name them; empty allows any.
  /// @throws ParseError with file and line for a file without rows, times that do not increase, and
  /// words that are not numbers. Also for columns that are missing, unknown or given twice.
  TimedTable(const std::string& bytes, std::string file,
             const std::vector<std::string>& names = {});

  const std::string& file() const { return file_; }
  /// Returns the names of the columns besides the time; one empty name where the file has no first
  /// line of names.
  const std::vector<std::string>& names() const { return names_; }

  /// Returns the column with this index among names(), as numbers and as a trajectory.
  TimedColumn column(std::size_t column) const { return {times_, columns_[column]}; }
  Trajectory trajectory(std::size_t column, Interpolation interpolation) const;

 private:
  std::string file_;
  std::vector<std::string> names_;
  std::vector<double> times_;
  std::vector<std::vector<double>> columns_;
};

}  // namespace amontons::io

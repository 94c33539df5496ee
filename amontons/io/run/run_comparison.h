#pragma once

#include "amontons/io/run/run_reader.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace amontons::io {

/// Describes one number that differs between two runs.
struct RunDifference {
  std::string dataset;               ///< its name in the run file, e.g. "/contacts/impulse"
  std::string where;                 ///< joint, body or pair of bodies; may be empty
  std::size_t row = 0;               ///< row of both runs
  std::int64_t step = 0;             ///< step of the first run
  double time = 0.0;                 ///< time of the first run [s]
  double first = 0.0, second = 0.0;  ///< the two numbers

  double size() const;  ///< |first - second|; infinite where one of them is no number
};

/// Describes where two runs differ.
struct RunComparison {
  std::string headers;  ///< difference of the systems; then no row is compared
  std::size_t rows_first = 0, rows_second = 0;  ///< rows of either run
  std::size_t rows_different = 0;               ///< rows that both have and that differ
  std::optional<RunDifference> first;           ///< in the order of rows, then of datasets
  std::vector<RunDifference> largest;           ///< the largest of each dataset that differs

  /// Returns true if both runs hold the same.
  bool same() const { return headers.empty() && rows_first == rows_second && !first; }
};

/// Compares two runs row by row: everything but wall times and the names of files.
///
/// With a tolerance t of 0 every bit counts, codes and counters included. Otherwise numbers a and b
/// may differ by t max(1, |a|, |b|), and records of the solver (status, iterations, modes,
/// witnesses) do not count. Contacts are then matched by their keys. A contact that only one run
/// has counts if its impulse exceeds t [N s].
/// @param progress  called with the fraction done.
/// @throws ParseError if a run cannot be read.
RunComparison compare_runs(RunReader& first, RunReader& second, double tolerance,
                           const std::function<void(double)>& progress = {});

}  // namespace amontons::io

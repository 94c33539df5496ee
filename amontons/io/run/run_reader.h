#pragma once

#include "amontons/io/run/run_row.h"
#include "amontons/simulation/scene/scene.h"

#include <memory>
#include <string>
#include <vector>

namespace amontons::io {

struct RunHeader;

/// How a run's file was left.
enum class RunEnding {
  Closed,   ///< by its writer
  Growing,  ///< being written now, or its writer was killed
};

/// Reads a run, also while it grows or after its writer was killed. Only rows that are complete
/// count.
class RunReader {
 public:
  /// @throws ParseError if the file cannot be opened or is no run of this version.
  explicit RunReader(const std::string& path);
  ~RunReader();
  RunReader(RunReader&&) noexcept;             ///< moves
  RunReader& operator=(RunReader&&) noexcept;  ///< moves

  const std::string& path() const;  ///< as it was named
  const RunHeader& header() const;  ///< what the run was made from
  RunEnding ending() const;         ///< whether its writer closed it

  /// As of the opening of the file; at least 1 unless the writer was killed at once.
  std::size_t num_rows() const;

  /// Of all rows together.
  std::size_t num_contacts();
  std::size_t num_bounded_rows();  ///< of the row at hand
  std::size_t num_commands();      ///< of the row at hand

  /// All of one row. Reading in ascending order is fastest.
  /// @throws ParseError if it cannot be read or holds a code that means nothing.
  RunRow row(std::size_t index);
  /// The same without contacts and bounded rows.
  RunRow row_without_contacts(std::size_t index);
  double time(std::size_t index);  ///< [s]

  /// The scene as it was simulated: from the recorded text, inputs and overrides alone.
  /// @throws ParseError.
  Scene load_scene() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// True if the file is HDF5 and says that it is a run.
bool is_run_file(const std::string& path);

}  // namespace amontons::io

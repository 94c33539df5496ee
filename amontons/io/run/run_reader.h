#pragma once

#include "amontons/io/run/run_row.h"
#include "amontons/simulation/scene/scene.h"

#include <memory>
#include <string>
#include <vector>

namespace amontons::io {

struct ModelVisuals;  // import/model_visuals.h
struct RunHeader;

/// Says how the writer left the file of a run.
enum class RunEnding {
  Closed,   ///< its writer closed it
  Growing,  ///< it is being written now, or its writer was killed
};

/// Says what a reader does with damaged rows.
enum class RunDamage {
  /// Refuses a run whose offsets of records decrease or point beyond the records; another damaged
  /// row is refused when it is read.
  Refuse,
  /// Reads all rows at once, and leaves out the first damaged one and those after it.
  LeaveOut,
};

/// Holds the numbers of complete rows and of what they need: the datasets of a run have at least so
/// many entries.
struct RunExtents {
  std::size_t rows = 0;             ///< T: rows
  std::size_t records = 0;          ///< R: records of rows
  std::size_t contacts = 0;         ///< E: contacts of all records of rows
  std::size_t contact_records = 0;  ///< C: records of contacts
  std::size_t bounded = 0;          ///< B: bounded rows of all records of rows
  std::size_t commands = 0;         ///< K: commands of all records of rows

  bool operator==(const RunExtents&) const = default;  ///< compares all numbers
};

/// Reads a run, also while it grows or after its writer was killed. Only rows that are complete
/// count.
class RunReader {
 public:
  /// @throws ParseError if the file cannot be opened, is no run of this version, or is damaged: a
  /// dataset has another type or extent than the format's, or an offset points nowhere.
  explicit RunReader(const std::string& path, RunDamage damage = RunDamage::Refuse);
  ~RunReader();
  RunReader(RunReader&&) noexcept;             ///< moves
  RunReader& operator=(RunReader&&) noexcept;  ///< moves

  const std::string& path() const;  ///< as it was named
  const RunHeader& header() const;  ///< scene, inputs and names that the run records
  RunEnding ending() const;         ///< state in which its writer left the file

  /// Says why rows were left out; empty if none was damaged.
  const std::string& damage() const;
  /// Returns the number of rows of the longest dataset, complete or not.
  std::size_t num_rows_begun() const;

  /// Returns the number of complete rows when the file was opened. It is at least 1 unless the
  /// writer was killed at once.
  std::size_t num_rows() const;

  /// Returns the number of contacts of all rows together. It reads all of /record.
  std::size_t num_contacts();
  /// Returns true if commands of a program acted in a row.
  bool has_commands();
  /// Returns the extents of the complete rows. It reads all of /record and /contacts/record.
  RunExtents extents();

  /// Returns all of one row. Reading in ascending order is fastest.
  /// @throws ParseError if it cannot be read or holds a code that means nothing.
  RunRow row(std::size_t index);
  /// Returns a row without contacts, bounded rows and commands. @throws ParseError as row().
  RunRow row_without_contacts(std::size_t index);
  double time(std::size_t index);  ///< time of a row [s]

  /// Returns the scene as it was simulated, from the recorded text, inputs and overrides alone.
  /// @param visuals  receives what the files of models draw, if anybody asks for it. Their meshes
  ///     come from the run, or from where they were when it was recorded.
  /// @throws ParseError naming what is wrong with the recorded scene.
  Scene load_scene(ModelVisuals* visuals = nullptr) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// Returns true if the file is HDF5 and its attribute "format" says that it is a run.
bool is_run_file(const std::string& path);

}  // namespace amontons::io

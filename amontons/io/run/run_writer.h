#pragma once

#include "amontons/io/common/replacement_file.h"
#include "amontons/io/hdf5/hdf5_handle.h"
#include "amontons/io/run/run_columns.h"
#include "amontons/io/run/run_row.h"
#include "amontons/io/run/run_space.h"
#include "amontons/simulation/scene/scene.h"
#include "amontons/simulation/system/system.h"

#include <cstdint>
#include <string>
#include <vector>

namespace amontons::io {

/// The file of a run while it is written: rows gather in memory and go to the disk together.
///
/// It is written aside until place(), then in SWMR mode under its own name. After an OutputError
/// everything written before is still there.
class RunWriter {
 public:
  /// @throws OutputError  naming the file and the reason; also if another process is writing it.
  RunWriter(const std::string& path, const Scene& scene, const System& system,
            const std::vector<std::string>& overrides);
  /// Closes what close() did not, without complaint; rows still in memory are lost.
  ~RunWriter();
  RunWriter(const RunWriter&) = delete;
  RunWriter& operator=(const RunWriter&) = delete;

  const std::string& path() const { return replacement_.path(); }
  std::int64_t num_rows() const { return num_rows_; }
  bool is_open() const { return file_.valid(); }

  void append(const RunRow& row);
  /// True once so much is gathered that it should be written.
  bool is_full();
  /// Moves the gathered rows into the file. @throws OutputError.
  void write();
  /// Lets the file take its place.
  void place() { replacement_.place(); }
  void close();

 private:
  // Records that belong to rows of the run: row l has those from offset[l] to offset[l + 1].
  struct RecordTable {
    const char* offset_name;
    std::vector<ColumnWriter> columns = {}, offset = {};
    std::int64_t size = 0;
  };

  template <typename Records, typename Visit>
  static void append_records(RecordTable& table, const Records& records, const Visit& visit);
  static void append_offset(RecordTable& table);
  void create_columns(const RunRow& row, std::size_t expected_rows);
  void begin_swmr();
  /// Calls f for each column: records, their offsets, then the rows, /time at the end, so that a
  /// reader that sees a time finds all that belongs to it.
  template <typename F>
  void for_each_column(const F& f);

  ReplacementFile replacement_;
  RunSpace space_;
  Hdf5Handle file_;
  std::vector<ColumnWriter> columns_;
  RecordTable contacts_{"/contacts/offset"}, bounded_{"/bounded/offset"},
      commands_{"/commands/offset"};
  std::int64_t num_rows_ = 0;
};

}  // namespace amontons::io

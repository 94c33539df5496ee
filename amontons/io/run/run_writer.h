#pragma once

#include "amontons/io/common/replacement_file.h"
#include "amontons/io/hdf5/hdf5_handle.h"
#include "amontons/io/run/contact_records.h"
#include "amontons/io/run/repeated_rows.h"
#include "amontons/io/run/run_commander.h"
#include "amontons/io/run/run_row.h"
#include "amontons/io/run/storage/run_columns.h"
#include "amontons/io/run/storage/run_lock.h"
#include "amontons/io/run/storage/run_space.h"
#include "amontons/simulation/scene/scene.h"
#include "amontons/simulation/system/system.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace amontons::io {

/// Writes the file of a run: rows gather in memory and go to the disk together.
///
/// The file lies aside until place() moves it to its own name. It is in SWMR mode from the start.
/// After an OutputError everything written until then is still in the file.
class RunWriter {
 public:
  /// Creates the file with its header and empty datasets.
  /// @param expected   the file that it may replace (RunLock).
  /// @param commander  who commands the run, for its header.
  /// @throws OutputError  naming the file and the reason; also if another process is writing it.
  RunWriter(const std::string& path, const Scene& scene, const System& system,
            const std::optional<FileIdentity>& expected, RunCommander commander);
  /// Closes the file if close() did not, without an error; rows still in memory are lost.
  ~RunWriter();
  RunWriter(const RunWriter&) = delete;
  RunWriter& operator=(const RunWriter&) = delete;

  const std::string& path() const { return replacement_.path(); }
  std::int64_t num_rows() const { return num_rows_; }
  bool is_open() const { return file_.valid(); }

  /// Gathers a row with its contacts, bounded rows and commands, and returns its record.
  std::int64_t append(const RunRow& row);
  /// Gathers a row that has the record of one before, and times of its own.
  void append_times(const RunRow& row, std::int64_t record);
  /// Returns true if enough is gathered that it should be written.
  bool is_full();
  /// Moves the gathered rows into the file. @throws OutputError.
  void write();
  /// Moves the file to its own name, in place of an older one.
  void place();
  /// Closes the file; gathered rows are not written.
  void close();
  /// Checks that the file still has its name. @throws OutputError where it has not.
  void require_named() const { space_.require_named(); }

 private:
  /// Holds datasets of which the record r of rows has the entries offset[r] to offset[r + 1].
  struct RecordTable {
    const char* offset_name;
    std::vector<ColumnWriter> columns = {}, offset = {};
    std::int64_t size = 0;
  };

  /// Appends the entries of one record, and the offset where those of the next one begin.
  template <typename Records, typename Visit>
  void append_records(RecordTable& table, const Records& records, const Visit& visit);
  void append_offset(RecordTable& table);
  /// Appends what no row before had: the record of a row, its contacts, bounded rows and commands.
  void append_record(const RunRow& row, const std::vector<RepeatedContacts::Place>& contacts);
  /// Appends the contacts that do not repeat, and which of them the row has.
  void append_contacts(const std::vector<RunContact>& contacts,
                       const std::vector<RepeatedContacts::Place>& places);
  /// Creates a dataset for each field of a row, contact, bounded row and command.
  void create_columns(const RunRow& row, std::size_t expected_rows);
  /// Begins SWMR mode: from here on others may read the file while it grows.
  void begin_swmr();
  /// Calls f for each column: what records refer to, the records, then the rows, with /time at the
  /// end. A reader that sees a time therefore finds all that belongs to it.
  template <typename F>
  void for_each_column(const F& f);

  RunLock lock_;
  ReplacementFile replacement_;
  RunSpace space_;
  Hdf5Handle file_;
  ChunkCompressor compressor_;
  RepeatedRows repeated_rows_;
  RepeatedContacts repeated_contacts_;
  std::vector<ColumnWriter> record_columns_;  // of the records of rows
  std::vector<ColumnWriter> record_of_row_;   // one: which record a row has
  std::vector<ColumnWriter> time_columns_;    // of the rows
  std::vector<ColumnWriter> contact_columns_;
  /// The column of contacts_ says which records of contact_columns_ a row has.
  RecordTable contacts_{"/contacts/offset"}, bounded_{"/bounded/offset"},
      commands_{"/commands/offset"};
  std::int64_t num_rows_ = 0;
};

}  // namespace amontons::io

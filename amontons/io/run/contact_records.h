#pragma once

#include "amontons/io/run/run_row.h"
#include "amontons/io/run/storage/run_columns.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace amontons::io {

/// Finds which contacts of a row repeat those of the row before, so that a run records them once.
///
/// A contact that is, bit for bit, as in the last row with contacts keeps the record of that row;
/// any other one gets the next record. A pile at rest so needs the records of one row alone.
class RepeatedContacts {
 public:
  /// Says which record of /contacts holds a contact.
  struct Place {
    std::int64_t record = 0;  ///< index into the tables of contacts
    bool is_new = false;      ///< the record is not written yet
  };

  /// Returns the places of the contacts of the next row, which are sorted by key.
  std::vector<Place> place(const std::vector<RunContact>& contacts);

 private:
  /// Holds what is recorded of the contacts of one row: keys, and columns packed one after another.
  struct Row {
    std::vector<ContactKey> keys;
    std::vector<std::int64_t> records;
    std::vector<std::byte> bytes;
  };

  Row last_, current_;
  std::int64_t num_records_ = 0;
};

/// Reads the tables of contacts of a run by the records that a row names (/contacts/record).
class ContactRecords {
 public:
  /// @param num_bodies  number of bodies of the run, which contacts name by their index.
  /// @throws ParseError if a dataset is absent or holds another type.
  ContactRecords(const Hdf5Handle& file, const std::string& path, std::size_t num_bodies);

  /// Returns the number of records that all datasets have.
  std::size_t size() const { return size_; }
  /// Returns the contacts of a row. Those of the row that was read before are not read again.
  /// @throws ParseError  naming the row, if a record is not there or holds what means nothing.
  std::vector<RunContact> read(const std::vector<std::int64_t>& records, std::size_t row);

 private:
  /// Reads one record and checks its numbers.
  RunContact read_record(std::int64_t record, std::size_t row);

  std::string path_;
  std::size_t num_bodies_ = 0, size_ = 0;
  std::vector<ColumnReader> columns_;
  /// Hold the records of the row that was read last, ascending, and their contacts.
  std::vector<std::int64_t> last_records_;
  std::vector<RunContact> last_contacts_;
};

}  // namespace amontons::io

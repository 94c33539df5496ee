#pragma once

#include "amontons/io/run/contact_records.h"
#include "amontons/io/run/run_row.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace amontons::io {

/// Finds which rows repeat a row shortly before in all but their times, bit for bit, so that a run
/// records once what they share. What is at rest so costs the times of its rows alone.
class RepeatedRows {
 public:
  /// Says which record has what a row shares with others.
  struct Place {
    std::int64_t record = 0;  ///< index into the datasets of visit_record_columns()
    bool is_new = false;      ///< the record is not written yet
  };

  /// Returns the place of the next row.
  /// @param contacts  places of its contacts.
  Place place(const RunRow& row, const std::vector<RepeatedContacts::Place>& contacts);

 private:
  /// Holds the bytes of a record.
  struct Kept {
    std::int64_t record = -1;
    std::vector<std::byte> bytes;
  };

  /// The last two that differ, the last one first: where the contacts of frames alone are recorded,
  /// rows at rest have one of two records.
  std::array<Kept, 2> kept_;
  std::vector<std::byte> bytes_;
  std::int64_t num_records_ = 0;
};

}  // namespace amontons::io

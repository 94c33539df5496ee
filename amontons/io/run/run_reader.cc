#include "amontons/io/run/run_reader.h"

#include "amontons/io/common/file_source.h"
#include "amontons/io/common/hdf5_signature.h"
#include "amontons/io/common/parse_error.h"
#include "amontons/io/common/recorded_or_disk.h"
#include "amontons/io/hdf5/hdf5_input.h"
#include "amontons/io/run/contact_records.h"
#include "amontons/io/run/run_datasets.h"
#include "amontons/io/run/run_header_file.h"
#include "amontons/io/run/run_shapes.h"
#include "amontons/io/run/run_visitors.h"
#include "amontons/io/scene/scene_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

namespace amontons::io {
namespace {

/// Opens the file of a run for reading, and finds how its writer left it.
Hdf5Handle open_run(const std::string& path, RunEnding& ending) {
  Hdf5Input input = open_hdf5_input(path);
  ending = input.growing ? RunEnding::Growing : RunEnding::Closed;
  return std::move(input.file);
}

/// Returns the least number of rows of some columns.
std::size_t least_rows(const std::vector<ColumnReader>& columns) {
  std::size_t least = std::numeric_limits<std::size_t>::max();
  for (const ColumnReader& column : columns) least = std::min(least, column.num_rows());
  return least;
}

/// Holds datasets of which the record r of rows has the entries offset[r] to offset[r + 1].
struct RecordTable {
  const char* offset_name;
  std::vector<ColumnReader> columns = {}, offset = {};

  std::int64_t offset_at(std::size_t record) {
    std::int64_t value = 0;
    std::memcpy(&value, offset.front().row(record), sizeof value);
    return value;
  }
};

}  // namespace

/// Keeps the datasets open; one ColumnReader for each, in the order of run_datasets.h.
class RunReader::Impl {
 public:
  Impl(const std::string& path, RunDamage damage) : path_(path), file_(open_run(path, ending_)) {
    header_ = read_run_header(file_, path);
    const RunShapes shapes = check_run_shapes(file_, path);
    header_.sizes = shapes.sizes;
    check_joint_places(header_, path);
    // A writer that could not write its last rows has not closed the run as it should.
    if (!shapes.is_even) ending_ = RunEnding::Growing;
    // One dataset for each field; a dataset that is missing or of another type throws.
    visit_record_columns(RunRow(), ColumnOpener(file_, path_, record_columns_));
    ColumnOpener(file_, path_, record_of_row_)("/record", std::int64_t{0});
    visit_time_columns(RunRow(), ColumnOpener(file_, path_, time_columns_));
    contact_records_.emplace(file_, path_, header_.body_names.size());
    ColumnOpener(file_, path_, contacts_.columns)("/contacts/record", std::int64_t{0});
    visit_bounded_columns(RunBoundedRow(), ColumnOpener(file_, path_, bounded_.columns));
    visit_command_columns(RunCommand(), ColumnOpener(file_, path_, commands_.columns));
    for (RecordTable* table : {&contacts_, &bounded_, &commands_}) {
      ColumnOpener(file_, path_, table->offset)(table->offset_name, std::int64_t{0});
    }
    count_rows(damage);
    check_records();
    for (RecordTable* table : {&contacts_, &bounded_, &commands_}) check_offsets(*table);
    check_order();
    if (damage == RunDamage::LeaveOut) {
      leave_out_unreadable_rows();
    } else if (!damage_.empty()) {
      refuse(damage_, num_rows_);
    }
  }

  RunRow row(std::size_t index, bool with_contacts) {
    if (index >= num_rows_) {
      throw ParseError(
          path_, 0, 0,
          "the run has no row " + std::to_string(index) + ", only " + std::to_string(num_rows_));
    }
    try {
      return read(index, with_contacts);
    } catch (const ParseError& error) {
      refuse(error.message(), index);
    }
  }

  std::size_t num_contacts() {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < num_rows_; ++i) {
      const auto [begin, end] = range(contacts_, record_of(i));
      sum += end - begin;
    }
    return sum;
  }

  RunExtents extents() {
    RunExtents result{.rows = num_rows_, .records = num_records_needed()};
    result.contacts = static_cast<std::size_t>(contacts_.offset_at(result.records));
    result.bounded = static_cast<std::size_t>(bounded_.offset_at(result.records));
    result.commands = static_cast<std::size_t>(commands_.offset_at(result.records));
    std::int64_t end = 0;
    for (std::size_t i = 0; i < result.contacts; ++i) end = std::max(end, contact_record(i) + 1);
    result.contact_records = static_cast<std::size_t>(end);
    return result;
  }

  bool has_commands() { return commands_.offset_at(num_records_needed()) > 0; }

  std::size_t num_rows_begun() const {
    std::size_t most = record_of_row_.front().num_rows();
    for (const ColumnReader& column : time_columns_) most = std::max(most, column.num_rows());
    return most;
  }

  /// Returns the time of a row [s]: /time is the last of their columns.
  double time(std::size_t index) { return value_at<double>(time_columns_.back(), index); }

  std::string path_;
  RunEnding ending_ = RunEnding::Closed;
  std::string damage_;
  Hdf5Handle file_;
  RunHeader header_;
  std::size_t num_rows_ = 0;

 private:
  /// Returns the number of a row of a column that has one number each.
  template <typename T>
  static T value_at(ColumnReader& column, std::size_t index) {
    T value{};
    std::memcpy(&value, column.row(index), sizeof value);
    return value;
  }

  /// Returns the record of a row, which check_records() has checked.
  std::size_t record_of(std::size_t index) {
    return static_cast<std::size_t>(value_at<std::int64_t>(record_of_row_.front(), index));
  }

  /// Returns the number of records that the complete rows need.
  std::size_t num_records_needed() {
    std::size_t needed = 0;
    for (std::size_t i = 0; i < num_rows_; ++i) needed = std::max(needed, record_of(i) + 1);
    return needed;
  }

  /// Reads a row, which the datasets have. @throws ParseError if it has numbers that no row has.
  RunRow read(std::size_t index, bool with_contacts) {
    const std::size_t record = record_of(index);
    const bool is_known =
        repeated_ && repeated_->record == record && repeated_->has_contacts == with_contacts;
    RunRow row = is_known ? repeated_->row : read_record(record, index, with_contacts);
    // Rows that follow may need no more than their times.
    if (!is_known && index + 1 < num_rows_ && record_of(index + 1) == record) {
      repeated_ = RepeatedRow{record, with_contacts, row};
    }
    visit_time_columns(row, ColumnFiller(time_columns_, index));
    check_columns(time_columns_, index, index, row.certificate.holds);
    return row;
  }

  /// Reads the record of a row.
  RunRow read_record(std::size_t record, std::size_t index, bool with_contacts) {
    RunRow row;
    visit_record_columns(row, ColumnFiller(record_columns_, record));
    check_columns(record_columns_, record, index, row.certificate.holds);
    if (with_contacts) read_contacts(record, index, row);
    if (with_contacts) read_bounded_rows(record, index, row);
    if (with_contacts) read_commands(record, index, row);
    return row;
  }

  /// Throws the error of a run whose row `num_rows` is the first damaged one.
  [[noreturn]] void refuse(const std::string& damage, std::size_t num_rows) {
    throw ParseError(path_, 0, 0, "damaged: " + damage + remedy(num_rows));
  }

  /// Returns a column of time_columns_.
  ColumnReader& time_column(std::string_view name) {
    return *std::find_if(time_columns_.begin(), time_columns_.end(),
                         [name](const ColumnReader& own) { return own.name() == name; });
  }

  /// Leaves out the rows from one on.
  void leave_out_from(std::size_t row, const std::string& damage) {
    num_rows_ = row;
    damage_ = damage;
  }

  /// Returns what helps where `num_rows` rows come before the first damaged one: a repair, unless
  /// it would be refused because no row can be read.
  std::string remedy(std::size_t num_rows) {
    if (num_rows == 0) return "";
    try {
      read(0, true);
    } catch (const ParseError&) {
      return "";
    }
    return "; `amontons repair` keeps the rows before the first damaged one";
  }

  /// Returns true if the time of a row is in the file. One that cannot be read is not, where
  /// damaged rows are left out.
  bool has_time(std::size_t index, RunDamage damage) {
    try {
      return !std::isnan(time(index));
    } catch (const ParseError& error) {
      if (damage == RunDamage::Refuse) refuse(error.message(), index);
      damage_ = error.message();
      return false;
    }
  }

  /// Counts the rows that every dataset has. /time is written last and is NaN until then.
  void count_rows(RunDamage damage) {
    num_rows_ = std::min(least_rows(time_columns_), least_rows(record_of_row_));
    // From the end, but each block of times is fetched from its begin.
    constexpr std::size_t kBlock = 65536;
    while (num_rows_ > 0 && !has_time(num_rows_ - 1, damage)) {
      const std::size_t begin = num_rows_ > kBlock ? num_rows_ - kBlock : 0;
      has_time(begin, damage);
      while (num_rows_ > begin && !has_time(num_rows_ - 1, damage)) --num_rows_;
    }
  }

  /// Checks that every row has a record, and that the records are numbered as they come. Leaves out
  /// the rows from the first wrong one on.
  void check_records() {
    // R records have R + 1 offsets.
    std::size_t num_offsets = std::numeric_limits<std::size_t>::max();
    for (const RecordTable* table : {&contacts_, &bounded_, &commands_}) {
      num_offsets = std::min(num_offsets, table->offset.front().num_rows());
    }
    const std::size_t num_records =
        std::min(least_rows(record_columns_), num_offsets == 0 ? 0 : num_offsets - 1);
    std::int64_t next = 0;
    for (std::size_t i = 0; i < num_rows_; ++i) {
      try {
        const auto record = value_at<std::int64_t>(record_of_row_.front(), i);
        if (record < 0 || record > next || static_cast<std::size_t>(record) >= num_records) {
          throw ParseError(path_, 0, 0,
                           fmt::format("/record is {} at row {}, after {} of {} records", record, i,
                                       next, num_records));
        }
        next = std::max(next, record + 1);
      } catch (const ParseError& error) {
        leave_out_from(i, error.message());
      }
    }
    // A writer that could not write its last rows has not closed the run as it should.
    if (static_cast<std::size_t>(next) < num_records) ending_ = RunEnding::Growing;
  }

  /// Checks that the offsets of a table begin at 0, never decrease, and stay within its columns.
  /// Leaves out the rows from the first on that has a wrong one.
  void check_offsets(RecordTable& table) {
    const std::size_t num_entries = least_rows(table.columns);
    const std::size_t num_records = num_records_needed();
    if (num_records == 0) return;
    std::int64_t last = 0;
    for (std::size_t record = 0; record <= num_records; ++record) {
      try {
        last = checked_offset(table, record, last, num_entries);
      } catch (const ParseError& error) {
        leave_out_from(first_row_of(record > 0 ? record - 1 : 0), error.message());
        return;
      }
    }
  }

  /// Returns the first row with a record.
  std::size_t first_row_of(std::size_t record) {
    std::size_t row = 0;
    while (record_of(row) != record) ++row;
    return row;
  }

  /// Returns an offset, which is at least the one before.
  std::int64_t checked_offset(RecordTable& table, std::size_t record, std::int64_t last,
                              std::size_t num_entries) const {
    const std::int64_t offset = table.offset_at(record);
    if (offset >= last && (record > 0 || offset == 0) &&
        static_cast<std::uint64_t>(offset) <= num_entries) {
      return offset;
    }
    throw ParseError(path_, 0, 0,
                     fmt::format("{} is {} at record {}, of {} entries", table.offset_name, offset,
                                 record, num_entries));
  }

  /// Returns the range [first, second) of the entries of a record, which check_offsets() has
  /// checked.
  static std::pair<std::size_t, std::size_t> range(RecordTable& table, std::size_t record) {
    return {static_cast<std::size_t>(table.offset_at(record)),
            static_cast<std::size_t>(table.offset_at(record + 1))};
  }

  /// Checks that times and numbers of steps ascend from row to row, except where a program set the
  /// state. Leaves out the rows from the first wrong one on.
  void check_order() {
    ColumnReader &times = time_column("/time"), &starts = time_column("/time_start"),
                 &counts = time_column("/step_count"), &sets = time_column("/start_was_set");
    double last_time = std::numeric_limits<double>::lowest();
    std::int64_t last_count = -1;
    for (std::size_t i = 0; i < num_rows_; ++i) {
      try {
        for (ColumnReader* column : {&times, &starts, &counts, &sets}) column->check(i, i);
        const bool was_set = value_at<std::uint8_t>(sets, i) != 0;
        const auto time = value_at<double>(times, i), start = value_at<double>(starts, i);
        const auto count = value_at<std::int64_t>(counts, i);
        check_ascent("/time", i, time, was_set ? start : std::max(start, last_time));
        if (!was_set) check_ascent("/step_count", i, count, last_count + 1);
        last_time = time;
        last_count = count;
      } catch (const ParseError& error) {
        leave_out_from(i, error.message());
      }
    }
  }

  /// Throws a ParseError if the number of a row is below the least that may follow.
  template <typename T>
  void check_ascent(const char* name, std::size_t row, T number, T least) const {
    if (number >= least) return;
    throw ParseError(path_, 0, 0,
                     fmt::format("{} is {} at row {}, below {}", name, number, row, least));
  }

  /// Fills the commands that acted in the step of a row.
  void read_commands(std::size_t record, std::size_t index, RunRow& row) {
    const auto [begin, end] = range(commands_, record);
    row.commands.resize(end - begin);
    for (std::size_t i = 0; i < row.commands.size(); ++i) {
      RunCommand& command = row.commands[i];
      visit_command_columns(command, ColumnFiller(commands_.columns, begin + i));
      check_columns(commands_.columns, begin + i, index);
    }
  }

  /// Fills the bounded rows of a row.
  void read_bounded_rows(std::size_t record, std::size_t index, RunRow& row) {
    const auto [begin, end] = range(bounded_, record);
    row.bounded_rows.resize(end - begin);
    for (std::size_t i = 0; i < row.bounded_rows.size(); ++i) {
      RunBoundedRow& bounded = row.bounded_rows[i];
      visit_bounded_columns(bounded, ColumnFiller(bounded_.columns, begin + i));
      check_columns(bounded_.columns, begin + i, index);
    }
  }

  /// Returns the record of one of the contacts of all records of rows.
  std::int64_t contact_record(std::size_t contact) {
    return value_at<std::int64_t>(contacts_.columns.front(), contact);
  }

  /// Returns the records of the contacts of a record of rows; nothing if the file lacks one of
  /// them.
  std::optional<std::vector<std::int64_t>> contact_records_of(std::size_t record) {
    const auto [begin, end] = range(contacts_, record);
    const auto size = static_cast<std::int64_t>(contact_records_->size());
    // The contacts of a row differ, so that it has no more of them than there are records.
    if (end - begin > contact_records_->size()) return std::nullopt;
    std::vector<std::int64_t> records;
    for (std::size_t i = begin; i < end; ++i) {
      records.push_back(contact_record(i));
      if (records.back() < 0 || records.back() >= size) return std::nullopt;
    }
    return records;
  }

  /// Leaves out the first row that cannot be read, and those after it.
  void leave_out_unreadable_rows() {
    for (std::size_t i = 0; i < num_rows_; ++i) {
      try {
        read(i, true);
      } catch (const ParseError& error) {
        leave_out_from(i, error.message());
      }
    }
  }

  /// Fills the contacts of a row.
  void read_contacts(std::size_t record, std::size_t index, RunRow& row) {
    const std::optional<std::vector<std::int64_t>> records = contact_records_of(record);
    if (!records) {
      throw ParseError(
          path_, 0, 0,
          "/contacts/record names a contact that is not there, at row " + std::to_string(index));
    }
    row.contacts = contact_records_->read(*records, index);
  }

  /// Holds a row whose record the next one has, too.
  struct RepeatedRow {
    std::size_t record = 0;
    bool has_contacts = false;
    RunRow row;
  };

  std::vector<ColumnReader> record_columns_;  // of the records of rows
  std::vector<ColumnReader> record_of_row_;   // one: which record a row has
  std::vector<ColumnReader> time_columns_;    // of the rows
  std::optional<RepeatedRow> repeated_;
  /// The column of contacts_ says which of contact_records_ a row has.
  RecordTable contacts_{"/contacts/offset"}, bounded_{"/bounded/offset"},
      commands_{"/commands/offset"};
  std::optional<ContactRecords> contact_records_;
};

RunReader::RunReader(const std::string& path, RunDamage damage)
    : impl_(std::make_unique<Impl>(path, damage)) {}
RunReader::~RunReader() = default;
RunReader::RunReader(RunReader&&) noexcept = default;
RunReader& RunReader::operator=(RunReader&&) noexcept = default;

const std::string& RunReader::path() const { return impl_->path_; }
const RunHeader& RunReader::header() const { return impl_->header_; }
RunEnding RunReader::ending() const { return impl_->ending_; }
const std::string& RunReader::damage() const { return impl_->damage_; }
std::size_t RunReader::num_rows_begun() const { return impl_->num_rows_begun(); }
std::size_t RunReader::num_rows() const { return impl_->num_rows_; }
std::size_t RunReader::num_contacts() { return impl_->num_contacts(); }
bool RunReader::has_commands() { return impl_->has_commands(); }
RunExtents RunReader::extents() { return impl_->extents(); }
RunRow RunReader::row(std::size_t index) { return impl_->row(index, true); }
RunRow RunReader::row_without_contacts(std::size_t index) { return impl_->row(index, false); }
double RunReader::time(std::size_t index) { return impl_->time(index); }

Scene RunReader::load_scene(ModelVisuals* visuals) const {
  const RunHeader& header = impl_->header_;
  // Overrides were recorded as "path=value"; a value may contain further '='.
  LoadOptions options;
  for (const std::string& text : header.overrides) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) {
      throw ParseError(impl_->path_, 0, 0, "the recorded override \"" + text + "\" has no '='");
    }
    options.overrides.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  options.visuals = visuals;
  const MemoryFiles recorded(header.inputs);
  const RecordedOrDisk either(recorded, std::filesystem::path(header.scene_file).parent_path());
  if (visuals != nullptr) options.looks = &either;
  try {
    Scene scene = parse_scene(header.scene_text, header.scene_file, recorded, options);
    scene.inputs = header.inputs;
    return scene;
  } catch (const ParseError& error) {
    // The first of several faults, which have a line each.
    const std::string said = error.what();
    throw ParseError(impl_->path_, 0, 0, "the recorded scene: " + said.substr(0, said.find('\n')));
  }
}

bool is_run_file(const std::string& path) {
  if (!is_hdf5_file(path)) return false;
  const Hdf5Input input = open_hdf5_input(path);
  return has_attribute(input.file, "format") &&
         read_string_attribute(input.file, "format") == "amontons-run";
}

}  // namespace amontons::io

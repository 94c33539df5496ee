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

/// Holds the datasets of records that belong to rows: row l has offset[l] to offset[l + 1].
struct RecordTable {
  const char* offset_name;
  std::vector<ColumnReader> columns = {}, offset = {};

  std::int64_t offset_at(std::size_t row) {
    std::int64_t value = 0;
    std::memcpy(&value, offset.front().row(row), sizeof value);
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
    visit_row_columns(RunRow(), ColumnOpener(file_, path_, columns_));
    contact_records_.emplace(file_, path_, header_.body_names.size());
    ColumnOpener(file_, path_, contacts_.columns)("/contacts/record", std::int64_t{0});
    visit_bounded_columns(RunBoundedRow(), ColumnOpener(file_, path_, bounded_.columns));
    visit_command_columns(RunCommand(), ColumnOpener(file_, path_, commands_.columns));
    for (RecordTable* table : {&contacts_, &bounded_, &commands_}) {
      ColumnOpener(file_, path_, table->offset)(table->offset_name, std::int64_t{0});
    }
    count_rows(damage);
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

  std::size_t num_contacts() { return static_cast<std::size_t>(contacts_.offset_at(num_rows_)); }

  std::size_t num_contact_records() {
    std::int64_t end = 0;
    for (std::size_t i = 0; i < num_contacts(); ++i) end = std::max(end, contact_record(i) + 1);
    return static_cast<std::size_t>(end);
  }

  std::size_t num_bounded_rows() { return static_cast<std::size_t>(bounded_.offset_at(num_rows_)); }

  std::size_t num_commands() { return static_cast<std::size_t>(commands_.offset_at(num_rows_)); }

  std::size_t num_rows_begun() const {
    std::size_t most = 0;
    for (const ColumnReader& column : columns_) most = std::max(most, column.num_rows());
    return most;
  }

  /// Returns the time of a row [s]: /time is the last column of the rows.
  double time(std::size_t index) { return value_at<double>(columns_.back(), index); }

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

  /// Reads a row, which the datasets have. @throws ParseError if it has numbers that no row has.
  RunRow read(std::size_t index, bool with_contacts) {
    RunRow row;
    visit_row_columns(row, ColumnFiller(columns_, index));
    check_columns(columns_, index, index, row.certificate.holds);
    if (with_contacts) read_contacts(index, row);
    if (with_contacts) read_bounded_rows(index, row);
    if (with_contacts) read_commands(index, row);
    return row;
  }

  /// Throws the error of a run whose row `num_rows` is the first damaged one.
  [[noreturn]] void refuse(const std::string& damage, std::size_t num_rows) {
    throw ParseError(path_, 0, 0, "damaged: " + damage + remedy(num_rows));
  }

  /// Returns the column of a row's field.
  ColumnReader& column(std::string_view name) {
    return *std::find_if(columns_.begin(), columns_.end(),
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
    num_rows_ = std::numeric_limits<std::size_t>::max();
    for (const ColumnReader& column : columns_) {
      num_rows_ = std::min(num_rows_, column.num_rows());
    }
    // T rows have T + 1 offsets.
    std::size_t num_offsets = std::numeric_limits<std::size_t>::max();
    for (const RecordTable* table : {&contacts_, &bounded_, &commands_}) {
      num_offsets = std::min(num_offsets, table->offset.front().num_rows());
    }
    num_rows_ = num_offsets == 0 ? 0 : std::min(num_rows_, num_offsets - 1);
    // From the end, but each block of times is fetched from its begin.
    constexpr std::size_t kBlock = 65536;
    while (num_rows_ > 0 && !has_time(num_rows_ - 1, damage)) {
      const std::size_t begin = num_rows_ > kBlock ? num_rows_ - kBlock : 0;
      has_time(begin, damage);
      while (num_rows_ > begin && !has_time(num_rows_ - 1, damage)) --num_rows_;
    }
  }

  /// Checks that the offsets of a table begin at 0, never decrease, and stay within its columns.
  /// Leaves out the rows from the first wrong one on.
  void check_offsets(RecordTable& table) {
    if (table.offset.front().num_rows() == 0) return;
    std::size_t num_records = std::numeric_limits<std::size_t>::max();
    for (const ColumnReader& column : table.columns) {
      num_records = std::min(num_records, column.num_rows());
    }
    std::int64_t last = 0;
    for (std::size_t i = 0; i <= num_rows_; ++i) {
      try {
        last = checked_offset(table, i, last, num_records);
      } catch (const ParseError& error) {
        leave_out_from(i > 0 ? i - 1 : 0, error.message());
      }
    }
  }

  /// Returns the offset of a row, which is at least that of the row before.
  std::int64_t checked_offset(RecordTable& table, std::size_t row, std::int64_t last,
                              std::size_t num_records) const {
    const std::int64_t offset = table.offset_at(row);
    if (offset >= last && (row > 0 || offset == 0) &&
        static_cast<std::uint64_t>(offset) <= num_records) {
      return offset;
    }
    throw ParseError(path_, 0, 0,
                     std::string(table.offset_name) + " is " + std::to_string(offset) + " at row " +
                         std::to_string(row) + ", of " + std::to_string(num_records) + " records");
  }

  /// Returns the range [first, second) of the records that belong to a row of the run, which
  /// check_offsets() has checked.
  static std::pair<std::size_t, std::size_t> range(RecordTable& table, std::size_t index) {
    return {static_cast<std::size_t>(table.offset_at(index)),
            static_cast<std::size_t>(table.offset_at(index + 1))};
  }

  /// Checks that times and numbers of steps ascend from row to row, except where a program set the
  /// state. Leaves out the rows from the first wrong one on.
  void check_order() {
    ColumnReader &times = column("/time"), &starts = column("/time_start"),
                 &counts = column("/step_count"), &sets = column("/start_was_set");
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
  void read_commands(std::size_t index, RunRow& row) {
    const auto [begin, end] = range(commands_, index);
    row.commands.resize(end - begin);
    for (std::size_t i = 0; i < row.commands.size(); ++i) {
      RunCommand& command = row.commands[i];
      visit_command_columns(command, ColumnFiller(commands_.columns, begin + i));
      check_columns(commands_.columns, begin + i, index);
    }
  }

  /// Fills the bounded rows of a row.
  void read_bounded_rows(std::size_t index, RunRow& row) {
    const auto [begin, end] = range(bounded_, index);
    row.bounded_rows.resize(end - begin);
    for (std::size_t i = 0; i < row.bounded_rows.size(); ++i) {
      RunBoundedRow& bounded = row.bounded_rows[i];
      visit_bounded_columns(bounded, ColumnFiller(bounded_.columns, begin + i));
      check_columns(bounded_.columns, begin + i, index);
    }
  }

  /// Returns the record of one of the contacts of all rows.
  std::int64_t contact_record(std::size_t contact) {
    return value_at<std::int64_t>(contacts_.columns.front(), contact);
  }

  /// Returns the records of a row's contacts; nothing if the file lacks one of them.
  std::optional<std::vector<std::int64_t>> contact_records_of(std::size_t index) {
    const auto [begin, end] = range(contacts_, index);
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
  void read_contacts(std::size_t index, RunRow& row) {
    const std::optional<std::vector<std::int64_t>> records = contact_records_of(index);
    if (!records) {
      throw ParseError(
          path_, 0, 0,
          "/contacts/record names a contact that is not there, at row " + std::to_string(index));
    }
    row.contacts = contact_records_->read(*records, index);
  }

  std::vector<ColumnReader> columns_;
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
std::size_t RunReader::num_contact_records() { return impl_->num_contact_records(); }
std::size_t RunReader::num_bounded_rows() { return impl_->num_bounded_rows(); }
std::size_t RunReader::num_commands() { return impl_->num_commands(); }
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
  const FileSource& source = visuals != nullptr ? static_cast<const FileSource&>(either) : recorded;
  Scene scene = parse_scene(header.scene_text, header.scene_file, source, options);
  scene.inputs = header.inputs;  // with the files of what is only drawn
  return scene;
}

bool is_run_file(const std::string& path) {
  if (!is_hdf5_file(path)) return false;
  const Hdf5Input input = open_hdf5_input(path);
  return has_attribute(input.file, "format") &&
         read_string_attribute(input.file, "format") == "amontons-run";
}

}  // namespace amontons::io

#include "amontons/io/run/run_writer.h"

#include "amontons/io/common/output_error.h"
#include "amontons/io/common/overwriting.h"
#include "amontons/io/run/run_datasets.h"
#include "amontons/io/run/run_header_file.h"
#include "amontons/io/run/run_visitors.h"
#include "amontons/simulation/system/step_report.h"

#include <algorithm>
#include <filesystem>

namespace amontons::io {
namespace {

/// Rows of a chunk at most. Wide datasets have fewer, and a short run has shorter chunks.
constexpr std::size_t kChunkRows = 512;
/// The same for records. Chunks are sized as if each body had so many contacts, and a row as many
/// records as this at least.
constexpr std::size_t kRecordChunkRows = 4096, kContactsPerBody = 4, kFewestRecords = 8;
/// Memory for gathered rows [bytes]; more is written before the flush interval ends.
constexpr std::size_t kMaxBufferedBytes = 32u << 20;
/// Space for what HDF5 keeps besides the rows [bytes]: indices of chunks, names, attributes.
constexpr std::uint64_t kSpareBytes = 1u << 20;

/// Returns the path if a run may take it; else throws OutputError.
///
/// Refused are a device or pipe, and the files that the scene was read from.
const std::string& replaceable(const std::string& path, const Scene& scene) {
  namespace fs = std::filesystem;
  std::vector<std::string> inputs{scene.file};
  for (const InputFile& input : scene.inputs) {
    inputs.push_back((fs::path(scene.file).parent_path() / input.path).string());
  }
  refuse_overwriting(path, inputs);
  refuse_device(path);
  return path;
}

// The visitor functions of run_datasets.h as objects: a function template cannot be an argument.
constexpr auto kVisitBounded = [](auto&& record, auto&& visitor) {
  visit_bounded_columns(record, visitor);
};
constexpr auto kVisitCommand = [](auto&& record, auto&& visitor) {
  visit_command_columns(record, visitor);
};

/// Estimates the number of rows of the whole run, by which chunks are sized.
std::size_t expected_rows(const Scene& scene) {
  const std::vector<double>& steps = scene.simulation.steps;
  const double shortest = steps.empty() ? 0.0 : *std::min_element(steps.begin(), steps.end());
  const double interval = std::max(scene.output.every, shortest);
  const double rows = interval > 0.0 ? scene.simulation.duration / interval : 1e6;
  return static_cast<std::size_t>(std::clamp(rows, 0.0, 1e6)) + 2;
}

/// Returns a row whose vectors are as long as those of every row.
RunRow widest_row(const System& system) {
  const State state = system.initial_state();
  StepReport initial;
  initial.end = &state;
  return make_run_row(system, initial);
}

}  // namespace

RunWriter::RunWriter(const std::string& path, const Scene& scene, const System& system,
                     const std::optional<FileIdentity>& expected, RunCommander commander)
    : lock_(replaceable(path, scene), expected),
      replacement_(path),
      space_(replacement_.aside(), path),
      file_(create_hdf5_file(replacement_.aside(), path)) {
  // Space for the header is reserved first, since HDF5 must never meet a full disk.
  std::uint64_t header_bytes = scene.text.size() + kSpareBytes;
  for (const InputFile& input : scene.inputs) header_bytes += input.bytes.size();
  space_.reserve(header_bytes);
  write_run_header(file_, scene, system, commander);
  // All datasets exist before SWMR mode, in which none can be created.
  create_columns(widest_row(system), expected_rows(scene));
  write_code_names(file_);
  begin_swmr();
  for (RecordTable* table : {&contacts_, &bounded_, &commands_}) append_offset(*table);
}

RunWriter::~RunWriter() {
  try {
    if (is_open()) close();
  } catch (const OutputError&) {
    // A destructor cannot report the error.
  }
}

void RunWriter::place() {
  replacement_.place();
  lock_.release();
}

void RunWriter::create_columns(const RunRow& row, std::size_t expected_rows) {
  // A short run gets short chunks, since a chunk takes its whole size on the disk.
  const std::size_t chunk_rows = std::min(kChunkRows, expected_rows);
  const std::size_t contacts = std::max(kFewestRecords, kContactsPerBody * row.num_bodies());
  // The order of creation is the order in which append() finds the columns.
  visit_record_columns(row, ColumnCreator(file_, chunk_rows, record_columns_));
  ColumnCreator(file_, chunk_rows, record_of_row_)("/record", std::int64_t{0});
  visit_time_columns(row, ColumnCreator(file_, chunk_rows, time_columns_));
  const auto records = [&](std::vector<ColumnWriter>& columns, std::size_t per_row) {
    const std::size_t rows = std::min(kRecordChunkRows, per_row * expected_rows);
    return ColumnCreator(file_, rows, columns, per_row);
  };
  visit_contact_columns(RunContact(), records(contact_columns_, contacts));
  records(contacts_.columns, contacts)("/contacts/record", std::int64_t{0});
  visit_bounded_columns(RunBoundedRow(), records(bounded_.columns, kFewestRecords));
  visit_command_columns(RunCommand(), records(commands_.columns, kFewestRecords));
  for (RecordTable* table : {&contacts_, &bounded_, &commands_}) {
    ColumnCreator(file_, chunk_rows, table->offset)(table->offset_name, table->size);
  }
}

// HDF5 begins SWMR mode only if every dataset is closed.
void RunWriter::begin_swmr() {
  for_each_column([](ColumnWriter& column) { column.close(); });
  const Hdf5Quiet quiet;
  if (H5Fstart_swmr_write(file_.id()) < 0) {
    throw OutputError(path(), "cannot begin to write: " + hdf5_error_message());
  }
  for_each_column([this](ColumnWriter& column) { column.open(file_); });
}

template <typename F>
void RunWriter::for_each_column(const F& f) {
  for (ColumnWriter& column : contact_columns_) f(column);
  for (RecordTable* table : {&contacts_, &bounded_, &commands_}) {
    for (ColumnWriter& column : table->columns) f(column);
    for (ColumnWriter& column : table->offset) f(column);
  }
  for (std::vector<ColumnWriter>* columns : {&record_columns_, &record_of_row_, &time_columns_}) {
    for (ColumnWriter& column : *columns) f(column);
  }
}

template <typename Records, typename Visit>
void RunWriter::append_records(RecordTable& table, const Records& records, const Visit& visit) {
  for (const auto& record : records) visit(record, ColumnAppender(table.columns, compressor_));
  table.size += static_cast<std::int64_t>(records.size());
  append_offset(table);
}

void RunWriter::append_offset(RecordTable& table) {
  ColumnAppender append(table.offset, compressor_);
  append("", table.size);
}

void RunWriter::append_contacts(const std::vector<RunContact>& contacts,
                                const std::vector<RepeatedContacts::Place>& places) {
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    if (places[i].is_new) {
      visit_contact_columns(contacts[i], ColumnAppender(contact_columns_, compressor_));
    }
    ColumnAppender(contacts_.columns, compressor_)("", places[i].record);
  }
  contacts_.size += static_cast<std::int64_t>(contacts.size());
  append_offset(contacts_);
}

void RunWriter::append_record(const RunRow& row,
                              const std::vector<RepeatedContacts::Place>& contacts) {
  append_contacts(row.contacts, contacts);
  append_records(bounded_, row.bounded_rows, kVisitBounded);
  append_records(commands_, row.commands, kVisitCommand);
  visit_record_columns(row, ColumnAppender(record_columns_, compressor_));
}

std::int64_t RunWriter::append(const RunRow& row) {
  const std::vector<RepeatedContacts::Place> contacts = repeated_contacts_.place(row.contacts);
  const RepeatedRows::Place place = repeated_rows_.place(row, contacts);
  if (place.is_new) append_record(row, contacts);
  append_times(row, place.record);
  return place.record;
}

void RunWriter::append_times(const RunRow& row, std::int64_t record) {
  ColumnAppender(record_of_row_, compressor_)("", record);
  visit_time_columns(row, ColumnAppender(time_columns_, compressor_));
  ++num_rows_;
}

bool RunWriter::is_full() {
  std::size_t buffered = 0;
  for_each_column([&](const ColumnWriter& column) { buffered += column.buffered_bytes(); });
  return buffered > kMaxBufferedBytes;
}

void RunWriter::write() {
  space_.require_length();
  // The space that the rows may need is reserved before HDF5 writes any of them.
  hsize_t size = 0;
  H5Fget_filesize(file_.id(), &size);
  std::uint64_t needed = size + kSpareBytes;
  for_each_column([&](const ColumnWriter& column) { needed += column.bytes_needed(); });
  space_.reserve(needed, "; the rows so far are kept: make room, then amontons resume " + path());
  for_each_column([this](ColumnWriter& column) { column.write_rows(path(), compressor_); });
  space_.remember_length();
}

void RunWriter::close() {
  for_each_column([](ColumnWriter& column) { column.close(); });
  file_.close();
  space_.trim();
}

}  // namespace amontons::io

#include "amontons/io/run_file.h"

#include "amontons/io/checkpoint.h"
#include "amontons/io/contact_problem_file.h"
#include "amontons/io/output_error.h"
#include "amontons/io/parse_error.h"
#include "amontons/io/replacement_file.h"
#include "amontons/io/run_header_file.h"
#include "amontons/io/run_reader.h"
#include "amontons/io/run_row.h"
#include "amontons/io/run_schema.h"
#include "amontons/io/run_space.h"
#include "amontons/io/run_visitors.h"
#include "amontons/io/sha256.h"
#include "amontons/math/stopwatch.h"

#include <algorithm>
#include <cmath>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <unistd.h>
#include <utility>

namespace amontons::io {
namespace {

// Rows of a chunk in narrow datasets, wide ones have fewer; a short run has shorter ones.
constexpr std::size_t kChunkRows = 512;
constexpr std::size_t kContactChunkRows = 1024, kTypicalContacts = 8;
constexpr std::size_t kMaxBufferedBytes = 32u << 20;
// Room for what HDF5 keeps besides the rows: indices of chunks, names, attributes.
constexpr std::uint64_t kSpareBytes = 1u << 20;

std::string replace_extension(const std::string& path, const std::string& extension) {
  return std::filesystem::path(path).replace_extension(extension).string();
}

Hdf5Handle create_run_file(const ReplacementFile& file_path) {
  const Hdf5Quiet quiet;
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS));
  H5Pset_libver_bounds(access.id(), H5F_LIBVER_V110, H5F_LIBVER_V110);
  Hdf5Handle file(H5Fcreate(file_path.aside().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.id()));
  if (!file.valid()) throw OutputError(file_path.path(), "cannot create: " + hdf5_complaint());
  return file;
}

// Refuses a path whose file another process is writing, and one that cannot be replaced.
void check_replaceable(const std::string& path) {
  std::error_code error;
  if (std::filesystem::exists(path, error)) const RunSpace alone(path, path);
}

// Records that belong to rows of the run: row l has those from offset[l] to offset[l + 1].
struct RecordTable {
  const char* offset_name;
  std::vector<ColumnWriter> columns = {}, offset = {};
  std::int64_t size = 0;

  template <typename Records, typename Visit>
  void append(const Records& records, const Visit& visit) {
    for (const auto& record : records) visit(record, ColumnAppender(columns));
    size += static_cast<std::int64_t>(records.size());
    append_offset();
  }
  void append_offset() {
    ColumnAppender append(offset);
    append("", size);
  }
};

// The schema's visitors, to be handed on.
constexpr auto kVisitContact = [](auto&& record, auto&& visitor) {
  visit_contact_columns(record, visitor);
};
constexpr auto kVisitBounded = [](auto&& record, auto&& visitor) {
  visit_bounded_columns(record, visitor);
};
constexpr auto kVisitCommand = [](auto&& record, auto&& visitor) {
  visit_command_columns(record, visitor);
};

// Rows that a whole run has.
std::size_t expected_rows(const Scene& scene) {
  const std::vector<double>& steps = scene.simulation.steps;
  const double shortest = steps.empty() ? 0.0 : *std::min_element(steps.begin(), steps.end());
  const double interval = std::max(scene.output.every, shortest);
  const double rows = interval > 0.0 ? scene.simulation.duration / interval : 1e6;
  return static_cast<std::size_t>(std::clamp(rows, 0.0, 1e6)) + 2;
}

}  // namespace

std::string checkpoint_path_of(const std::string& run_path) {
  return replace_extension(run_path, ".checkpoint");
}

std::string failure_path_of(const std::string& run_path, std::int64_t step_count) {
  return replace_extension(run_path, ".failure-" + std::to_string(step_count) + ".h5");
}

std::string inputs_digest(const Scene& scene, const std::vector<std::string>& overrides) {
  std::string digests = sha256(scene.text);
  for (const std::string& text : overrides) digests += sha256(text);
  for (const InputFile& input : scene.inputs) digests += sha256(input.path) + sha256(input.bytes);
  return sha256(digests);
}

class RunRecorder::Impl {
 public:
  Impl(const std::string& path, const Scene& scene, const System& system,
       const RecorderSettings& settings);

  ~Impl();
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  /// Takes the rows of an interrupted run that belong to its checkpoint.
  void take(RunReader& run, const Checkpoint& checkpoint);
  /// The file is whole: it takes its place, and the checkpoint lies beside it.
  void place();

  void observe(const StepReport& report);
  void finish();

  const std::string& path() const { return path_; }
  std::int64_t num_rows() const { return num_rows_ + (pending_ ? 1 : 0); }
  const std::vector<std::string>& failure_paths() const { return failure_paths_; }

 private:
  void follow_time(const StepReport& report);
  std::int64_t intervals_until(double time) const;
  bool is_due(const StepReport& report);
  void append(const RunRow& row);
  std::size_t buffered_bytes();
  void write_columns();
  void flush();
  void close();
  void save_failure(const StepReport& report);

  std::string path_;
  const System* system_;
  RecorderSettings settings_;
  OutputSettings output_;
  std::string inputs_sha256_;
  ReplacementFile replacement_;
  RunSpace space_;
  Hdf5Handle file_;
  /// Records, then their offsets, then the rows, /time at the end: a reader that sees a time finds
  /// all that belongs to it.
  std::vector<std::vector<ColumnWriter>*> all_columns();

  std::vector<ColumnWriter> columns_;
  RecordTable contacts_{"/contacts/offset"}, bounded_{"/bounded/offset"},
      commands_{"/commands/offset"};
  std::optional<RunRow> pending_;  // the last row observed, where it was not due
  State last_state_;
  std::int64_t num_rows_ = 0, num_due_rows_ = 0, num_intervals_ = 0;
  Stopwatch since_flush_;
  std::vector<std::string> failure_paths_;
};

RunRecorder::Impl::Impl(const std::string& path, const Scene& scene, const System& system,
                        const RecorderSettings& settings)
    : path_(path),
      system_(&system),
      settings_(settings),
      output_(scene.output),
      inputs_sha256_(inputs_digest(scene, settings.overrides)),
      replacement_((check_replaceable(path), path)),
      space_(replacement_.aside(), path),
      file_(create_run_file(replacement_)) {
  std::uint64_t header_bytes = scene.text.size() + kSpareBytes;
  for (const InputFile& input : scene.inputs) header_bytes += input.bytes.size();
  space_.reserve(header_bytes);
  write_run_header(file_, scene, system, settings.overrides);
  StepReport initial;
  last_state_ = system.initial_state();
  initial.end = &last_state_;
  const RunRow row = make_run_row(system, initial);
  const std::size_t chunk_rows = std::min(kChunkRows, expected_rows(scene));
  const std::size_t contact_rows =
      std::min(kContactChunkRows, kTypicalContacts * expected_rows(scene));
  visit_row_columns(row, ColumnCreator(file_, chunk_rows, columns_));
  visit_contact_columns(RunContact(), ColumnCreator(file_, contact_rows, contacts_.columns));
  visit_bounded_columns(RunBoundedRow(), ColumnCreator(file_, contact_rows, bounded_.columns));
  visit_command_columns(RunCommand(), ColumnCreator(file_, contact_rows, commands_.columns));
  for (RecordTable* table : {&contacts_, &bounded_, &commands_}) {
    ColumnCreator(file_, chunk_rows, table->offset)(table->offset_name, table->size);
  }
  write_code_names(file_);
  // SWMR begins with everything closed but the file.
  for (std::vector<ColumnWriter>* columns : all_columns()) {
    for (ColumnWriter& column : *columns) column.close();
  }
  const Hdf5Quiet quiet;
  if (H5Fstart_swmr_write(file_.id()) < 0) {
    throw OutputError(path, "cannot begin to write: " + hdf5_complaint());
  }
  for (std::vector<ColumnWriter>* columns : all_columns()) {
    for (ColumnWriter& column : *columns) column.open(file_);
  }
  for (RecordTable* table : {&contacts_, &bounded_, &commands_}) table->append_offset();
}

void RunRecorder::Impl::take(RunReader& run, const Checkpoint& checkpoint) {
  if (checkpoint.num_rows > static_cast<std::int64_t>(run.num_rows())) {
    throw ParseError(path_, 0, 0,
                     "has " + std::to_string(run.num_rows()) +
                         " rows, but its checkpoint is after " +
                         std::to_string(checkpoint.num_rows));
  }
  for (std::int64_t i = 0; i < checkpoint.num_rows; ++i) {
    const RunRow row = run.row(static_cast<std::size_t>(i));
    const std::string failure = failure_path_of(path_, row.step_count);
    if (!row.certificate.claimed && std::filesystem::exists(failure)) {
      failure_paths_.push_back(failure);
    }
    append(row);
    if (buffered_bytes() > kMaxBufferedBytes) write_columns();
  }
  last_state_ = checkpoint.state;
  num_due_rows_ = checkpoint.num_rows;
  num_intervals_ = checkpoint.num_intervals;
}

void RunRecorder::Impl::place() {
  flush();
  replacement_.place();
}

std::vector<std::vector<ColumnWriter>*> RunRecorder::Impl::all_columns() {
  return {&contacts_.columns, &contacts_.offset, &bounded_.columns, &bounded_.offset,
          &commands_.columns, &commands_.offset, &columns_};
}

// After an error, or without finish(): what was flushed stays, rows still in memory are lost.
RunRecorder::Impl::~Impl() {
  try {
    if (file_.valid()) close();
  } catch (const OutputError&) {
    // There is nobody left to tell.
  }
}

std::int64_t RunRecorder::Impl::intervals_until(double time) const {
  // A millionth of the interval forgives the rounding of summed steps.
  return static_cast<std::int64_t>(std::floor(time / output_.every + 1e-6));
}

bool RunRecorder::Impl::is_due(const StepReport& report) {
  if (report.start == nullptr || report.events.impact || output_.every <= 0.0) return true;
  const std::int64_t intervals = intervals_until(report.end->time);
  if (intervals <= num_intervals_) return false;
  num_intervals_ = intervals;
  return true;
}

// A program that goes back in time begins its intervals anew; the last row before it stays.
void RunRecorder::Impl::follow_time(const StepReport& report) {
  if (report.start == nullptr || report.start->time >= last_state_.time) return;
  num_intervals_ = output_.every > 0.0 ? intervals_until(report.start->time) : 0;
  if (!pending_) return;
  append(*pending_);
  pending_.reset();
  ++num_due_rows_;
}

void RunRecorder::Impl::observe(const StepReport& report) {
  follow_time(report);
  RunRow row = make_run_row(*system_, report, output_.contacts);
  last_state_ = *report.end;
  const bool is_initial = report.start == nullptr;
  if (!is_initial && !report.certificate.claimed) save_failure(report);
  if (is_due(report)) {
    pending_.reset();
    append(row);
    ++num_due_rows_;
  } else {
    pending_ = std::move(row);
  }
  if (is_initial || since_flush_.seconds() >= settings_.flush_interval_s ||
      buffered_bytes() > kMaxBufferedBytes) {
    flush();
  }
}

std::size_t RunRecorder::Impl::buffered_bytes() {
  std::size_t buffered = 0;
  for (const std::vector<ColumnWriter>* columns : all_columns()) {
    for (const ColumnWriter& column : *columns) buffered += column.buffered_bytes();
  }
  return buffered;
}

void RunRecorder::Impl::append(const RunRow& row) {
  contacts_.append(row.contacts, kVisitContact);
  bounded_.append(row.bounded_rows, kVisitBounded);
  commands_.append(row.commands, kVisitCommand);
  visit_row_columns(row, ColumnAppender(columns_));
  ++num_rows_;
}

void RunRecorder::Impl::write_columns() {
  hsize_t size = 0;
  H5Fget_filesize(file_.id(), &size);
  std::uint64_t needed = size + kSpareBytes;
  for (const std::vector<ColumnWriter>* columns : all_columns()) {
    for (const ColumnWriter& column : *columns) needed += column.bytes_needed();
  }
  space_.reserve(needed);
  for (std::vector<ColumnWriter>* columns : all_columns()) {
    for (ColumnWriter& column : *columns) column.write_rows(path_);
  }
}

void RunRecorder::Impl::flush() {
  write_columns();
  if (settings_.with_checkpoint) {
    write_checkpoint(checkpoint_path_of(path_), {.state = last_state_,
                                                 .num_rows = num_due_rows_,
                                                 .num_intervals = num_intervals_,
                                                 .inputs_sha256 = inputs_sha256_});
  }
  since_flush_ = Stopwatch();
}

void RunRecorder::Impl::save_failure(const StepReport& report) {
  if (static_cast<int>(failure_paths_.size()) >= settings_.max_failures) return;
  const std::string path = failure_path_of(path_, report.end->step_count);
  try {
    save_contact_problem(path, report.problem, &report.solution);
  } catch (const std::invalid_argument&) {
    return;  // numbers that are not finite are no problem that anyone could solve
  }
  failure_paths_.push_back(path);
}

void RunRecorder::Impl::finish() {
  if (!file_.valid()) return;
  if (pending_) append(*pending_);
  pending_.reset();
  flush();
  close();
}

void RunRecorder::Impl::close() {
  for (std::vector<ColumnWriter>* columns : all_columns()) {
    for (ColumnWriter& column : *columns) column.close();
  }
  file_.close();
  space_.trim();
}

RunRecorder::RunRecorder(const std::string& path, const Scene& scene, const System& system,
                         const RecorderSettings& settings)
    : impl_(std::make_unique<Impl>(path, scene, system, settings)) {
  impl_->place();
}

RunRecorder::RunRecorder(RunReader& run, const Checkpoint& checkpoint, const Scene& scene,
                         const System& system, const RecorderSettings& settings)
    : impl_(std::make_unique<Impl>(run.path(), scene, system, settings)) {
  impl_->take(run, checkpoint);
  impl_->place();
}

RunRecorder::~RunRecorder() = default;

void RunRecorder::observe(const StepReport& report) { impl_->observe(report); }

void RunRecorder::finish() { impl_->finish(); }

const std::string& RunRecorder::path() const { return impl_->path(); }

std::int64_t RunRecorder::num_rows() const { return impl_->num_rows(); }

const std::vector<std::string>& RunRecorder::failure_paths() const {
  return impl_->failure_paths();
}

}  // namespace amontons::io

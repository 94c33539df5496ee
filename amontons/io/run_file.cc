#include "amontons/io/run_file.h"

#include "amontons/io/checkpoint.h"
#include "amontons/io/contact_problem_file.h"
#include "amontons/io/output_error.h"
#include "amontons/io/run_header_file.h"
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

Hdf5Handle create_run_file(const std::string& path) {
  const Hdf5Quiet quiet;
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS));
  H5Pset_libver_bounds(access.id(), H5F_LIBVER_V110, H5F_LIBVER_V110);
  Hdf5Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.id()));
  if (!file.valid()) throw OutputError(path, "cannot create: " + hdf5_complaint());
  return file;
}

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

  void observe(const StepReport& report);
  void finish();

  std::int64_t num_rows() const { return num_rows_ + (pending_ ? 1 : 0); }
  const std::vector<std::string>& failure_paths() const { return failure_paths_; }

 private:
  bool is_due(const StepReport& report);
  void append(const RunRow& row);
  void flush();
  void close();
  void save_failure(const StepReport& report);

  std::string path_;
  const System* system_;
  RecorderSettings settings_;
  OutputSettings output_;
  std::string inputs_sha256_;
  RunSpace space_;
  Hdf5Handle file_;
  std::vector<ColumnWriter> columns_, contact_columns_, offset_, bounded_columns_, bounded_offset_;
  std::optional<RunRow> pending_;  // the last row observed, where it was not due
  State last_state_;
  std::int64_t num_rows_ = 0, num_due_rows_ = 0, num_contacts_ = 0, num_intervals_ = 0;
  std::int64_t num_bounded_ = 0;
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
      space_(path),
      file_(create_run_file(path)) {
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
  visit_contact_columns(RunContact(), ColumnCreator(file_, contact_rows, contact_columns_));
  ColumnCreator(file_, chunk_rows, offset_)("/contacts/offset", num_contacts_);
  visit_bounded_columns(RunBoundedRow(), ColumnCreator(file_, contact_rows, bounded_columns_));
  ColumnCreator(file_, chunk_rows, bounded_offset_)("/bounded/offset", num_bounded_);
  write_code_names(file_);
  // SWMR begins with everything closed but the file.
  std::vector<std::vector<ColumnWriter>*> tables{&columns_, &contact_columns_, &offset_,
                                                 &bounded_columns_, &bounded_offset_};
  for (std::vector<ColumnWriter>* table : tables) {
    for (ColumnWriter& column : *table) column.close();
  }
  const Hdf5Quiet quiet;
  if (H5Fstart_swmr_write(file_.id()) < 0) {
    throw OutputError(path, "cannot begin to write: " + hdf5_complaint());
  }
  for (std::vector<ColumnWriter>* table : tables) {
    for (ColumnWriter& column : *table) column.open(file_);
  }
  ColumnAppender append_offset(offset_);
  append_offset("", num_contacts_);
  ColumnAppender append_bounded_offset(bounded_offset_);
  append_bounded_offset("", num_bounded_);
  flush();
}

// After an error, or without finish(): what was flushed stays, rows still in memory are lost.
RunRecorder::Impl::~Impl() {
  try {
    if (file_.valid()) close();
  } catch (const OutputError&) {
    // There is nobody left to tell.
  }
}

bool RunRecorder::Impl::is_due(const StepReport& report) {
  if (report.start == nullptr || output_.every <= 0.0) return true;
  // A millionth of the interval forgives the rounding of summed steps.
  const auto intervals =
      static_cast<std::int64_t>(std::floor(report.end->time / output_.every + 1e-6));
  if (intervals <= num_intervals_) return false;
  num_intervals_ = intervals;
  return true;
}

void RunRecorder::Impl::observe(const StepReport& report) {
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
  std::size_t buffered = 0;
  for (const ColumnWriter& column : columns_) buffered += column.buffered_bytes();
  for (const ColumnWriter& column : contact_columns_) buffered += column.buffered_bytes();
  for (const ColumnWriter& column : bounded_columns_) buffered += column.buffered_bytes();
  if (is_initial || since_flush_.seconds() >= settings_.flush_interval_s ||
      buffered > kMaxBufferedBytes) {
    flush();
  }
}

void RunRecorder::Impl::append(const RunRow& row) {
  for (const RunContact& contact : row.contacts) {
    visit_contact_columns(contact, ColumnAppender(contact_columns_));
  }
  num_contacts_ += static_cast<std::int64_t>(row.contacts.size());
  ColumnAppender append_offset(offset_);
  append_offset("", num_contacts_);
  for (const RunBoundedRow& bounded : row.bounded_rows) {
    visit_bounded_columns(bounded, ColumnAppender(bounded_columns_));
  }
  num_bounded_ += static_cast<std::int64_t>(row.bounded_rows.size());
  ColumnAppender append_bounded_offset(bounded_offset_);
  append_bounded_offset("", num_bounded_);
  visit_row_columns(row, ColumnAppender(columns_));
  ++num_rows_;
}

// Contacts and bounded rows first, then their offsets, then the rows, /time at the end: a reader
// that sees a time finds all that belongs to it.
void RunRecorder::Impl::flush() {
  hsize_t size = 0;
  H5Fget_filesize(file_.id(), &size);
  std::uint64_t needed = size + kSpareBytes;
  const std::vector<std::vector<ColumnWriter>*> tables{
      &contact_columns_, &offset_, &bounded_columns_, &bounded_offset_, &columns_};
  for (const std::vector<ColumnWriter>* table : tables) {
    for (const ColumnWriter& column : *table) needed += column.bytes_needed();
  }
  space_.reserve(needed);
  for (std::vector<ColumnWriter>* table : tables) {
    for (ColumnWriter& column : *table) column.write_rows(path_);
  }
  if (settings_.with_checkpoint) {
    write_checkpoint(
        checkpoint_path_of(path_),
        {.state = last_state_, .num_rows = num_due_rows_, .inputs_sha256 = inputs_sha256_});
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
  for (std::vector<ColumnWriter>* table :
       {&columns_, &contact_columns_, &offset_, &bounded_columns_, &bounded_offset_}) {
    for (ColumnWriter& column : *table) column.close();
  }
  file_.close();
  space_.trim();
}

RunRecorder::RunRecorder(const std::string& path, const Scene& scene, const System& system,
                         const RecorderSettings& settings)
    : impl_(std::make_unique<Impl>(path, scene, system, settings)) {}

RunRecorder::~RunRecorder() = default;

void RunRecorder::observe(const StepReport& report) { impl_->observe(report); }

void RunRecorder::finish() { impl_->finish(); }

std::int64_t RunRecorder::num_rows() const { return impl_->num_rows(); }

const std::vector<std::string>& RunRecorder::failure_paths() const {
  return impl_->failure_paths();
}

}  // namespace amontons::io

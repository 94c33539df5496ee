#include "amontons/io/run_file.h"

#include "amontons/io/checkpoint.h"
#include "amontons/io/contact_problem_file.h"
#include "amontons/io/parse_error.h"
#include "amontons/io/run_reader.h"
#include "amontons/io/run_row.h"
#include "amontons/io/run_writer.h"
#include "amontons/io/sha256.h"
#include "amontons/math/stopwatch.h"

#include <cmath>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <utility>

namespace amontons::io {
namespace {

std::string replace_extension(const std::string& path, const std::string& extension) {
  return std::filesystem::path(path).replace_extension(extension).string();
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
       const RecorderSettings& settings)
      : system_(&system),
        settings_(settings),
        output_(scene.output),
        inputs_sha256_(inputs_digest(scene, settings.overrides)),
        writer_(path, scene, system, settings.overrides),
        last_state_(system.initial_state()) {}

  /// Takes the rows of an interrupted run that belong to its checkpoint.
  void take(RunReader& run, const Checkpoint& checkpoint);
  /// The file is whole: it takes its place, and the checkpoint lies beside it.
  void place();

  void observe(const StepReport& report);
  void finish();

  const std::string& path() const { return writer_.path(); }
  std::int64_t num_rows() const { return writer_.num_rows() + (pending_ ? 1 : 0); }
  const std::vector<std::string>& failure_paths() const { return failure_paths_; }

 private:
  void follow_time(const StepReport& report);
  std::int64_t intervals_until(double time) const;
  bool is_due(const StepReport& report);
  void flush();
  void save_failure(const StepReport& report);

  const System* system_;
  RecorderSettings settings_;
  OutputSettings output_;
  std::string inputs_sha256_;
  RunWriter writer_;
  std::optional<RunRow> pending_;  // the last row observed, where it was not due
  State last_state_;
  std::int64_t num_due_rows_ = 0, num_intervals_ = 0;
  Stopwatch since_flush_;
  std::vector<std::string> failure_paths_;
};

void RunRecorder::Impl::take(RunReader& run, const Checkpoint& checkpoint) {
  if (checkpoint.num_rows > static_cast<std::int64_t>(run.num_rows())) {
    throw ParseError(path(), 0, 0,
                     "has " + std::to_string(run.num_rows()) +
                         " rows, but its checkpoint is after " +
                         std::to_string(checkpoint.num_rows));
  }
  for (std::int64_t i = 0; i < checkpoint.num_rows; ++i) {
    const RunRow row = run.row(static_cast<std::size_t>(i));
    const std::string failure = failure_path_of(path(), row.step_count);
    if (!row.certificate.claimed && std::filesystem::exists(failure)) {
      failure_paths_.push_back(failure);
    }
    writer_.append(row);
    if (writer_.is_full()) writer_.write();
  }
  last_state_ = checkpoint.state;
  num_due_rows_ = checkpoint.num_rows;
  num_intervals_ = checkpoint.num_intervals;
}

void RunRecorder::Impl::place() {
  flush();
  writer_.place();
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
  writer_.append(*pending_);
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
    writer_.append(row);
    ++num_due_rows_;
  } else {
    pending_ = std::move(row);
  }
  if (is_initial || since_flush_.seconds() >= settings_.flush_interval_s || writer_.is_full()) {
    flush();
  }
}

void RunRecorder::Impl::flush() {
  writer_.write();
  if (settings_.with_checkpoint) {
    write_checkpoint(checkpoint_path_of(path()), {.state = last_state_,
                                                  .num_rows = num_due_rows_,
                                                  .num_intervals = num_intervals_,
                                                  .inputs_sha256 = inputs_sha256_});
  }
  since_flush_ = Stopwatch();
}

void RunRecorder::Impl::save_failure(const StepReport& report) {
  if (static_cast<int>(failure_paths_.size()) >= settings_.max_failures) return;
  const std::string path = failure_path_of(writer_.path(), report.end->step_count);
  try {
    save_contact_problem(path, report.problem, &report.solution);
  } catch (const std::invalid_argument&) {
    return;  // numbers that are not finite are no problem that anyone could solve
  }
  failure_paths_.push_back(path);
}

void RunRecorder::Impl::finish() {
  if (!writer_.is_open()) return;
  if (pending_) writer_.append(*pending_);
  pending_.reset();
  flush();
  writer_.close();
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

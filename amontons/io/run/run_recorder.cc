#include "amontons/io/run/run_recorder.h"

#include "amontons/io/common/foreign_output.h"
#include "amontons/io/common/overwriting.h"
#include "amontons/io/common/parse_error.h"
#include "amontons/io/common/sha256.h"
#include "amontons/io/problem/contact_problem_file.h"
#include "amontons/io/run/checkpoint.h"
#include "amontons/io/run/recorded_contacts.h"
#include "amontons/io/run/repeated_reports.h"
#include "amontons/io/run/run_reader.h"
#include "amontons/io/run/run_row.h"
#include "amontons/io/run/run_shapes.h"
#include "amontons/io/run/run_writer.h"
#include "amontons/math/step_times.h"
#include "amontons/math/stopwatch.h"

#include <cmath>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace amontons::io {
namespace {

// Summed steps round, so that a time may fall short of its interval by this share of it.
constexpr double kTimeRounding = 1e-6;

/// Returns the number of whole intervals that end by a time [s].
std::int64_t intervals_until(double time, double interval) {
  return static_cast<std::int64_t>(std::floor(time / interval + kTimeRounding));
}

/// Returns the path with another extension, which begins with a point.
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

void refuse_foreign_outputs_of_run(const std::string& run_path, bool force,
                                   const std::string& remedy) {
  namespace fs = std::filesystem;
  const auto refuse = [&](const std::string& path, const OutputKind& kind) {
    refuse_device(path);
    refuse_foreign_output(path, kind, force, remedy);
  };
  refuse(run_path, {"run", &is_run_file});
  refuse(checkpoint_path_of(run_path), kCheckpointOutput);
  // Nobody knows yet which steps will leave a contact problem.
  const fs::path example = failure_path_of(run_path, 0);
  const std::string ending = "0.h5", name = example.filename().string();
  const std::string begin = name.substr(0, name.size() - ending.size());
  const fs::path folder = example.parent_path().empty() ? "." : example.parent_path();
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().filename().string().starts_with(begin)) {
      refuse(entry.path().string(), kProblemOutput);
    }
  }
}

std::string inputs_digest(const Scene& scene) {
  // Each part is hashed by itself, so that moving text from one to another changes the digest.
  std::string digests = sha256(scene.text);
  for (const auto& [path, value] : scene.overrides) digests += sha256(path + "=" + value);
  for (const InputFile& input : scene.inputs) digests += sha256(input.path) + sha256(input.bytes);
  return sha256(digests);
}

void check_run_of_checkpoint(const RunReader& run, const Checkpoint& checkpoint) {
  if (checkpoint.num_rows <= static_cast<std::int64_t>(run.num_rows())) return;
  throw ParseError(run.path(), 0, 0,
                   "has " + std::to_string(run.num_rows()) + " rows, but its checkpoint is after " +
                       std::to_string(checkpoint.num_rows) +
                       ": simulate its scene again (`amontons run`)");
}

/// Decides which reports become rows, and keeps the checkpoint and the saved problems beside the
/// run.
class RunRecorder::Impl {
 public:
  Impl(const std::string& path, const Scene& scene, const System& system,
       const RecorderSettings& settings, RunCommander commander)
      : system_(&system),
        settings_(settings),
        output_(scene.output),
        method_(scene.simulation.method),
        inputs_sha256_(inputs_digest(scene)),
        writer_(path, scene, system, settings.replaces, commander),
        last_state_(system.initial_state()) {}

  /// Copies the rows of an interrupted run that belong to its checkpoint.
  void copy_rows(RunReader& run, const Checkpoint& checkpoint);
  /// Moves the file, now whole, to its own name, and writes the checkpoint beside it.
  void place();

  void observe(const StepReport& report);
  void finish();

  const std::string& path() const { return writer_.path(); }
  std::int64_t num_rows() const { return writer_.num_rows() + (pending_ ? 1 : 0); }
  std::int64_t num_rows_without_contacts() const { return num_without_contacts_; }
  std::vector<std::string> failure_paths() const;

 private:
  /// Restarts the count of intervals if a program has set the time back.
  void follow_time(const StepReport& report);
  /// Returns true if the report's row is kept, whatever follows it.
  bool is_due(const StepReport& report);
  /// Holds the row of a report.
  struct ObservedRow {
    RunRow row;
    bool has_contacts = false;
    /// Where the file has it already but for its times, the record; the row has only scalars then.
    std::optional<std::int64_t> record = std::nullopt;
  };
  /// Makes the row of the next report.
  ObservedRow row_of(const StepReport& report);
  void append(const ObservedRow& observed);
  /// Writes the gathered rows and the checkpoint that belongs to them.
  void flush();
  void save_checkpoint(const State& state);
  /// Saves the contact problem of a step that missed its certificate, up to max_failures.
  void save_failure(const StepReport& report);

  const System* system_;
  RecorderSettings settings_;
  OutputSettings output_;
  std::string method_;
  std::string inputs_sha256_;
  RunWriter writer_;
  /// Holds the last row observed, where it was not due, and the state before its step.
  struct PendingRow {
    ObservedRow row;
    State start;
  };
  std::optional<PendingRow> pending_;
  State last_state_;
  RepeatedReports repeated_;
  SystemKinematics kinematics_;  // memory of record_vectors()
  std::int64_t num_due_rows_ = 0, num_intervals_ = 0, num_without_contacts_ = 0;
  Stopwatch since_flush_;
  std::vector<std::int64_t> failures_;  // steps whose contact problem is saved
};

void RunRecorder::Impl::copy_rows(RunReader& run, const Checkpoint& checkpoint) {
  check_run_of_system(run.header(), *system_, path());
  check_run_of_checkpoint(run, checkpoint);
  // The rows are copied in blocks, as the writer's memory fills.
  for (std::int64_t i = 0; i < checkpoint.num_rows; ++i) {
    writer_.append(run.row(static_cast<std::size_t>(i)));
    if (writer_.is_full()) writer_.write();
  }
  // The counters continue as if the run had not been interrupted.
  last_state_ = checkpoint.state;
  num_due_rows_ = checkpoint.num_rows;
  num_intervals_ = checkpoint.num_intervals;
  failures_ = checkpoint.failures;
}

void RunRecorder::Impl::place() {
  flush();
  writer_.place();
}

bool RunRecorder::Impl::is_due(const StepReport& report) {
  // The initial state, impacts, and every row without output.every are kept.
  if (report.start == nullptr || report.events.impact || output_.every <= 0.0) return true;
  // So is each step that misses its certificate or the law asked: the file must not look better
  // than the run; and each that begins in a state which a program set: later rows follow from it.
  const bool is_kept = !report.certificate.holds || report.start_was_set ||
                       !answers_law_asked(report.solution.status);
  const std::int64_t intervals = intervals_until(report.end->time, output_.every);
  const bool is_new = intervals > num_intervals_;
  num_intervals_ = std::max(num_intervals_, intervals);
  return is_new || is_kept;
}

// A program that sets the time back starts its intervals again; the last row until then is kept.
void RunRecorder::Impl::follow_time(const StepReport& report) {
  if (report.start == nullptr || report.start->time >= last_state_.time) return;
  num_intervals_ = output_.every > 0.0 ? intervals_until(report.start->time, output_.every) : 0;
  if (!pending_) return;
  append(pending_->row);
  pending_.reset();
  ++num_due_rows_;
}

RunRecorder::Impl::ObservedRow RunRecorder::Impl::row_of(const StepReport& report) {
  repeated_.observe(report);
  ObservedRow observed{make_row_of_scalars(report)};
  observed.has_contacts = records_contacts(output_, method_, observed.row);
  if (!observed.has_contacts && observed.row.num_contacts > 0) ++num_without_contacts_;
  observed.record = repeated_.record(observed.has_contacts);
  // What repeats is in the file already.
  if (observed.record) return observed;
  record_vectors(*system_, report, kinematics_, observed.row);
  if (observed.has_contacts) record_contacts(report, observed.row);
  return observed;
}

void RunRecorder::Impl::append(const ObservedRow& observed) {
  if (observed.record) {
    writer_.append_times(observed.row, *observed.record);
  } else {
    repeated_.note(observed.has_contacts, writer_.append(observed.row));
  }
}

void RunRecorder::Impl::observe(const StepReport& report) {
  follow_time(report);
  ObservedRow row = row_of(report);
  last_state_ = *report.end;
  // A step that misses its certificate leaves its problem for later study.
  const bool is_initial = report.start == nullptr;
  if (!is_initial && !report.certificate.holds) save_failure(report);
  // A row that is not due waits: it is written only if it turns out to be the last.
  if (is_due(report)) {
    pending_.reset();
    append(row);
    ++num_due_rows_;
  } else {
    pending_ = PendingRow{std::move(row), *report.start};
  }
  // The initial row is written at once, so that a reader finds a run.
  if (is_initial || since_flush_.seconds() >= settings_.flush_interval_s || writer_.is_full()) {
    flush();
  }
}

// A pending row is not in the file. The checkpoint therefore lies before its step, which a
// continued run takes again; otherwise a last step that is not due would be lost.
void RunRecorder::Impl::flush() {
  writer_.write();
  save_checkpoint(pending_ ? pending_->start : last_state_);
  since_flush_ = Stopwatch();
}

void RunRecorder::Impl::save_checkpoint(const State& state) {
  if (!settings_.with_checkpoint) return;
  // A continued run repeats the steps after this state and would find their failures again.
  std::vector<std::int64_t> failures = failures_;
  std::erase_if(failures, [&](std::int64_t step) { return step > state.step_count; });
  write_checkpoint(checkpoint_path_of(path()), {.state = state,
                                                .num_rows = num_due_rows_,
                                                .num_intervals = num_intervals_,
                                                .failures = std::move(failures),
                                                .inputs_sha256 = inputs_sha256_});
}

void RunRecorder::Impl::save_failure(const StepReport& report) {
  if (static_cast<int>(failures_.size()) >= settings_.max_failures) return;
  const std::string path = failure_path_of(writer_.path(), report.end->step_count);
  try {
    save_contact_problem(path, report.problem, &report.solution);
  } catch (const std::invalid_argument&) {
    return;  // a problem with numbers that are not finite is invalid, and nobody could solve it
  }
  failures_.push_back(report.end->step_count);
}

std::vector<std::string> RunRecorder::Impl::failure_paths() const {
  std::vector<std::string> paths;
  for (const std::int64_t step : failures_) paths.push_back(failure_path_of(path(), step));
  return paths;
}

void RunRecorder::Impl::finish() {
  if (!writer_.is_open()) return;
  if (pending_) append(pending_->row);
  pending_.reset();
  writer_.write();
  writer_.close();
  // After close(): the checkpoint counts due rows alone, and the last row may not be due.
  save_checkpoint(last_state_);
  writer_.require_named();
}

RunRecorder::RunRecorder(const std::string& path, const Scene& scene, const System& system,
                         const RecorderSettings& settings)
    : impl_(std::make_unique<Impl>(path, scene, system, settings, settings.commander)) {
  impl_->place();
}

RunRecorder::RunRecorder(RunReader& run, const Checkpoint& checkpoint, const Scene& scene,
                         const System& system, const RecorderSettings& settings)
    : impl_(std::make_unique<Impl>(run.path(), scene, system, settings,
                                   read_run_commander(run.path()))) {
  impl_->copy_rows(run, checkpoint);
  impl_->place();
}

RunRecorder::~RunRecorder() = default;

void RunRecorder::observe(const StepReport& report) {
  const TimedPart part(StepPart::Log);
  const Stopwatch watch;
  impl_->observe(report);
  time_s_ += watch.seconds();
}

void RunRecorder::finish() {
  const Stopwatch watch;
  impl_->finish();
  time_s_ += watch.seconds();
}

const std::string& RunRecorder::path() const { return impl_->path(); }

std::int64_t RunRecorder::num_rows() const { return impl_->num_rows(); }

std::int64_t RunRecorder::num_rows_without_contacts() const {
  return impl_->num_rows_without_contacts();
}

double RunRecorder::time_s() const { return time_s_; }

std::uintmax_t RunRecorder::num_bytes() const {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path(), error);
  return error ? 0 : size;
}

std::vector<std::string> RunRecorder::failure_paths() const { return impl_->failure_paths(); }

}  // namespace amontons::io

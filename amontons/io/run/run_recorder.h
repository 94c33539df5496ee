#pragma once

#include "amontons/io/common/file_identity.h"
#include "amontons/io/run/run_commander.h"
#include "amontons/simulation/scene/scene.h"
#include "amontons/simulation/system/step_report.h"
#include "amontons/simulation/system/system.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace amontons::io {

class RunReader;
struct Checkpoint;

/// Sets what a recorder keeps, and how often it writes.
struct RecorderSettings {
  double flush_interval_s = 1.0;  ///< wall time between writes of gathered rows [s], >= 0
  bool with_checkpoint = true;    ///< keep RUN.checkpoint beside the run
  int max_failures = 3;           ///< contact problems saved where a certificate is missed
  /// File that the run may replace, where only that one may be: no other that has its name since.
  std::optional<FileIdentity> replaces = {};
  /// Who commands the run besides its scene; a run that is continued keeps its own.
  RunCommander commander = RunCommander::Program;
};

/// Returns the checkpoint's path: "dir/ramp.checkpoint" for the run "dir/ramp.h5".
std::string checkpoint_path_of(const std::string& run_path);
/// Returns a saved problem's path: "dir/ramp.failure-17.h5" for step 17 of the run "dir/ramp.h5".
std::string failure_path_of(const std::string& run_path, std::int64_t step_count);

/// Refuses a run that would take the place of a file which this program has not written as one
/// (foreign_output.h). The same holds for its checkpoint, and for each contact problem beside it
/// that has the name of a step of this run.
/// @throws ParseError naming the file; OutputError for a device or pipe.
void refuse_foreign_outputs_of_run(const std::string& run_path, bool force,
                                   const std::string& remedy);

/// Computes the SHA-256 over the scene's text, overrides and every input: equal digests, equal
/// scenes.
std::string inputs_digest(const Scene& scene);

/// Throws a ParseError that names the run, if it has fewer rows than belong to its checkpoint: a
/// repair left them out.
void check_run_of_checkpoint(const RunReader& run, const Checkpoint& checkpoint);

/// Writes a run as HDF5 (docs/run-format.md) while it is simulated.
///
///   RunRecorder recorder("ramp.h5", scene, sim.system());
///   recorder.observe(sim.initial_report());
///   sim.add_observer(recorder);
///   while (...) sim.step();
///   recorder.finish();
///
/// The file is in SWMR mode: it may be read while it grows. A killed run keeps all rows but those
/// of the last flush_interval_s.
///
/// Scene::output decides which rows are kept, and which of them with their contacts; the last row
/// is always the last state observed. When
/// a step misses its certificate, its ContactProblem is saved beside the run. After an OutputError
/// everything written until then is still in the file.
class RunRecorder : public Observer {
 public:
  /// Begins a run, with its header: the scene's text, its overrides and its inputs.
  /// @throws OutputError  naming the file and the reason; also if another process is writing it.
  RunRecorder(const std::string& path, const Scene& scene, const System& system,
              const RecorderSettings& settings = {});
  /// Continues a run where it was interrupted.
  ///
  /// Keeps the rows that belong to the checkpoint and drops those after it. Then expects the steps
  /// that follow its state (before row 0: the initial report). A new file holds the kept rows and
  /// replaces the old one once it is whole.
  /// @param run  the interrupted run; its file may be replaced while it is open.
  /// @throws OutputError  as above; ParseError if the run has fewer rows than the checkpoint.
  RunRecorder(RunReader& run, const Checkpoint& checkpoint, const Scene& scene,
              const System& system, const RecorderSettings& settings = {});
  /// Closes the file if finish() did not, without an error; rows still in memory are lost.
  ~RunRecorder() override;
  RunRecorder(const RunRecorder&) = delete;
  RunRecorder& operator=(const RunRecorder&) = delete;

  /// Records a step, or the initial report. @throws OutputError if rows could not be written.
  void observe(const StepReport& report) override;

  /// Writes the remaining rows, the last state included, and closes the file. @throws OutputError.
  void finish();

  const std::string& path() const;  ///< as it was named
  std::int64_t num_rows() const;    ///< rows so far, written or gathered
  /// Returns the number of steps since the recorder began whose row has no contacts, although the
  /// step had some.
  std::int64_t num_rows_without_contacts() const;
  /// Returns the wall time that recording has taken [s]: rows, checkpoints and saved problems.
  double time_s() const;
  /// Returns the size of the file of the run [bytes].
  std::uintmax_t num_bytes() const;
  std::vector<std::string> failure_paths() const;  ///< problems saved, in the order of steps

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
  double time_s_ = 0.0;
};

}  // namespace amontons::io

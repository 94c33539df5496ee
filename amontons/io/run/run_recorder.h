#pragma once

#include "amontons/simulation/scene/scene.h"
#include "amontons/simulation/system/step_report.h"
#include "amontons/simulation/system/system.h"

#include <memory>
#include <string>
#include <vector>

namespace amontons::io {

class RunReader;
struct Checkpoint;

/// What a recorder keeps, and how often.
struct RecorderSettings {
  double flush_interval_s = 1.0;       ///< wall time after which gathered rows are written, >= 0
  bool with_checkpoint = true;         ///< keep RUN.checkpoint beside the run
  int max_failures = 3;                ///< contact problems saved where a certificate is missed
  std::vector<std::string> overrides;  ///< "path=value" given besides the scene file
};

/// "dir/ramp.checkpoint" and "dir/ramp.failure-17.h5" for the run "dir/ramp.h5".
std::string checkpoint_path_of(const std::string& run_path);
std::string failure_path_of(const std::string& run_path, std::int64_t step_count);

/// SHA-256 over the scene text, the overrides and every input: the same number, the same scene.
std::string inputs_digest(const Scene& scene, const std::vector<std::string>& overrides);

/// Writes a run as HDF5 (docs/run-format.md) while it is simulated.
///
///   RunRecorder recorder("ramp.h5", scene, sim.system());
///   recorder.observe(sim.initial_report());
///   sim.add_observer(recorder);
///   while (...) sim.step();
///   recorder.finish();
///
/// The file is in SWMR mode: it may be read while it grows, and a killed run keeps all rows but
/// those of the last flush_interval_s. Scene::output decides which rows are kept; the last row is
/// always the last state observed. When a step misses its certificate its ContactProblem is saved
/// beside the run. After an OutputError everything written before is still there.
class RunRecorder : public Observer {
 public:
  /// @throws OutputError  naming the file and the reason; also if another process is writing it.
  RunRecorder(const std::string& path, const Scene& scene, const System& system,
              const RecorderSettings& settings = {});
  /// Records on where a run was interrupted: keeps the rows that belong to the checkpoint, drops
  /// those after it, and expects the steps that follow its state (before row 0: the initial
  /// report). The log is written anew and takes the old one's place once it holds them.
  /// @param run  the interrupted run; its file may be replaced while it is open.
  /// @throws OutputError  as above; ParseError if the run has fewer rows than the checkpoint.
  RunRecorder(RunReader& run, const Checkpoint& checkpoint, const Scene& scene,
              const System& system, const RecorderSettings& settings = {});
  /// Closes what finish() did not, without complaint.
  ~RunRecorder() override;
  RunRecorder(const RunRecorder&) = delete;
  RunRecorder& operator=(const RunRecorder&) = delete;

  /// @throws OutputError if rows could not be written.
  void observe(const StepReport& report) override;

  /// Writes what is left, the last state included, and closes the file. @throws OutputError.
  void finish();

  const std::string& path() const;                 ///< as it was named
  std::int64_t num_rows() const;                   ///< so far, written or gathered
  std::vector<std::string> failure_paths() const;  ///< problems saved, in the order of steps

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace amontons::io

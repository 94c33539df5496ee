#pragma once

#include "amontons/io/import/model_visuals.h"
#include "amontons/io/replay/live_replay.h"
#include "amontons/io/replay/replay_rows.h"
#include "amontons/simulation/simulator.h"
#include "amontons/simulation/system/law_tally.h"
#include "tools/amontons/live/live_channel.h"
#include "tools/amontons/live/live_joints.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace amontons::live {

/// Observes a simulation and publishes what the replay shows of it, some 30 times a second.
class LiveFeed : public Observer {
 public:
  /// Begins with the simulation's present state.
  /// @param file     of the scene; the page takes its title from it.
  /// @param visuals  what the files of models draw.
  LiveFeed(const Simulator& sim, const std::string& file, const io::ModelVisuals& visuals,
           LiveChannel& channel);

  /// Returns the scene and the first frame of the page.
  const io::ReplayRun& start() const { return start_; }
  const LiveJoints& joints() const { return joints_; }

  void observe(const StepReport& report) override;
  /// Publishes the last step, if it was not yet.
  void publish_last();
  /// Publishes the simulation's present state, which no step has led to.
  void show(const Simulator& sim);
  /// Counts the steps from the simulation's present state again, and publishes that state.
  void restart(const Simulator& sim);

 private:
  void publish(const io::RunRow& row);

  const System* system_;
  LiveChannel* channel_;
  LawTally tally_;  // answers of the steps so far
  double tolerance_;
  AcceptedAnswers accept_;
  LiveJoints joints_;
  std::unique_ptr<io::ReplayCurves> curves_;
  io::ReplayRun start_;
  io::LiveFrame frame_;
  std::optional<io::RunRow> pending_;
  std::chrono::steady_clock::time_point published_;
};

}  // namespace amontons::live

#pragma once

#include "amontons/io/import/model_visuals.h"
#include "amontons/io/replay/live_replay.h"
#include "amontons/io/replay/replay_rows.h"
#include "amontons/simulation/scene/scene.h"
#include "amontons/simulation/simulator.h"
#include "amontons/simulation/system/law_tally.h"
#include "tools/amontons/replay/live_channel.h"

#include <chrono>
#include <optional>

namespace amontons::cli {

/// Observes a simulation and publishes what the replay shows of it, some 30 times a second.
class LiveFeed : public Observer {
 public:
  /// Begins with the simulation's present state.
  LiveFeed(const Simulator& sim, const Scene& scene, const io::ModelVisuals& visuals,
           LiveChannel& channel);

  /// Returns the scene and the first frame of the page.
  const io::ReplayRun& start() const { return start_; }

  void observe(const StepReport& report) override;
  /// Publishes the last step, if it was not yet.
  void finish();

 private:
  void publish(const io::RunRow& row);

  const System* system_;
  LiveChannel* channel_;
  LawTally tally_;  // answers of the steps so far
  AcceptedAnswers accept_;
  double usual_step_;  // [s]
  io::ReplayCurves curves_;
  io::ReplayRun start_;
  io::LiveFrame frame_;
  std::optional<io::RunRow> pending_;
  std::chrono::steady_clock::time_point published_;
};

}  // namespace amontons::cli

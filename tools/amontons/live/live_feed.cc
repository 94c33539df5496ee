#include "tools/amontons/live/live_feed.h"

#include "amontons/io/replay/replay_shapes.h"
#include "amontons/io/replay/replay_visuals.h"

#include <filesystem>
#include <utility>
#include <vector>

namespace amontons::live {
namespace {

constexpr std::chrono::milliseconds kInterval{33};

}  // namespace

LiveFeed::LiveFeed(const Simulator& sim, const std::string& file, const io::ModelVisuals& visuals,
                   LiveChannel& channel)
    : system_(&sim.system()),
      channel_(&channel),
      tally_(sim.scene_settings().tolerance),
      tolerance_(sim.scene_settings().tolerance),
      accept_(sim.scene_settings().accept),
      joints_(sim.system()),
      curves_(std::make_unique<io::ReplayCurves>(sim.system(), tolerance_)) {
  start_.title = std::filesystem::path(file).filename().string();
  start_.summary = {"scene " + file,
                    "model " + sim.scene_settings().model + ", " + sim.scene_settings().method};
  start_.bodies = io::replay_bodies(*system_);
  const std::vector<std::string> about = io::add_visuals(visuals, start_.bodies);
  start_.summary.insert(start_.summary.end(), about.begin(), about.end());
  start_.series = curves_->series();
  const io::RunRow row = io::make_run_row(*system_, sim.initial_report());
  start_.frames = {io::replay_frame(*system_, row)};
  frame_.curves = curves_->values_at(row);
}

void LiveFeed::observe(const StepReport& report) {
  io::RunRow row = io::make_run_row(*system_, report);
  io::record_contacts(report, row);
  frame_.curves = curves_->values_at(row);
  ++frame_.num_steps;
  tally_.add(answered_step(*system_, report, tally_.tolerance()));
  frame_.num_missed = static_cast<long>(tally_.num_missed());
  if (std::chrono::steady_clock::now() - published_ < kInterval) {
    pending_ = std::move(row);
  } else {
    publish(row);
  }
}

void LiveFeed::publish_last() {
  if (pending_) publish(*pending_);
}

void LiveFeed::restart(const Simulator& sim) {
  tally_ = LawTally(tolerance_);
  curves_ = std::make_unique<io::ReplayCurves>(*system_, tolerance_);
  frame_.num_steps = 0;
  frame_.num_missed = 0;
  show(sim);
}

void LiveFeed::show(const Simulator& sim) {
  const io::RunRow row = io::make_run_row(*system_, sim.initial_report());
  frame_.curves = curves_->values_at(row);
  publish(row);
}

void LiveFeed::publish(const io::RunRow& row) {
  frame_.frame = io::replay_frame(*system_, row);
  frame_.accepted = tally_.is_accepted(accept_);
  frame_.verdict = tally_.text();
  joints_.read(*system_, row.q, row.time, frame_.joints, frame_.targets);
  channel_->publish(frame_);
  published_ = std::chrono::steady_clock::now();
  pending_.reset();
}

}  // namespace amontons::live

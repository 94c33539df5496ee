#include "tools/amontons/replay/live_feed.h"

#include "amontons/io/replay/replay_shapes.h"
#include "amontons/io/replay/replay_visuals.h"

#include <filesystem>
#include <utility>

namespace amontons::cli {
namespace {

constexpr std::chrono::milliseconds kInterval{33};

}  // namespace

LiveFeed::LiveFeed(const Simulator& sim, const Scene& scene, const io::ModelVisuals& visuals,
                   LiveChannel& channel)
    : system_(&sim.system()),
      channel_(&channel),
      tally_(scene.simulation.tolerance),
      accept_(scene.simulation.accept),
      usual_step_(scene.simulation.steps.front()),
      curves_(sim.system(), scene.simulation.tolerance) {
  start_.title = std::filesystem::path(scene.file).filename().string();
  start_.summary = {"scene " + scene.file,
                    "model " + scene.simulation.model + ", " + scene.simulation.method};
  start_.bodies = io::replay_bodies(*system_);
  const std::vector<std::string> about = io::add_visuals(visuals, start_.bodies);
  start_.summary.insert(start_.summary.end(), about.begin(), about.end());
  start_.series = curves_.series();
  const io::RunRow row = io::make_run_row(*system_, sim.initial_report());
  start_.frames = {io::replay_frame(row, usual_step_)};
  frame_.curves = curves_.values_at(row);
}

void LiveFeed::observe(const StepReport& report) {
  io::RunRow row = io::make_run_row(*system_, report);
  io::record_contacts(report, row);
  frame_.curves = curves_.values_at(row);
  ++frame_.num_steps;
  tally_.add(answered_step(*system_, report));
  frame_.num_missed = static_cast<long>(tally_.num_missed());
  if (std::chrono::steady_clock::now() - published_ < kInterval) {
    pending_ = std::move(row);
  } else {
    publish(row);
  }
}

void LiveFeed::finish() {
  if (pending_) publish(*pending_);
}

void LiveFeed::publish(const io::RunRow& row) {
  frame_.frame = io::replay_frame(row, usual_step_);
  frame_.accepted = tally_.is_accepted(accept_);
  frame_.verdict = tally_.text();
  channel_->publish(frame_);
  published_ = std::chrono::steady_clock::now();
  pending_.reset();
}

}  // namespace amontons::cli

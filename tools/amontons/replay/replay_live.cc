#include "tools/amontons/replay/replay_live.h"

#include "amontons/io/replay/live_replay.h"
#include "tools/amontons/replay/live_channel.h"
#include "tools/amontons/replay/live_feed.h"
#include "tools/amontons/replay/live_server.h"
#include "tools/amontons/support/exit_codes.h"

#include <chrono>
#include <iostream>
#include <memory>
#include <thread>
#include <utility>

namespace amontons::cli {
namespace {

const char* ending(const Simulator& sim, int exit_code) {
  if (exit_code == kInterrupted) return "The simulation was interrupted.";
  if (sim.finished() && !sim.stopped_at_infeasibility()) return "The simulation is at its end.";
  return "The simulation was stopped early.";
}

}  // namespace

int replay_live(RunOptions options, int port) {
  LiveChannel channel;
  LiveServer server(port, channel);  // first: nothing is written where it has no port
  options.no_log = options.output.empty();
  options.simulation.realtime = true;
  const auto visuals = std::make_shared<io::ModelVisuals>();
  options.visuals = visuals;
  return run_scene(std::move(options), [&](Simulator& sim, const Scene& scene,
                                           const InterruptGuard& interrupt,
                                           const std::function<int()>& simulate) {
    LiveFeed feed(sim, scene, *visuals, channel);
    server.start(io::make_live_replay_html(feed.start(), server.stream()), InterruptGuard::request);
    std::cerr << "replay: " << server.address()
              << " shows it to browsers on this machine; it begins when one opens the page\n";
    while (server.num_viewers() == 0 && !interrupt.requested()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    sim.add_observer(feed);
    const int exit_code = simulate();
    feed.finish();
    channel.end(ending(sim, exit_code));
    return exit_code;
  });
}

}  // namespace amontons::cli

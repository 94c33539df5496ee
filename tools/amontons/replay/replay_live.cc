#include "tools/amontons/replay/replay_live.h"

#include "tools/amontons/live/live_session.h"
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

void add_live_options(Verb& verb, LiveOptions& options) {
  verb.option("--port", options.port, "Port of --live, on 127.0.0.1 [a free one]", 1, 65535);
  verb.flag("--paused", options.paused, "Begin --live in a pause, in which joints can be placed");
}

int replay_live(RunOptions options, const LiveOptions& live, const std::string& verb) {
  live::LiveSettings settings{.owner = verb + " --live",
                              .port = live.port.value_or(0),
                              .waits_alone = true,
                              .begins_paused = live.paused,
                              .stop = InterruptGuard::request};
  // A log goes on in time.
  if (options.no_log) settings.restart = [](Simulator& sim) { sim.reset(); };
  // First: nothing is written where it has no port.
  live::LiveSession session(std::move(settings));
  options.simulation.before_step = [&session](Simulator& sim) { return session.await_step(sim); };
  options.commander = io::RunCommander::Page;
  options.simulation.realtime = false;  // the page sets the speed
  const auto visuals = std::make_shared<io::ModelVisuals>();
  options.visuals = visuals;
  return run_scene(
      std::move(options), [&](Simulator& sim, const Scene& scene, const InterruptGuard& interrupt,
                              const std::function<int()>& simulate) {
        session.begin(sim, scene.file, *visuals);
        std::cerr << verb << ": " << session.address()
                  << " shows it to browsers on this machine; it begins when one opens the page\n";
        while (session.num_viewers() == 0 && !interrupt.requested()) {
          std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
        sim.add_observer(session.feed());
        const int exit_code = simulate();
        session.end(ending(sim, exit_code));
        return exit_code;
      });
}

}  // namespace amontons::cli

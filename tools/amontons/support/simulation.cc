#include "tools/amontons/support/simulation.h"

#include "amontons/math/step_times.h"
#include "amontons/simulation/system/divergence_error.h"
#include "tools/amontons/support/command_line.h"
#include "tools/amontons/support/exit_codes.h"
#include "tools/amontons/support/json_output.h"
#include "tools/amontons/support/law_answers.h"
#include "tools/amontons/support/mesh_cost.h"
#include "tools/amontons/support/profile.h"
#include "tools/amontons/support/progress.h"
#include "tools/amontons/support/run_summary.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace amontons::cli {
namespace {

// Lets a simulation run no faster than the clock.
class Pace {
 public:
  explicit Pace(double start) : start_(start) {}

  // Waits in short parts, so that an interrupt is heard.
  void wait_until(double time, const InterruptGuard& interrupt) const {
    constexpr std::chrono::milliseconds kPart{50};
    const auto end = began_ + std::chrono::duration<double>(time - start_);
    while (!interrupt.requested() && std::chrono::steady_clock::now() + kPart < end) {
      std::this_thread::sleep_for(kPart);
    }
    if (!interrupt.requested()) std::this_thread::sleep_until(end);
  }

 private:
  double start_;  // [s] of the simulation
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

// Returns why the motion ended before its time, or nothing.
std::string simulate_to_end(Simulator& sim, const Scene& scene, const SimulationOptions& options,
                            const InterruptGuard& interrupt) try {
  Progress progress("run", options.quiet);
  const Pace pace(sim.time());
  while (!sim.finished() && !interrupt.requested()) {
    if (options.before_step && !options.before_step(sim)) break;
    const StepReport& report = sim.step();
    if (options.realtime) pace.wait_until(sim.time(), interrupt);
    if (options.strict_steps && !report.certificate.holds) return "";
    if (!progress.is_due()) continue;
    progress.update(sim.time() / scene.simulation.duration,
                    "t = " + std::to_string(sim.time()) + " s, " +
                        std::to_string(report.problem.num_contacts()) + " contacts");
  }
  return "";
} catch (const DivergenceError& error) {
  return error.what();
} catch (const std::domain_error& error) {
  return fmt::format(
      "the step at t = {:.6g} s cannot be taken: {}; take a smaller step, or bodies "
      "and springs of less different sizes",
      sim.time(), error.what());
} catch (const Stopped&) {
  // The step is given up; the state is that of its start.
  return "";
}

struct Ending {
  double began = 0.0;  // [s]: 0 but for a resumed run
  bool interrupted = false, stopped = false;
  std::string divergence = {};             // why the motion ended before its time, or nothing
  std::string log = {};                    // path; empty: none is written
  double log_time = 0.0;                   // that it took [s]
  std::uintmax_t log_bytes = 0;            // size of it
  std::int64_t without_contacts = 0;       // rows of it that leave out their contacts
  std::vector<std::string> failures = {};  // contact problems saved beside it
  LawTally before = LawTally();            // answers of the steps recorded before a resumed run
  AcceptedAnswers accept = AcceptedAnswers::Exact;
  std::optional<StepTimes> profile = {};  // under --profile
  std::optional<MeshCost> mesh_cost = {};
};

void print_solution(const RunSummary& summary, const Ending& ending) {
  nlohmann::ordered_json result = summary.json();
  result["began"] = ending.began;
  if (ending.before.num_steps() > 0) {
    result["law_before"] = law_json(ending.before, ending.accept);
  }
  result["stopped_at_infeasibility"] = ending.stopped;
  result["interrupted"] = ending.interrupted;
  result["divergence"] = nullptr;
  if (!ending.divergence.empty()) result["divergence"] = ending.divergence;
  result["log"] = nullptr;
  if (!ending.log.empty()) result["log"] = ending.log;
  result["log_bytes"] = ending.log_bytes;
  result["log_time_s"] = ending.log_time;
  result["rows_without_contacts"] = ending.without_contacts;
  result["failures"] = ending.failures;
  result["mesh_cost"] = nullptr;
  if (ending.mesh_cost) {
    result["mesh_cost"] = {{"of", ending.mesh_cost->owner}, {"share", ending.mesh_cost->share}};
  }
  if (ending.profile) result["profile"] = profile_json(*ending.profile, summary.solvers());
  print_json(result);
}

void print_summary(const RunSummary& summary, const Ending& ending) {
  std::cout << summary.text() << "\n" << mesh_cost_text(ending.mesh_cost);
  if (ending.profile) std::cout << profile_text(*ending.profile, summary.solvers());
  if (ending.began > 0.0) {
    std::cout << "resumed at t = " << ending.began
              << " s; the lines above are of the steps since\n";
  }
  if (ending.before.num_steps() > 0) {
    std::cout << "recorded before: " << ending.before.text() << "\n";
  }
  for (const std::string& file : ending.failures) std::cout << "failed problem: " << file << "\n";
  if (ending.stopped) {
    std::cout << "stopped early: the infeasibility reached "
                 "simulation.stop_at_infeasibility\n";
  }
  if (ending.interrupted) {
    std::cout << "interrupted"
              << (ending.log.empty() ? "" : "; amontons resume " + ending.log + " continues it")
              << "\n";
  }
  if (ending.without_contacts > 0) {
    std::cout << fmt::format(
        "contacts of {} steps are not recorded (output.contacts: all records every step)\n",
        ending.without_contacts);
  }
  if (ending.log.empty()) {
    std::cout << "log: none\n";
  } else {
    std::cout << fmt::format("log: {} ({:.3g} MB, recorded in {:.3g} s)\n", ending.log,
                             1e-6 * static_cast<double>(ending.log_bytes), ending.log_time);
  }
}

}  // namespace

void add_stepping_options(Verb& verb, SimulationOptions& options) {
  verb.option("--threads", options.threads, "Threads; the motion is the same for any number [all]",
              1);
  verb.flag("--strict-steps", options.strict_steps,
            "Stop at the first step that misses its certificate");
  add_accept_option(verb, options.accept);
}

void add_simulation_options(Verb& verb, SimulationOptions& options) {
  add_stepping_options(verb, options);
  verb.flag("--realtime", options.realtime, "Not faster than the clock");
  verb.flag("--quiet", options.quiet, "No progress");
  verb.flag("--profile", options.profile, "Say how long each part of the steps took");
  verb.flag("--json", options.json, "Summary as JSON");
}

int report_ended(const Simulator& sim, const Scene& scene, const SimulationOptions& options,
                 const std::string& log, const LawTally& before) {
  const AcceptedAnswers accept = scene.simulation.accept;
  if (options.json) {
    RunSummary summary(sim.system(), scene.simulation);
    summary.observe(sim.initial_report());
    print_solution(summary, {.began = sim.time(),
                             .stopped = sim.stopped_at_infeasibility(),
                             .log = log,
                             .before = before,
                             .accept = accept});
  } else {
    std::cout << before.text() << "\n"
              << log << ": ended at t = " << sim.time() << " s; nothing to resume\n";
  }
  return before.is_accepted(accept) ? kOk : kCertificateMissed;
}

int simulate(Simulator& sim, const Scene& scene, const SimulationOptions& options,
             const InterruptGuard& interrupt, io::RunRecorder* recorder, const LawTally& before) {
  Ending ending{.began = sim.time(), .before = before, .accept = scene.simulation.accept};
  RunSummary summary(sim.system(), scene.simulation);
  summary.observe(sim.initial_report());
  if (recorder != nullptr) sim.add_observer(*recorder);
  sim.add_observer(summary);
  std::optional<StepClock> clock;
  if (options.profile || has_meshes(sim.system())) clock.emplace();
  ending.divergence = simulate_to_end(sim, scene, options, interrupt);
  if (clock) {
    if (options.profile) ending.profile = clock->times();
    ending.mesh_cost = find_mesh_cost(clock->times(), scene, sim.system(), sim.state());
  }
  clock.reset();
  if (recorder != nullptr) {
    recorder->finish();
    ending.log = recorder->path();
    ending.log_time = recorder->time_s();
    ending.log_bytes = recorder->num_bytes();
    ending.without_contacts = recorder->num_rows_without_contacts();
    ending.failures = recorder->failure_paths();
  }
  ending.interrupted = interrupt.requested() && !sim.finished();
  ending.stopped = sim.stopped_at_infeasibility();
  options.json ? print_solution(summary, ending) : print_summary(summary, ending);
  if (ending.interrupted) return kInterrupted;
  if (!ending.divergence.empty()) {
    std::cerr << scene.file << ": " << ending.divergence << "\n";
    return kCertificateMissed;
  }
  return summary.is_accepted() && before.is_accepted(ending.accept) ? kOk : kCertificateMissed;
}

}  // namespace amontons::cli

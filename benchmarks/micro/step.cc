#include "amontons/io/scene/scene_file.h"
#include "amontons/simulation/simulator.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <string>

namespace amontons {
namespace {

// Measures the mean wall time of a step of an example scene, and the worst certified residual of
// those steps: a time is meaningless without its accuracy.
void step_scene(benchmark::State& state, const std::string& file) {
  const Scene scene = io::load_scene(std::string(AMONTONS_SOURCE_DIR) + "/examples/" + file);
  Simulator simulator(scene);
  const State start = simulator.state();
  double residual = 0.0;
  for (auto _ : state) {
    if (simulator.finished()) simulator.set_state(start);
    const StepReport& report = simulator.step();
    residual =
        std::max({residual, report.certificate.normal.value, report.certificate.friction.value});
  }
  state.counters["residual"] = residual;
}

BENCHMARK_CAPTURE(step_scene, first, "first.yaml");
BENCHMARK_CAPTURE(step_scene, quadruped_demo, "quadruped/demo.yaml");

// Measures how many seconds of balls that bounce to rest a second of computing gives, and how many
// steps miss the law asked.
void run_crowd(benchmark::State& state, const std::string& method, const std::string& grid) {
  io::LoadOptions options;
  options.overrides = {{"simulation.method", method}, {"repeat.0.grid", grid}};
  const Scene scene =
      io::load_scene(std::string(AMONTONS_SOURCE_DIR) + "/examples/events/crowd.yaml", options);
  int steps = 0, other_laws = 0;
  for (auto _ : state) {
    Simulator simulator(scene);
    while (!simulator.finished()) {
      const StepReport& report = simulator.step();
      ++steps;
      if (!report.certificate.holds || !answers_law_asked(report.solution.status)) ++other_laws;
    }
  }
  const auto runs = static_cast<double>(state.iterations());
  state.counters["seconds_per_second"] =
      benchmark::Counter(runs * scene.simulation.duration, benchmark::Counter::kIsRate);
  state.counters["steps"] = steps / runs;
  state.counters["other_laws"] = other_laws / runs;
}

BENCHMARK_CAPTURE(run_crowd, hybrid_32, "hybrid", "[4, 4, 2]")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run_crowd, stepping_32, "time-stepping", "[4, 4, 2]")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run_crowd, hybrid_100, "hybrid", "[5, 5, 4]")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run_crowd, stepping_100, "time-stepping", "[5, 5, 4]")
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace amontons

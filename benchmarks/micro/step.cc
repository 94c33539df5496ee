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

}  // namespace
}  // namespace amontons

#include "amontons/geometry/shapes/mass_properties.h"
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

// Returns ten boxes that slide on a plane, beside others at rest.
Scene boxes_that_slide(int num_resting) {
  Scene scene;
  scene.simulation.steps = {1e-3};
  scene.simulation.duration = 1.0;
  scene.materials = {{"stone", 0.3, 0.0, 0.0}};
  SceneBody ground;
  ground.name = "ground";
  ground.base = BaseType::Fixed;
  ground.shapes.push_back({HalfSpace{Eigen::Vector3d::UnitZ(), 0.0}, Pose{}, "stone"});
  scene.bodies.push_back(ground);
  const Box shape{{0.2, 0.2, 0.2}};
  const auto add_box = [&](const std::string& name, double x, double y, double speed) {
    SceneBody box;
    box.name = name;
    box.shapes.push_back({shape, Pose{}, "stone"});
    box.inertia = with_mass(shape_properties(shape), 1.0);
    box.pose.translation = {x, y, 0.1};
    box.linear_velocity = {speed, 0.0, 0.0};
    scene.bodies.push_back(box);
  };
  for (int i = 0; i < num_resting; ++i) {
    add_box("rests " + std::to_string(i), 0.5 * (i % 32), 0.5 * (i / 32), 0.0);
  }
  for (int i = 0; i < 10; ++i) add_box("slides " + std::to_string(i), -1.0, 0.5 * i, -4.0);
  return scene;
}

// Measures what a step of bodies that move costs beside others at rest. A run is a second, at the
// end of which all boxes still slide.
void slide_boxes(benchmark::State& state) {
  const Scene scene = boxes_that_slide(static_cast<int>(state.range(0)));
  Simulator simulator(scene);
  const State start = simulator.state();
  for (auto _ : state) {
    if (simulator.finished()) simulator.set_state(start);
    simulator.step();
  }
}

BENCHMARK(slide_boxes)->Arg(0)->Arg(1000)->Unit(benchmark::kMicrosecond);

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

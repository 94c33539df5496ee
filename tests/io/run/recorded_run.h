#pragma once

#include "amontons/io/common/file_source.h"
#include "amontons/io/run/run_recorder.h"
#include "amontons/io/run/run_row.h"
#include "amontons/io/scene/scene_file.h"
#include "amontons/simulation/simulator.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

// Short runs on disk, for the tests that read and verify them.

namespace amontons::test {

/// Owns a folder that is removed with the test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "amontons-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

/// Describes a crate that slides on rough ground into a ball, with a block at rest on the crate.
/// The contacts stick, slide and open, and a body flies free.
inline const char* const kSlidingScene = R"(amontons: 1
simulation: {step: 0.01, duration: 0.4}
materials:
  - {name: wood, friction: 0.3}
  - {name: rubber, friction: 0.9}
bodies:
  - {name: ground, fixed: true, shapes: [{half_space: {normal: [0, 0, 1]}}]}
  - name: crate
    mass: 2
    shapes: [{box: [0.4, 0.4, 0.2], material: wood}]
    pose: {position: [0, 0, 0.1]}
    velocity: {linear: [2, 0.3, 0]}
  - name: block
    mass: 0.5
    shapes: [{box: [0.1, 0.1, 0.1], material: rubber}]
    pose: {position: [0, 0, 0.25]}
    velocity: {linear: [2, 0.3, 0]}
  - name: ball
    mass: 1
    shapes: [{sphere: 0.1, material: wood}]
    pose: {position: [0.6, 0, 0.1]}
  - {name: bird, mass: 0.1, shapes: [{sphere: 0.05}], pose: {position: [0, 0, 9]}}
)";

// Crates slide on a ground, with 144 contacts in a step.
inline const char* const kCrowdedScene = R"(amontons: 1
simulation: {step: 0.005, duration: 0.1, tolerance: 1e-6}
bodies:
  - {name: ground, fixed: true, shapes: [{half_space: {normal: [0, 0, 1]}}]}
  - name: crate
    mass: 1
    shapes: [{box: [0.1, 0.1, 0.1]}]
    pose: {position: [0, 0, 0.05]}
    velocity: {linear: [1, 0, 0]}
repeat:
  - {body: crate, grid: [6, 6, 1], spacing: [0.3, 0.3, 0.3]}
)";

/// Describes a crate that comes to rest on a ground; further bodies may follow.
inline const char* const kStoppingCrate = R"(bodies:
  - {name: ground, fixed: true, shapes: [{half_space: {normal: [0, 0, 1]}}]}
  - name: crate
    mass: 2
    shapes: [{box: [0.4, 0.4, 0.2]}]
    pose: {position: [0, 0, 0.1]}
    velocity: {linear: [0.5, 0, 0]}
)";

/// Returns the numbers below `size` in an order without pattern, the same each time.
inline std::vector<std::size_t> in_any_order(std::size_t size) {
  std::vector<std::size_t> order(size);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::shuffle(order.begin(), order.end(), std::mt19937(1));
  return order;
}

inline Scene parse_text(const std::string& text, const io::LoadOptions& options = {}) {
  return io::parse_scene(text, "scene.yaml", io::MemoryFiles(), options);
}

/// Keeps what a recorder observes, to be compared with the file.
class RowCollector : public Observer {
 public:
  explicit RowCollector(const System& system) : system_(&system) {}
  void observe(const StepReport& report) override {
    rows.push_back(io::make_run_row(*system_, report));
    io::record_contacts(report, rows.back());
  }
  std::vector<io::RunRow> rows;

 private:
  const System* system_;
};

/// Simulates to the end into `path`; returns the row of every step.
inline std::vector<io::RunRow> record_run(const Scene& scene, const std::string& path,
                                          const io::RecorderSettings& settings = {}) {
  Simulator sim(scene);
  io::RunRecorder recorder(path, scene, sim.system(), settings);
  RowCollector collector(sim.system());
  recorder.observe(sim.initial_report());
  collector.observe(sim.initial_report());
  sim.add_observer(recorder);
  sim.add_observer(collector);
  while (!sim.finished()) sim.step();
  recorder.finish();
  return collector.rows;
}

}  // namespace amontons::test

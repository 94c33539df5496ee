#include "benchmarks/peers/workloads/granular_measure.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace amontons::peers {
namespace {

// While a heap settles every step is new; at rest solvers that start from the last step do nothing.
constexpr const char* kDuration = "2";
constexpr double kSettledAfter = 1.0;

/// Returns a heap at tolerances from coarse to fine.
Case heap(const char* id, const char* scene, double radius, double limit_s,
          std::vector<std::string> tolerances, std::vector<std::string> entrants) {
  Case result;
  result.id = id;
  result.scene = scene;
  result.overrides = {{"simulation.duration", kDuration}};
  result.limit_s = limit_s;
  result.tolerances = std::move(tolerances);
  result.entrants = std::move(entrants);
  result.make_measure = [radius](const World& world) -> std::unique_ptr<Measure> {
    return std::make_unique<GranularMeasure>(world, "r", radius, kSettledAfter);
  };
  return result;
}

}  // namespace

std::vector<Case> heap_cases() {
  const std::vector<std::string> peers = {"ode/quick20", "bullet/si10", "box3d/sub4", "mujoco/cg"};
  return {heap("heap of 126", "granular_126.yaml", 0.04, 40.0,
               {"1e-2", "1e-3", "1e-4", "1e-6", "1e-8"}, peers),
          heap("wedge of 504", "wedge_504.yaml", 0.019, 60.0, {"1e-2", "1e-3", "1e-4"}, peers),
          heap("hopper of 504", "hopper_504.yaml", 0.019, 60.0, {"1e-2", "1e-3", "1e-4"}, peers),
          heap("heap of 1001", "granular_1001.yaml", 0.04, 60.0, {"1e-2", "1e-3", "1e-4"},
               {"ode/quick20", "bullet/si10", "box3d/sub4"})};
}

}  // namespace amontons::peers

#include "benchmarks/peers/workloads/granular_measure.h"

namespace amontons::peers {

std::vector<Case> granular_cases() {
  Case small;
  small.id = "W2 spheres 126";
  small.scene = "granular_126.yaml";
  small.limit_s = 20.0;
  small.quick = true;
  small.entrants = {"ode/quick20",     "ode/quick1000", "ode/step",       "bullet/si10",
                    "box3d/sub4",      "bullet/si1000", "bullet/dantzig", "dart/dantzig",
                    "dart/pgs",        "mujoco/newton", "mujoco/cg",      "mujoco/tuned",
                    "siconos/nsgs1e-4"};
  small.make_measure = [](const World& world) -> std::unique_ptr<Measure> {
    return std::make_unique<GranularMeasure>(world, "r", 0.04, 3.0);
  };

  Case large = small;
  large.id = "W2 spheres 1001";
  large.scene = "granular_1001.yaml";
  large.limit_s = 30.0;
  large.quick = false;
  large.entrants = {"ode/quick20", "ode/quick1000",   "ode/step",     "bullet/si10",
                    "box3d/sub4",  "bullet/si1000",   "dart/dantzig", "dart/pgs",
                    "mujoco/cg",   "siconos/nsgs1e-4"};
  Case coarse = large;
  coarse.id = "W2 spheres 1001 at 1e-6";
  coarse.overrides = {{"simulation.tolerance", "1e-6"}};
  coarse.entrants = {"ode/quick20", "bullet/si10", "box3d/sub4"};
  return {small, large, coarse};
}

}  // namespace amontons::peers

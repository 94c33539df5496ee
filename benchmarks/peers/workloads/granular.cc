#include "benchmarks/peers/energy.h"
#include "benchmarks/peers/measure.h"
#include "benchmarks/peers/overlap.h"

#include <algorithm>

namespace amontons::peers {
namespace {

constexpr double kRadius = 0.04, kSettledAfter = 3.0;

class GranularMeasure : public Measure {
 public:
  explicit GranularMeasure(const World& world) : world_(world), overlap_(world_) {}

  void observe(double time, const std::vector<BodyState>& states) override {
    const double deepest = overlap_.deepest(states) / kRadius;
    worst_ = std::max(worst_, deepest);
    if (time > kSettledAfter) {
      settled_sum_ += deepest;
      ++settled_count_;
    }
    kinetic_ = kinetic_energy(world_, states);
    rises_.observe(kinetic_ + potential_energy(world_, states));
    finished_ = time > world_.duration - 0.5 * world_.step;
  }

  std::vector<Figure> figures() const override {
    return {
        {"settled overlap r", settled_count_ > 0 ? settled_sum_ / settled_count_ : kNotMeasured},
        {"worst overlap r", worst_},
        {"end energy J", finished_ ? kinetic_ : kNotMeasured},
        {"energy rises", static_cast<double>(rises_.count())},
        {"their sum rel", rises_.relative_sum()}};
  }

 private:
  World world_;
  OverlapMeter overlap_;
  EnergyRises rises_;
  double worst_ = 0.0, settled_sum_ = 0.0, kinetic_ = 0.0;
  int settled_count_ = 0;
  bool finished_ = false;
};

}  // namespace

std::vector<Case> granular_cases() {
  Case small;
  small.id = "W2 spheres 126";
  small.scene = "granular_126.yaml";
  small.limit_s = 20.0;
  small.quick = true;
  small.entrants = {"ode/quick20",   "ode/quick1000",  "ode/step",     "bullet/si10",
                    "bullet/si1000", "bullet/dantzig", "dart/dantzig", "dart/pgs",
                    "mujoco/newton", "mujoco/cg",      "mujoco/tuned", "siconos/nsgs1e-4"};
  small.make_measure = [](const World& world) -> std::unique_ptr<Measure> {
    return std::make_unique<GranularMeasure>(world);
  };

  Case large = small;
  large.id = "W2 spheres 1001";
  large.scene = "granular_1001.yaml";
  large.limit_s = 30.0;
  large.quick = false;
  large.entrants = {"ode/quick20", "ode/quick1000", "ode/step",
                    "bullet/si10", "bullet/si1000", "dart/dantzig",
                    "dart/pgs",    "mujoco/cg",     "siconos/nsgs1e-4"};
  Case coarse = large;
  coarse.id = "W2 spheres 1001 at 1e-6";
  coarse.overrides = {{"simulation.tolerance", "1e-6"}};
  coarse.entrants = {"ode/quick20", "bullet/si10"};
  return {small, large, coarse};
}

}  // namespace amontons::peers

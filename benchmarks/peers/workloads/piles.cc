#include "benchmarks/peers/energy.h"
#include "benchmarks/peers/measure.h"
#include "benchmarks/peers/overlap.h"

#include <algorithm>

namespace amontons::peers {
namespace {

constexpr double kMillimeter = 1e-3;
constexpr double kSettledAfter = 1.0;  // [s]

// Boxes that come down on each other by a gap of 2 mm. The pyramid that they form should not move
// sideways.
class PileMeasure : public Measure {
 public:
  explicit PileMeasure(const World& world) : world_(world), overlap_(world_) {}

  void observe(double time, const std::vector<BodyState>& states) override {
    if (time == 0.0) start_ = states;
    const double deepest = overlap_.deepest(states);
    worst_ = std::max(worst_, deepest);
    if (time > kSettledAfter) {
      settled_sum_ += deepest;
      ++settled_count_;
    }
    drift_ = 0.0;
    for (std::size_t i = 0; i < states.size(); ++i) {
      const Eigen::Vector3d moved = states[i].X_WB.translation - start_[i].X_WB.translation;
      drift_ = std::max(drift_, moved.head<2>().norm());
    }
    kinetic_ = kinetic_energy(world_, states);
    rises_.observe(kinetic_ + potential_energy(world_, states));
    finished_ = time > world_.duration - 0.5 * world_.step;
  }

  std::vector<Figure> figures() const override {
    const double settled = settled_count_ > 0 ? settled_sum_ / settled_count_ : kNotMeasured;
    return {{"settled overlap mm", settled / kMillimeter},
            {"worst overlap mm", worst_ / kMillimeter},
            {"drift mm", drift_ / kMillimeter},
            {"end energy J", finished_ ? kinetic_ : kNotMeasured},
            {"energy rises", static_cast<double>(rises_.count())},
            {"their sum rel", rises_.relative_sum()}};
  }

 private:
  World world_;
  OverlapMeter overlap_;
  EnergyRises rises_;
  std::vector<BodyState> start_;
  double worst_ = 0.0, settled_sum_ = 0.0, drift_ = 0.0, kinetic_ = 0.0;
  int settled_count_ = 0;
  bool finished_ = false;
};

Case pile(const std::string& id, const std::string& scene, bool quick) {
  Case c;
  c.id = id;
  c.scene = scene;
  c.limit_s = 60.0;
  c.quick = quick;
  c.tolerances = {"1e-3", "1e-6", "1e-8"};
  c.entrants = {"ode/quick20", "bullet/si10", "box3d", "mujoco/newton"};
  c.make_measure = [](const World& world) -> std::unique_ptr<Measure> {
    return std::make_unique<PileMeasure>(world);
  };
  return c;
}

}  // namespace

std::vector<Case> pile_cases() {
  return {pile("pile of 55", "pile_55.yaml", true), pile("pile of 210", "pile_210.yaml", false)};
}

}  // namespace amontons::peers

#include "benchmarks/peers/workloads/granular_measure.h"

#include <algorithm>

namespace amontons::peers {
namespace {

constexpr double kMillimeter = 1e-3;
constexpr double kSettledAfter = 1.0;  // [s]

// Boxes that come down on each other by a gap of 2 mm. The pyramid that they form should not move
// sideways.
class PileMeasure : public Measure {
 public:
  explicit PileMeasure(const World& world) : settling_(world, "mm", kMillimeter, kSettledAfter) {}

  void observe(double time, const std::vector<BodyState>& states) override {
    settling_.observe(time, states);
    if (time == 0.0) start_ = states;
    drift_ = 0.0;
    for (std::size_t i = 0; i < states.size(); ++i) {
      const Eigen::Vector3d moved = states[i].X_WB.translation - start_[i].X_WB.translation;
      drift_ = std::max(drift_, moved.head<2>().norm());
    }
  }

  std::vector<Figure> figures() const override {
    std::vector<Figure> result = settling_.figures();
    result.push_back({"drift mm", drift_ / kMillimeter});
    return result;
  }

 private:
  GranularMeasure settling_;
  std::vector<BodyState> start_;
  double drift_ = 0.0;
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

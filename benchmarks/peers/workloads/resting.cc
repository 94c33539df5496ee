#include "benchmarks/peers/measure.h"
#include "benchmarks/peers/overlap.h"

#include <algorithm>

namespace amontons::peers {
namespace {

constexpr double kMillimeter = 1e-3;

// Boxes that should not move.
class RestingMeasure : public Measure {
 public:
  explicit RestingMeasure(const World& world) : overlap_(world) {}

  void observe(double time, const std::vector<BodyState>& states) override {
    if (time == 0.0) start_ = states;
    // Thousands of exact box pairs take longer than a fast engine's step. Slow motion needs a
    // measurement at every tenth step only.
    constexpr int kEvery = 10;
    if (count_++ % kEvery == 0) deepest_ = std::max(deepest_, overlap_.deepest(states));
    moved_ = 0.0;
    for (std::size_t i = 0; i < states.size(); ++i) {
      moved_ = std::max(moved_, (states[i].X_WB.translation - start_[i].X_WB.translation).norm());
    }
  }

  std::vector<Figure> figures() const override {
    return {{"moved mm", moved_ / kMillimeter}, {"overlap mm", deepest_ / kMillimeter}};
  }

 private:
  OverlapMeter overlap_;
  std::vector<BodyState> start_;
  double deepest_ = 0.0, moved_ = 0.0;
  int count_ = 0;
};

Case resting_case(const std::string& id, const std::string& scene, double limit, bool quick,
                  std::vector<std::string> entrants) {
  Case c;
  c.id = "W9 " + id;
  c.scene = scene;
  c.limit_s = limit;
  c.quick = quick;
  c.entrants = std::move(entrants);
  c.make_measure = [](const World& world) -> std::unique_ptr<Measure> {
    return std::make_unique<RestingMeasure>(world);
  };
  return c;
}

}  // namespace

// Larger cases run on fewer settings, those that are fast enough.
std::vector<Case> resting_cases() {
  return {
      resting_case("columns 10", "columns_10.yaml", 10, true, {}),
      resting_case("columns 100", "columns_100.yaml", 15, false,
                   {"ode/quick20", "ode/step", "bullet/si10", "box3d/sub4", "bullet/si1000",
                    "dart/dantzig", "dart/pgs", "mujoco/newton", "mujoco/cg"}),
      resting_case("columns 1000", "columns_1000.yaml", 15, false,
                   {"ode/quick20", "ode/step", "bullet/si10", "box3d/sub4", "bullet/si1000",
                    "dart/dantzig", "mujoco/newton", "mujoco/cg"}),
      resting_case("wall 105", "wall_105.yaml", 15, true,
                   {"ode/quick20", "ode/step", "bullet/si10", "box3d/sub4", "bullet/si1000",
                    "dart/dantzig", "dart/pgs", "mujoco/newton", "mujoco/cg"}),
      resting_case("wall 405", "wall_405.yaml", 15, false,
                   {"ode/quick20", "ode/step", "bullet/si10", "box3d/sub4", "bullet/si1000",
                    "dart/dantzig", "mujoco/newton", "mujoco/cg"}),
      resting_case("wall 1005", "wall_1005.yaml", 20, false,
                   {"ode/quick20", "ode/step", "bullet/si10", "box3d/sub4", "dart/dantzig",
                    "mujoco/newton"}),
  };
}

}  // namespace amontons::peers

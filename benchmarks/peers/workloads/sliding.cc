#include "benchmarks/peers/measure.h"
#include "benchmarks/peers/overlap.h"

#include <algorithm>

namespace amontons::peers {
namespace {

constexpr double kMillimeter = 1e-3;

// Columns and walls slide on the ground as one during the whole run, so no step repeats another.
// Friction is too small to tip them.
class SlidingMeasure : public Measure {
 public:
  explicit SlidingMeasure(const World& world) : world_(world), overlap_(world_) {}

  void observe(double time, const std::vector<BodyState>& states) override {
    if (time == 0.0) {
      start_ = states;
      return;
    }
    // Thousands of exact box pairs take longer than a fast engine's step.
    constexpr int kEvery = 10;
    if (steps_ % kEvery == 0) deepest_ = std::max(deepest_, overlap_.deepest(states));
    ++steps_;
    // The distance of semi-implicit Euler steps with the exact deceleration.
    const double speed = world_.moving.front().linear.x(), h = world_.step,
                 lost = world_.friction * -world_.gravity.z() * h;
    const Eigen::Vector3d way(h * (steps_ * speed - 0.5 * lost * steps_ * (steps_ + 1)), 0.0, 0.0);
    for (std::size_t i = 0; i < states.size(); ++i) {
      const Eigen::Vector3d moved = states[i].X_WB.translation - start_[i].X_WB.translation;
      off_ = std::max(off_, (moved - way).norm());
    }
  }

  std::vector<Figure> figures() const override {
    return {{"off its way mm", off_ / kMillimeter}, {"overlap mm", deepest_ / kMillimeter}};
  }

 private:
  World world_;
  OverlapMeter overlap_;
  std::vector<BodyState> start_;
  double off_ = 0.0, deepest_ = 0.0;
  int steps_ = 0;
};

Case sliding_case(const std::string& id, const std::string& scene, bool quick,
                  std::vector<std::string> entrants) {
  Case c;
  c.id = "W9 " + id + " sliding";
  c.scene = scene;
  c.limit_s = 15.0;
  c.quick = quick;
  c.entrants = std::move(entrants);
  c.make_measure = [](const World& world) -> std::unique_ptr<Measure> {
    return std::make_unique<SlidingMeasure>(world);
  };
  return c;
}

}  // namespace

std::vector<Case> sliding_cases() {
  const std::vector<std::string> some = {"ode/quick20",  "ode/step",      "bullet/si10",
                                         "box3d/sub4",   "bullet/si1000", "dart/dantzig",
                                         "mujoco/newton"};
  return {sliding_case("columns 10", "columns_10_sliding.yaml", true, some),
          sliding_case("columns 100", "columns_100_sliding.yaml", false, some),
          sliding_case("wall 105", "wall_105_sliding.yaml", true, some),
          sliding_case("wall 405", "wall_405_sliding.yaml", false, some)};
}

}  // namespace amontons::peers

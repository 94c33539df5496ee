#include "benchmarks/peers/joint_positions.h"
#include "benchmarks/peers/measure.h"
#include "benchmarks/peers/overlap.h"

#include <algorithm>
#include <cmath>

namespace amontons::peers {
namespace {

class QuadrupedMeasure : public Measure {
 public:
  explicit QuadrupedMeasure(const World& world)
      : world_(world), joints_(world_), overlap_(world_) {}

  void observe(double time, const std::vector<BodyState>& states) override {
    for (const double position : joints_.read(states))
      drift_ = std::max(drift_, std::abs(position));
    deepest_ = std::max(deepest_, overlap_.deepest(states));
    // The first body is the trunk. On four sliding feet it loses mu g t, for any landing.
    const double started = world_.moving[0].linear.x();
    const double lost = world_.friction * world_.gravity.norm() * time;
    speed_error_ = states[0].linear.x() - std::max(0.0, started - lost);
  }

  std::vector<Figure> figures() const override {
    constexpr double kMillimeter = 1e-3;
    return {{"joint drift rad", drift_},
            {"speed error m/s", speed_error_},
            {"overlap mm", deepest_ / kMillimeter}};
  }

 private:
  World world_;
  JointPositions joints_;
  OverlapMeter overlap_;
  double drift_ = 0.0, deepest_ = 0.0, speed_error_ = 0.0;
};

Case quadruped_case(const std::string& id,
                    const std::vector<std::pair<std::string, std::string>>& overrides) {
  Case c;
  c.id = id;
  c.scene = "quadruped.yaml";
  c.overrides = overrides;
  c.entrants = {"ode/quick20", "ode/quick1000", "ode/step", "bullet", "box3d", "dart", "mujoco"};
  c.quick = true;
  c.make_measure = [](const World& world) -> std::unique_ptr<Measure> {
    return std::make_unique<QuadrupedMeasure>(world);
  };
  return c;
}

}  // namespace

std::vector<Case> quadruped_cases() {
  return {quadruped_case("W8 stand", {}),
          quadruped_case("W8 slide", {{"materials.rubber.friction", "0.05"},
                                      {"bodies.trunk.velocity", "{linear: [1, 0, 0]}"}})};
}

}  // namespace amontons::peers

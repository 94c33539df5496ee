#include "benchmarks/peers/energy.h"
#include "benchmarks/peers/measure.h"
#include "benchmarks/peers/overlap.h"

#include <algorithm>

namespace amontons::peers {
namespace {

constexpr double kMillimeter = 1e-3;
constexpr double kFallen = 0.1;  // [m] the top cube has come down by half its height

class StackMeasure : public Measure {
 public:
  explicit StackMeasure(const World& world) : world_(world), overlap_(world_) {}

  void observe(double time, const std::vector<BodyState>& states) override {
    if (time == 0.0) start_ = states;
    deepest_ = std::max(deepest_, overlap_.deepest(states));
    drift_ = sink_ = 0.0;
    for (std::size_t i = 0; i < states.size(); ++i) {
      const Eigen::Vector3d moved = states[i].X_WB.translation - start_[i].X_WB.translation;
      drift_ = std::max(drift_, moved.head<2>().norm());
      sink_ = std::max(sink_, -moved.z());
    }
    if (sink_ > kFallen && fell_at_ != fell_at_) fell_at_ = time;
    kinetic_ = kinetic_energy(world_, states);
  }

  std::vector<Figure> figures() const override {
    return {{"drift mm", drift_ / kMillimeter},
            {"sink mm", sink_ / kMillimeter},
            {"overlap mm", deepest_ / kMillimeter},
            {"end energy J", kinetic_},
            {"fell at s", fell_at_}};
  }

 private:
  World world_;
  OverlapMeter overlap_;
  std::vector<BodyState> start_;
  double deepest_ = 0.0, drift_ = 0.0, sink_ = 0.0, kinetic_ = 0.0, fell_at_ = kNotMeasured;
};

Case stack_case(const std::string& id, const std::string& top_mass) {
  Case c;
  c.id = id;
  c.scene = "stack.yaml";
  c.overrides = {{"bodies.top.mass", top_mass}};
  c.quick = true;
  c.limit_s = 12.0;
  c.make_measure = [](const World& world) -> std::unique_ptr<Measure> {
    return std::make_unique<StackMeasure>(world);
  };
  return c;
}

}  // namespace

std::vector<Case> stack_cases() {
  return {stack_case("W3 stack equal", "1"), stack_case("W3 stack 1000 kg top", "1000")};
}

}  // namespace amontons::peers

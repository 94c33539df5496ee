#include "benchmarks/peers/measure.h"
#include "benchmarks/peers/overlap.h"

#include <algorithm>

namespace amontons::peers {
namespace {

constexpr double kRadius = 3.0, kPercent = 100.0;

class PyramidMeasure : public Measure {
 public:
  explicit PyramidMeasure(const World& world) : overlap_(world) {}

  void observe(double time, const std::vector<BodyState>& states) override {
    if (time == 0.0) {
      start_ = states;
      return;
    }
    const double deepest = overlap_.deepest(states) / kRadius * kPercent;
    worst_ = std::max(worst_, deepest);
    sum_ += deepest;
    ++count_;
    moved_ = 0.0;
    for (std::size_t i = 0; i < states.size(); ++i) {
      moved_ = std::max(moved_, (states[i].X_WB.translation - start_[i].X_WB.translation).norm());
    }
  }

  std::vector<Figure> figures() const override {
    return {{"worst overlap %r", worst_},
            {"mean overlap %r", count_ > 0 ? sum_ / count_ : kNotMeasured},
            {"moved m", moved_}};
  }

 private:
  OverlapMeter overlap_;
  std::vector<BodyState> start_;
  double worst_ = 0.0, sum_ = 0.0, moved_ = 0.0;
  int count_ = 0;
};

Case pyramid_case(const std::string& id, const std::string& scene, const std::string& friction,
                  const std::string& step) {
  Case c;
  c.id = "W4 " + id;
  c.scene = scene;
  c.overrides = {{"materials.stone.friction", friction}, {"simulation.step", step}};
  c.quick = true;
  c.make_measure = [](const World& world) -> std::unique_ptr<Measure> {
    return std::make_unique<PyramidMeasure>(world);
  };
  return c;
}

}  // namespace

// At friction 0.3 the free pyramid must collapse (statics: 21 discs rest from 0.513 on), so that
// only the overlap is an error. At 0.6 rest is a solution, so motion is the error.
std::vector<Case> pyramid_cases() {
  return {pyramid_case("free mu 0.3 h 50 ms", "pyramid.yaml", "0.3", "0.05"),
          pyramid_case("braced h 50 ms", "pyramid_braced.yaml", "0.3", "0.05"),
          pyramid_case("braced h 5 ms", "pyramid_braced.yaml", "0.3", "0.005"),
          pyramid_case("free mu 0.6 h 50 ms", "pyramid.yaml", "0.6", "0.05")};
}

}  // namespace amontons::peers

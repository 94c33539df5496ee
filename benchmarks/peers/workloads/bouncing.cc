#include "benchmarks/peers/measure.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace amontons::peers {
namespace {

constexpr double kRadius = 0.1, kDrop = 1.0, kLowestApex = 0.01;
constexpr std::size_t kRatios = 4;

// Heights between bounces are parabolas; an apex is the vertex through the three highest samples.
class BouncingMeasure : public Measure {
 public:
  explicit BouncingMeasure(const World& world) : world_(world) {}

  void observe(double time, const std::vector<BodyState>& states) override {
    const double gap = states[0].X_WB.translation.z() - kRadius;
    deepest_ = std::min(deepest_, gap);
    if (num_samples_ >= 2 && window_[1] > window_[0] && window_[1] >= gap) add_apex(gap);
    window_ = {window_[1], gap};
    num_samples_ = std::min(num_samples_ + 1, 2);
    finished_ = time > world_.duration - 0.5 * world_.step;
  }

  std::vector<Figure> figures() const override {
    return {{"apex ratio error", apexes_.empty() ? kNotMeasured : worst_ratio_error()},
            {"apexes", static_cast<double>(apexes_.size())},
            {"deepest mm", deepest_ * 1e3},
            {"final gap m", finished_ ? window_[1] : kNotMeasured}};
  }

 private:
  void add_apex(double next) {
    const double curvature = window_[0] - 2.0 * window_[1] + next;
    const double slope = 0.5 * (next - window_[0]);
    const double apex = window_[1] - (curvature < 0.0 ? 0.5 * slope * slope / curvature : 0.0);
    if (apex > kLowestApex) apexes_.push_back(apex);
  }

  // Relative to e^2, over the first four bounces that reach 1 cm.
  double worst_ratio_error() const {
    const double expected = world_.restitution * world_.restitution;
    double worst = 0.0, previous = kDrop;
    for (std::size_t i = 0; i < std::min(apexes_.size(), kRatios); ++i) {
      worst = std::max(worst, std::abs(apexes_[i] / previous / expected - 1.0));
      previous = apexes_[i];
    }
    return worst;
  }

  World world_;
  std::array<double, 2> window_{};
  std::vector<double> apexes_;
  double deepest_ = kDrop;
  int num_samples_ = 0;
  bool finished_ = false;
};

Case bouncing_case(const std::string& restitution, const std::string& step,
                   const std::string& step_name) {
  Case c;
  c.id = "W6 bounce e " + restitution + " h " + step_name;
  c.scene = "bouncing.yaml";
  c.overrides = {{"materials.stone.restitution", restitution}, {"simulation.step", step}};
  c.quick = step != "0.0001";
  c.make_measure = [](const World& world) -> std::unique_ptr<Measure> {
    return std::make_unique<BouncingMeasure>(world);
  };
  return c;
}

}  // namespace

std::vector<Case> bouncing_cases() {
  return {bouncing_case("0.5", "0.001", "1 ms"), bouncing_case("0.9", "0.001", "1 ms"),
          bouncing_case("0.9", "0.0001", "0.1 ms"), bouncing_case("0.9", "0.01", "10 ms")};
}

}  // namespace amontons::peers

#include "benchmarks/peers/measure.h"

#include <cmath>

namespace amontons::peers {
namespace {

constexpr double kAngle = 30.0 * 3.14159265358979323846 / 180.0;

// The ramp's directions are those of the box at the start: x down the slope, y across it.
class RampMeasure : public Measure {
 public:
  RampMeasure(const World& world, bool slides) : world_(world), slides_(slides) {}

  void observe(double time, const std::vector<BodyState>& states) override {
    if (time == 0.0) start_ = states[0].X_WB;
    moved_ = start_.rotation.transpose() * (states[0].X_WB.translation - start_.translation);
    if (time > 0.0) ++steps_;
  }

  // Sliding is compared with semi-implicit Euler steps of the exact acceleration:
  // x = a h^2 N (N + 1) / 2, which is h / T = 5e-4 above the continuous solution.
  std::vector<Figure> figures() const override {
    if (!slides_) return {{"creep m", moved_.x()}, {"sideways m", moved_.y()}};
    const double acceleration =
        -world_.gravity.z() * (std::sin(kAngle) - world_.friction * std::cos(kAngle));
    const double expected = 0.5 * acceleration * world_.step * world_.step * steps_ * (steps_ + 1);
    return {{"slid distance rel", moved_.x() / expected - 1.0}, {"sideways m", moved_.y()}};
  }

 private:
  World world_;
  bool slides_;
  Pose start_;
  Eigen::Vector3d moved_ = Eigen::Vector3d::Zero();
  double steps_ = 0.0;
};

Case ramp_case(const std::string& yaw, const std::string& scene, bool slides) {
  Case c;
  c.id = std::string("W1 ") + (slides ? "slide" : "stick") + " yaw " + yaw;
  c.scene = scene;
  if (!slides) c.overrides = {{"materials.stone.friction", "0.7"}};
  c.quick = true;
  c.make_measure = [slides](const World& world) -> std::unique_ptr<Measure> {
    return std::make_unique<RampMeasure>(world, slides);
  };
  return c;
}

}  // namespace

std::vector<Case> ramp_cases() {
  return {ramp_case("0", "ramp.yaml", true), ramp_case("30", "ramp_yaw30.yaml", true),
          ramp_case("0", "ramp.yaml", false), ramp_case("30", "ramp_yaw30.yaml", false)};
}

}  // namespace amontons::peers

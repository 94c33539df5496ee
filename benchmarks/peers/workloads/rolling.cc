#include "benchmarks/peers/measure.h"

#include <Eigen/Geometry>

#include <cmath>

namespace amontons::peers {
namespace {

constexpr double kRadius = 0.1, kSlipFraction = 0.01;

// Slip v - w x r n falls at 7/2 mu g; rolling begins at speed 5/7 v0.
class RollingMeasure : public Measure {
 public:
  explicit RollingMeasure(const World& world) : world_(world) {}

  void observe(double time, const std::vector<BodyState>& states) override {
    const BodyState& ball = states[0];
    if (time == 0.0) start_ = ball;
    const Eigen::Vector3d arm(0.0, 0.0, -kRadius);
    const double slip = (ball.linear + ball.angular.cross(arm)).head<2>().norm();
    const double threshold = kSlipFraction * start_.linear.norm();
    if (slip <= threshold && !(rolls_at_ >= 0.0)) {
      // Slip is linear between the steps.
      rolls_at_ = time - (time - last_time_) * (threshold - slip) / (last_slip_ - slip);
    }
    last_slip_ = slip;
    last_time_ = time;
    last_ = ball;
  }

  std::vector<Figure> figures() const override {
    const double launch = start_.linear.norm();
    const double g = world_.gravity.norm();
    const double expected_time = (1.0 - kSlipFraction) * launch / (3.5 * world_.friction * g);
    const Eigen::Vector3d heading = start_.linear / launch;
    const Eigen::Vector3d moved = last_.X_WB.translation - start_.X_WB.translation;
    return {{"rolling time rel", rolls_at_ / expected_time - 1.0},
            {"final speed rel", last_.linear.head<2>().norm() / (5.0 / 7.0 * launch) - 1.0},
            {"sideways m", heading.x() * moved.y() - heading.y() * moved.x()}};
  }

 private:
  World world_;
  BodyState start_, last_;
  double rolls_at_ = kNotMeasured, last_slip_ = 0.0, last_time_ = 0.0;
};

Case rolling_case(const std::string& yaw, const std::string& scene, const std::string& step,
                  const std::string& step_name) {
  Case c;
  c.id = "W5 rolling yaw " + yaw + " h " + step_name;
  c.scene = scene;
  c.overrides = {{"simulation.step", step}};
  c.quick = true;
  c.make_measure = [](const World& world) -> std::unique_ptr<Measure> {
    return std::make_unique<RollingMeasure>(world);
  };
  return c;
}

}  // namespace

std::vector<Case> rolling_cases() {
  return {rolling_case("0", "rolling.yaml", "0.001", "1 ms"),
          rolling_case("30", "rolling_yaw30.yaml", "0.001", "1 ms"),
          rolling_case("0", "rolling.yaml", "0.01", "10 ms"),
          rolling_case("30", "rolling_yaw30.yaml", "0.01", "10 ms")};
}

}  // namespace amontons::peers

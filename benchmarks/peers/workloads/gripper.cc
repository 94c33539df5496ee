#include "benchmarks/peers/measure.h"

#include <algorithm>
#include <cmath>

namespace amontons::peers {
namespace {

// The box of the experiment `gripper` between its fingers. After the first second the fingers have
// closed, and the box must move with the palm.
class GripMeasure : public Measure {
 public:
  explicit GripMeasure(const World& world) {
    const auto index_of = [&world](const std::string& name) {
      const auto it = std::find_if(world.moving.begin(), world.moving.end(),
                                   [&name](const WorldBody& body) { return body.name == name; });
      return static_cast<std::size_t>(it - world.moving.begin());
    };
    box_ = index_of("box");
    palm_ = index_of("palm");
  }

  void observe(double time, const std::vector<BodyState>& states) override {
    constexpr double kClosed = 1.0;  // [s]
    const Eigen::Vector3d place = states[box_].X_WB.translation - states[palm_].X_WB.translation;
    if (time < kClosed) {
      in_grip_ = place;
      return;
    }
    creep_ = (place - in_grip_).norm();
    constexpr double kLost = 0.04;  // pads 0.02 m high have then slid off a box of 0.06 m
    if (creep_ > kLost && std::isnan(lost_)) lost_ = time;
    slip_ = std::max(slip_, (states[box_].linear - states[palm_].linear).norm());
  }

  std::vector<Figure> figures() const override {
    constexpr double kMillimeter = 1e-3;
    return {{"creep mm", creep_ / kMillimeter}, {"slip speed m/s", slip_}, {"lost at s", lost_}};
  }

 private:
  std::size_t box_ = 0, palm_ = 0;
  Eigen::Vector3d in_grip_ = Eigen::Vector3d::Zero();
  double creep_ = 0.0, slip_ = 0.0, lost_ = kNotMeasured;
};

Case gripper_case(const std::string& id, const std::string& step) {
  Case c;
  c.id = id;
  c.scene = "gripper.yaml";
  c.overrides = {{"simulation.step", step}};
  c.entrants = {"bullet", "mujoco"};
  c.quick = true;
  c.make_measure = [](const World& world) -> std::unique_ptr<Measure> {
    return std::make_unique<GripMeasure>(world);
  };
  return c;
}

}  // namespace

std::vector<Case> gripper_cases() {
  return {gripper_case("gripper h 1 ms", "0.001"), gripper_case("gripper h 2 ms", "0.002")};
}

}  // namespace amontons::peers

#include "benchmarks/peers/energy.h"
#include "benchmarks/peers/joint_positions.h"
#include "benchmarks/peers/measure.h"

#include <algorithm>
#include <cmath>

namespace amontons::peers {
namespace {

class HoldMeasure : public Measure {
 public:
  explicit HoldMeasure(const World& world) : world_(world), joints_(world_) {}

  void observe(double time, const std::vector<BodyState>& states) override {
    constexpr double kAsPublished = 5.0;  // [s] duration of the published results of peers
    for (const double position : joints_.read(states))
      drift_ = std::max(drift_, std::abs(position));
    if (time <= kAsPublished) early_ = drift_;
  }

  std::vector<Figure> figures() const override {
    return {{"drift rad", drift_}, {"drift in 5 s rad", early_}};
  }

 private:
  World world_;
  JointPositions joints_;
  double drift_ = 0.0, early_ = 0.0;
};

// Compares the stopping angle with that of the same steps of semi-implicit Euler without rounding.
class SpinDownMeasure : public Measure {
 public:
  explicit SpinDownMeasure(const World& world) : world_(world), joints_(world_) {
    const WorldJoint& bearing = world_.joints[0];
    const double loss = world_.step * bearing.friction / world_.moving[0].inertia.z();
    for (double rate = bearing.rate; rate > 0.0;) {
      rate = std::max(0.0, rate - loss);
      expected_ += world_.step * rate;
    }
  }

  void observe(double, const std::vector<BodyState>& states) override {
    angle_ = joints_.read(states)[0];
    rate_ = states[0].angular.norm();
  }

  std::vector<Figure> figures() const override {
    return {{"stopping angle rel", angle_ / expected_ - 1.0}, {"end rate rad/s", rate_}};
  }

 private:
  World world_;
  JointPositions joints_;
  double expected_ = 0.0, angle_ = 0.0, rate_ = 0.0;
};

// The arm falls and swings; nothing adds energy.
class SwingMeasure : public Measure {
 public:
  explicit SwingMeasure(const World& world) : world_(world) {
    for (const WorldBody& body : world_.moving) {
      scale_ += body.mass * world_.gravity.norm() * body.X_WB.translation.x();
    }
  }

  void observe(double time, const std::vector<BodyState>& states) override {
    const double energy = kinetic_energy(world_, states) + potential_energy(world_, states);
    if (time == 0.0) start_ = energy;
    highest_ = std::max(highest_, energy - start_);
    left_ = energy - start_;
  }

  std::vector<Figure> figures() const override {
    return {{"energy gained rel", highest_ / scale_}, {"energy at the end rel", left_ / scale_}};
  }

 private:
  World world_;
  double scale_ = 0.0;  // [J] energy of the hanging arm, below its start
  double start_ = 0.0, highest_ = 0.0, left_ = 0.0;
};

template <typename Own>
Case joint_case(const std::string& id, const std::string& scene, const std::string& step) {
  Case c;
  c.id = id;
  c.scene = scene;
  c.overrides = {{"simulation.step", step}};
  c.entrants = {"ode/quick20", "ode/quick1000", "ode/step", "bullet", "box3d", "dart", "mujoco"};
  c.quick = true;
  c.make_measure = [](const World& world) -> std::unique_ptr<Measure> {
    return std::make_unique<Own>(world);
  };
  return c;
}

}  // namespace

std::vector<Case> joint_friction_cases() {
  return {joint_case<HoldMeasure>("W7 hold h 1 ms", "arm.yaml", "0.001"),
          joint_case<HoldMeasure>("W7 hold h 10 ms", "arm.yaml", "0.01"),
          joint_case<HoldMeasure>("W7 hold h 100 ms", "arm.yaml", "0.1"),
          joint_case<SwingMeasure>("W7 swing h 1 ms", "arm_swinging.yaml", "0.001"),
          joint_case<SpinDownMeasure>("W7 spin-down h 1 ms", "spin_down.yaml", "0.001"),
          joint_case<SpinDownMeasure>("W7 spin-down h 10 ms", "spin_down.yaml", "0.01"),
          joint_case<SpinDownMeasure>("W7 spin-down h 100 ms", "spin_down.yaml", "0.1")};
}

}  // namespace amontons::peers

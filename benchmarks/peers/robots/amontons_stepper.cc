#include "amontons/math/solve_status.h"
#include "amontons/simulation/simulator.h"
#include "benchmarks/peers/robots/robot_stepper.h"

#include <utility>

namespace amontons::peers {
namespace {

Scene with_tolerance(Scene scene, double tolerance) {
  scene.simulation.tolerance = tolerance;
  return scene;
}

class AmontonsStepper : public RobotStepper {
 public:
  AmontonsStepper(Scene scene, double tolerance)
      : simulator_(with_tolerance(std::move(scene), tolerance), 1) {}

  void reset() override {
    simulator_.reset();
    last_solution_ = 0;
  }
  void step() override { simulator_.step(); }

  RobotStep observe_step() override {
    RobotStep result;
    StepClock clock;
    const StepReport& report = simulator_.step();
    result.times = clock.times();
    result.num_contacts = static_cast<int>(report.problem.num_contacts());
    result.missed = !report.certificate.holds;
    result.is_weaker = !answers_law_asked(report.solution.status);
    result.is_repeat = report.solution_number != 0 && report.solution_number == last_solution_;
    last_solution_ = report.solution_number;
    return result;
  }

 private:
  Simulator simulator_;
  std::int64_t last_solution_ = 0;
};

}  // namespace

std::unique_ptr<RobotStepper> make_amontons_stepper(Scene scene, double tolerance) {
  return std::make_unique<AmontonsStepper>(std::move(scene), tolerance);
}

}  // namespace amontons::peers

#include "benchmarks/peers/engines/mujoco_handles.h"
#include "benchmarks/peers/engines/mujoco_model.h"
#include "benchmarks/peers/robots/robot_stepper.h"

#include <chrono>
#include <stdexcept>

namespace amontons::peers {
namespace {

// MuJoCo's own handlers print, write a log file and end the program.
void ignore_warning(const char*) {}
void throw_error(const char* message) { throw std::runtime_error(message); }

mjtNum wall_time_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Returns the sums that MuJoCo's timers have reached, by the parts of Amontons [s].
StepTimes parts_of(const mjData& data) {
  const auto seconds = [&data](mjtTimer timer) { return data.timer[timer].duration; };
  StepTimes times;
  times[StepPart::Collision] = seconds(mjTIMER_POS_COLLISION);
  times[StepPart::Dynamics] = seconds(mjTIMER_POS_KINEMATICS) + seconds(mjTIMER_POS_INERTIA) +
                              seconds(mjTIMER_VELOCITY) + seconds(mjTIMER_ACTUATION) +
                              seconds(mjTIMER_ACCELERATION);
  times[StepPart::Assembly] = seconds(mjTIMER_POS_MAKE) + seconds(mjTIMER_POS_PROJECT);
  times[StepPart::Solve] = seconds(mjTIMER_CONSTRAINT);
  double known = 0.0;
  for (const double part : times.seconds) known += part;
  times[StepPart::Other] = seconds(mjTIMER_STEP) - known;
  return times;
}

class MujocoStepper : public RobotStepper {
 public:
  explicit MujocoStepper(const World& world) {
    mju_user_warning = ignore_warning;
    mju_user_error = throw_error;
    model_ = load_mujoco_model(mujoco_model(world, {}));
    data_.reset(mj_makeData(model_.get()));
    if (!data_) throw std::runtime_error("MuJoCo: no memory for the data of this model");
  }

  void reset() override { mj_resetData(model_.get(), data_.get()); }
  void step() override { mj_step(model_.get(), data_.get()); }

  RobotStep observe_step() override {
    // Its timers run where a clock is given.
    const int before = num_warnings();
    const StepTimes start = parts_of(*data_);
    mjcb_time = wall_time_s;
    step();
    mjcb_time = nullptr;
    RobotStep result;
    result.num_contacts = data_->ncon;
    result.missed = num_warnings() > before;
    result.times = parts_of(*data_);
    for (std::size_t part = 0; part < kNumStepParts; ++part) {
      result.times.seconds[part] -= start.seconds[part];
    }
    return result;
  }

 private:
  int num_warnings() const {
    int count = 0;
    for (const mjWarningStat& warning : data_->warning) count += warning.number;
    return count;
  }

  MujocoModel model_;
  MujocoData data_;
};

}  // namespace

std::unique_ptr<RobotStepper> make_mujoco_stepper(const World& world) {
  return std::make_unique<MujocoStepper>(world);
}

}  // namespace amontons::peers

#include "python/bindings/rollout/motion_batch.h"

#include "amontons/math/named_index.h"
#include "amontons/simulation/system/divergence_error.h"

#include <limits>
#include <stdexcept>
#include <utility>

namespace amontons::python {
namespace {

/// Calls a function; errors then begin with the motion.
template <typename Function>
void name_motion(int motion, const Function& function) {
  const std::string place = "rollout, start " + std::to_string(motion) + ": ";
  try {
    function();
  } catch (const UnknownNameError& error) {
    throw UnknownNameError(place + error.what());
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(place + error.what());
  } catch (const DivergenceError& error) {
    throw DivergenceError(place + error.what());
  }
}

}  // namespace

MotionBatch::MotionBatch(const std::vector<const Scene*>& scenes,
                         const std::vector<SavedState>& starts,
                         const OverriddenProperties& overridden, std::vector<std::string> servos,
                         int num_threads)
    : motions_(scenes.size()), servos_(std::move(servos)), pool_(num_threads) {
  if (!starts.empty() && starts.size() != scenes.size()) {
    throw std::invalid_argument("rollout: " + std::to_string(starts.size()) + " states, but " +
                                std::to_string(scenes.size()) + " motions");
  }
  pool_.run(num_motions(), [&](int i, int) {
    const auto index = static_cast<std::size_t>(i);
    name_motion(i, [&] {
      // Serial inside: the motions fill the threads.
      motions_[index].simulator = std::make_unique<Simulator>(*scenes[index], 1);
      if (starts.empty()) return;
      SavedState start = starts[index];
      overridden.apply(motions_[index].simulator->system(), start.state.changes);
      restore(*motions_[index].simulator, start);
    });
  });
  if (motions_.empty()) return;
  const System& first = motions_.front().simulator->system();
  q_.resize(num_motions(), first.num_positions());
  v_.resize(num_motions(), first.num_velocities());
  time_.resize(num_motions());
  holds_ = Eigen::VectorXd::Zero(num_motions());
  for (int i = 0; i < num_motions(); ++i) {
    const System& own = motions_[static_cast<std::size_t>(i)].simulator->system();
    if (own.num_positions() != q_.cols() || own.num_velocities() != v_.cols()) {
      throw std::invalid_argument("rollout, start " + std::to_string(i) + ": its scene has " +
                                  std::to_string(own.num_positions()) + " positions and " +
                                  std::to_string(own.num_velocities()) +
                                  " velocities, that of start 0 has " + std::to_string(q_.cols()) +
                                  " and " + std::to_string(v_.cols()) +
                                  "; move scenes of one size together");
    }
    note(i);
  }
}

void MotionBatch::read(const std::vector<std::string>& sensors) {
  if (motions_.empty()) return;
  const std::vector<BatchSensor>& first = motions_.front().sensors;
  for (const std::string& name : sensors) {
    // Each scene has places of its own for what names say.
    for (int i = 0; i < num_motions(); ++i) {
      Motion& motion = motions_[static_cast<std::size_t>(i)];
      name_motion(i, [&] {
        motion.sensors.emplace_back(motion.simulator->system(), name);
        if (motion.sensors.back().size() == first.back().size()) return;
        throw std::invalid_argument("sensor '" + name + "' has another size than in start 0");
      });
    }
    // Before the first step, what the states have.
    readings_.emplace_back(num_motions(), first.back().size());
    for (int i = 0; i < num_motions(); ++i) {
      const Motion& motion = motions_[static_cast<std::size_t>(i)];
      StepReport still;
      still.end = &motion.simulator->state();
      readings_.back().row(i) =
          motion.sensors.back().read(motion.simulator->system(), still).transpose();
    }
  }
}

void MotionBatch::step(const View& efforts, const View& targets) {
  if (!is_under_way_) ++goal_;
  is_under_way_ = true;
  pool_.run(num_motions(), [&](int i, int) {
    Motion& motion = motions_[static_cast<std::size_t>(i)];
    if (motion.steps == goal_) return;
    name_motion(i, [&] {
      if (motion.has_commands_of_start && (efforts.cols() > 0 || targets.cols() > 0)) {
        motion.has_commands_of_start = false;
        end_commands(*motion.simulator);
      }
      if (efforts.cols() > 0) motion.simulator->set_efforts(efforts.row(i).transpose());
      for (Eigen::Index k = 0; k < targets.cols(); ++k) {
        motion.simulator->set_servo_target(servos_[static_cast<std::size_t>(k)], targets(i, k));
      }
      const StepReport& report = motion.simulator->step();
      ++motion.steps;
      holds_[i] = report.certificate.holds ? 1.0 : 0.0;
      note(i);
      for (std::size_t s = 0; s < motion.sensors.size(); ++s) {
        readings_[s].row(i) =
            motion.sensors[s].read(motion.simulator->system(), report).transpose();
      }
    });
  });
  is_under_way_ = false;
}

void MotionBatch::note(int motion) {
  const State& state = motions_[static_cast<std::size_t>(motion)].simulator->state();
  q_.row(motion) = state.q.transpose();
  v_.row(motion) = state.v.transpose();
  time_[motion] = state.time;
}

}  // namespace amontons::python

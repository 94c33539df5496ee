#pragma once

#include "amontons/math/step_times.h"
#include "benchmarks/peers/robots/colliding_robot.h"

#include <memory>

namespace amontons::peers {

/// Describes one step.
struct RobotStep {
  int num_contacts = 0;    ///< contacts that the engine solves for
  bool missed = false;     ///< Amontons: the certificate fails; MuJoCo: a warning
  bool is_weaker = false;  ///< Amontons: a weaker law than the one asked for holds
  bool is_repeat = false;  ///< Amontons: nothing moves, and the last solution is kept
  /// Holds wall times of its parts [s]. MuJoCo's certificate is none, and its integration is Other.
  StepTimes times;
};

/// Steps one robot in one engine.
class RobotStepper {
 public:
  virtual ~RobotStepper() = default;

  /// Returns to the start.
  virtual void reset() = 0;
  /// Takes one step, which is all that the timing measures.
  virtual void step() = 0;
  /// Takes one step and describes it; outside the timing.
  virtual RobotStep observe_step() = 0;
};

/// Steps the scene itself on one thread.
/// @param tolerance  limit of the certificate's residuals [-].
std::unique_ptr<RobotStepper> make_amontons_stepper(Scene scene, double tolerance);

/// Steps the reduced robot with MuJoCo's default settings.
std::unique_ptr<RobotStepper> make_mujoco_stepper(const World& world);

}  // namespace amontons::peers

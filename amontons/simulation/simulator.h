#pragma once

#include "amontons/simulation/scene/scene.h"
#include "amontons/simulation/system/state.h"
#include "amontons/simulation/system/step_report.h"
#include "amontons/simulation/system/system.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace amontons {

struct TimeSteppingSettings;  // simulation/stepping/time_stepping_settings.h

/// Steps a scene through time.
///
///   amontons::Simulator sim(scene);
///   while (sim.time() < 2.0) { const amontons::StepReport& report = sim.step(); }
class Simulator {
 public:
  /// @param num_threads  that share the islands of a step; 0: one per processor. The motion is the
  /// same bits for any number.
  /// @throws std::invalid_argument naming what is wrong with the scene.
  explicit Simulator(const Scene& scene, int num_threads = 0);
  ~Simulator();
  Simulator(Simulator&&) noexcept;             ///< moves
  Simulator& operator=(Simulator&&) noexcept;  ///< moves

  const System& system() const;        ///< what moves
  const State& state() const;          ///< at the end of the last step
  void set_state(const State& state);  ///< Goes on from another state; time is the state's.
  /// Positions [nq] and velocities [nv]; time goes on, and contacts start without a guess.
  void set_state(const Eigen::VectorXd& q, const Eigen::VectorXd& v);
  /// Goes on from a state that an earlier run of this scene had reached, bit for bit; unlike after
  /// set_state(), the log takes it for what the row before left, and a run that had stopped at its
  /// infeasibility is finished.
  void resume(const State& state);
  /// Back to the scene's start: its state, its targets, no commands.
  void reset();

  // Commands hold until they are changed. Names are of joints and bodies as in the scene; these
  // functions throw std::invalid_argument for one that is not there or cannot be driven.
  /// Effort along a joint of one coordinate, besides what the scene gives [N m or N].
  void set_effort(const std::string& joint, double effort);
  /// Along all coordinates [nv].
  void set_efforts(const Eigen::VectorXd& efforts);
  /// Of the scene's servo on that joint, which follows no trajectory.
  void set_servo_target(const std::string& joint, double target, double target_rate = 0.0);
  /// Force [N] at the point at_B of a moving body, and torque [N m], in world axes.
  void set_wrench(const std::string& body, const Eigen::Vector3d& force_W,
                  const Eigen::Vector3d& torque_W = Eigen::Vector3d::Zero(),
                  const Eigen::Vector3d& at_B = Eigen::Vector3d::Zero());

  /// Called before every step to read the state and give commands; it must not step. Motion stays
  /// a function of the scene and the controller alone. An empty function ends it. A run records the
  /// commands of each step, so that it can be verified without the controller.
  using Controller = std::function<void(Simulator&)>;
  void set_controller(Controller controller);   ///< It is called before every step; empty: none.
  double time() const { return state().time; }  ///< [s]

  const TimeSteppingSettings& settings() const;  ///< as the scene and the model have them

  /// True once the scene's duration is reached, or its infeasibility (stop_at_infeasibility).
  bool finished() const;

  /// True if the last step has ended the run before its time by simulation.stop_at_infeasibility.
  bool stopped_at_infeasibility() const;

  /// The initial state as a report without contacts: row 0 of a run.
  StepReport initial_report() const;

  /// Takes one step. The report stays valid until the next call.
  /// @throws DivergenceError if a velocity leaves all bounds; the state is then that before the
  /// step.
  const StepReport& step();

  /// The report of the last step, to keep: while it is held, but for `start` and `end`, it does not
  /// change. Nothing is copied; the next step fills another, or one that was given back. Null
  /// before the first step.
  std::shared_ptr<const StepReport> last_report() const;

  /// Observers are called at the end of each step, in the order of their addition.
  void add_observer(Observer& observer);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace amontons

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

class ContactModel;           // models/common/contact_model.h
struct StepKinematics;        // simulation/stepping/step_kinematics.h
struct TimeSteppingSettings;  // simulation/stepping/time_stepping_settings.h

/// Steps a scene through time.
///
///   amontons::Simulator sim(scene);
///   while (sim.time() < 2.0) { const amontons::StepReport& report = sim.step(); }
///
/// A simulator serves one thread at a time. While a step is solved, functions that change it, that
/// step it or that ask for its report throw std::invalid_argument: a solver or another thread has
/// called them.
class Simulator {
 public:
  /// @param num_threads  number of threads for the islands of a step; 0: one per processor. The
  /// motion is the same bits for any number.
  /// @throws std::invalid_argument naming what is wrong with the scene.
  explicit Simulator(const Scene& scene, int num_threads = 0);
  ~Simulator();
  Simulator(Simulator&&) noexcept;             ///< moves
  Simulator& operator=(Simulator&&) noexcept;  ///< moves

  const System& system() const;  ///< the moving system
  /// Returns true if a scene has the text, overrides and files of the one that is simulated. A run
  /// may record that scene alone.
  bool simulates(const Scene& scene) const;
  const State& state() const;  ///< state at the end of the last step
  /// Continues from another state; time is that of the state.
  void set_state(const State& state);
  /// Sets positions [nq] and velocities [nv]. Time continues, and contacts start without a guess.
  /// @throws std::invalid_argument also for a velocity of a body that is parked.
  void set_state(const Eigen::VectorXd& q, const Eigen::VectorXd& v);
  /// Continues from a state that an earlier run of this scene has reached, bit for bit. Unlike
  /// set_state(), it marks the state as the last step's result in the log. A run that has stopped
  /// at its infeasibility is finished.
  void resume(const State& state);
  /// Returns to the scene's start: its state, its targets, no commands.
  void reset();

  // Commands hold until they are changed. Joints and bodies have the names of the scene. These
  // functions throw std::invalid_argument for a name that is missing or cannot be driven.

  /// Sets the effort along a joint of one coordinate, besides those of the scene [N m or N].
  void set_effort(const std::string& joint, double effort);
  /// Sets the efforts along all coordinates [nv] [N m or N]; zero along bodies that are parked.
  void set_efforts(const Eigen::VectorXd& efforts);
  /// Sets the targets of the scene's servo on that joint, which must not follow a trajectory. They
  /// are a position [rad or m] and a rate [rad/s or m/s].
  void set_servo_target(const std::string& joint, double target, double target_rate = 0.0);
  /// Sets the control of a muscle of a model, model/actuator, from now on [-]; its activation
  /// follows. Controls beyond the muscle's range count as its ends. The state holds controls, so
  /// that one that is set again brings its own.
  void set_control(const std::string& muscle, double control);
  /// Sets the force [N] at the point at_B [m] of a moving body, and the torque [N m], in world
  /// axes. A body that is parked takes none but zero.
  void set_wrench(const std::string& body, const Eigen::Vector3d& force_W,
                  const Eigen::Vector3d& torque_W = Eigen::Vector3d::Zero(),
                  const Eigen::Vector3d& at_B = Eigen::Vector3d::Zero());

  /// Changes a property of the system from the next step on, until it is changed again or reset()
  /// returns to the scene's (simulation/property_changes.h makes changes from names). The state
  /// holds all changes: a state that is set again brings its own. A run records them.
  /// @throws std::invalid_argument for an index or a value that the property cannot have.
  void change(const PropertyChange& change);

  /// Sets the model that solves the following steps, in place of the scene's; null: the scene's.
  /// @throws std::invalid_argument for a model that the scene's method cannot use.
  void set_model(std::shared_ptr<const ContactModel> model);

  /// Reads the state and gives commands; it runs at the start of every step and must not step. It
  /// may set another controller, which the next step calls.
  /// Motion stays a function of the scene and the controller alone. An empty function removes it. A
  /// run records the commands of each step, so that it can be verified without the controller.
  using Controller = std::function<void(Simulator&)>;
  /// Sets the function to call at the start of every step; empty: none.
  void set_controller(Controller controller);
  double time() const { return state().time; }  ///< [s]

  const SimulationSettings& scene_settings() const;  ///< settings as the scene gives them
  const TimeSteppingSettings& settings() const;  ///< settings of the scene with the model's presets

  /// Returns true once the scene's duration or its infeasibility limit (stop_at_infeasibility) is
  /// reached.
  bool finished() const;

  /// Returns true if the last step has ended the run early by simulation.stop_at_infeasibility.
  bool stopped_at_infeasibility() const;

  /// Returns the initial state as a report without contacts: row 0 of a run.
  StepReport initial_report() const;

  /// Takes one step. The report stays valid until the next call.
  /// @throws DivergenceError if a velocity leaves all bounds; the state then is that of the step's
  /// start.
  /// @throws std::invalid_argument where a controller calls it.
  const StepReport& step();

  /// Returns the report of the last step, to keep. It does not change while the caller holds it,
  /// except for `start` and `end`. Nothing is copied: the next step fills another report, or a
  /// released one. Returns null if no step has been taken, or the last one has failed.
  std::shared_ptr<const StepReport> last_report() const;

  /// Returns the kinematics that the last step has computed, so that nobody computes them again.
  /// They are valid until the simulator changes. None are known after a change of state or
  /// properties, within a step, and by methods that do not keep them.
  StepKinematics last_kinematics() const;

  /// Observers are called at the end of each step, in the order of their addition.
  void add_observer(Observer& observer);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace amontons

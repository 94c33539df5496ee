#pragma once

#include "amontons/simulation/scene.h"
#include "amontons/simulation/state.h"
#include "amontons/simulation/step_report.h"
#include "amontons/simulation/system.h"

#include <memory>
#include <vector>

namespace amontons {

struct TimeSteppingSettings;  // simulation/time_stepper.h

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
  Simulator(Simulator&&) noexcept;
  Simulator& operator=(Simulator&&) noexcept;

  const System& system() const;
  const State& state() const;
  void set_state(const State& state);
  double time() const { return state().time; }

  const TimeSteppingSettings& settings() const;

  /// True once the scene's duration is reached.
  bool finished() const;

  /// The initial state as a report without contacts: row 0 of a run.
  StepReport initial_report() const;

  /// Takes one step. The report stays valid until the next call.
  /// @throws DivergenceError if a velocity leaves all bounds; the state is then that before the
  /// step.
  const StepReport& step();

  /// Observers are called at the end of each step, in the order of their addition.
  void add_observer(Observer& observer);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace amontons

#pragma once

#include "amontons/simulation/events/event_stepper.h"

namespace amontons {

/// Implements the hybrid method [Son, Trinkle, Amato 2001]: at each instant each contact is either
/// *bouncing* or *sustained* (the paper's *steady*).
///
/// A contact bounces while e times its approach speed exceeds rest_speed. If the scene gives none,
/// this is 2 g h, h its longest step. The impact model resolves bouncing contacts at their time of
/// impact, without the others; it is `mirtich` unless the scene says otherwise. The scene's model
/// solves sustained contacts as a time step would, without restitution. A sustained contact may
/// approach faster than rest_speed, after impulses or as it lands. One solve with h = 0 stops it at
/// once.
///
/// Where a contact lands that does not bounce, the motion ends only if the approach is faster than
/// rest_speed and the events since the last instant of the steps are few (4). All others land
/// within a motion, across their gaps, as in time stepping: in a crowd each landing would end a
/// motion of all bodies.
///
/// Between impacts the method is that of event-driven simulation: an integrator moves trees that
/// touch nothing, and shapes do not pass through each other. A step whose certificate does not hold
/// is repeated with half its length (step_halving.h).
///
/// The state alone decides, so that a run can be resumed and verified step by step. StepEvents
/// counts the pairs of shapes that change, and the modes of contacts show Impact while they bounce.
/// See docs/theory/events.md.
class HybridStepper final : public EventStepper {
 public:
  using EventStepper::EventStepper;

 private:
  StepKind next_step_kind(const State& state) const override;
  void choose_contacts(StepKind kind, const State& state,
                       StepEvaluation& evaluation) const override;
  bool lands_in_step(const State& state, double approach, double restitution) const override;
  bool accepts(const StepReport& report) const override;
  void note_transitions(const State& start, const State& end, StepReport& report) const override;

  /// Returns true if a touching contact bounces.
  bool bounces(const State& state, std::size_t contact) const;
};

}  // namespace amontons

#pragma once

#include "amontons/simulation/events/event_stepper.h"

namespace amontons {

/// The hybrid method [Son, Trinkle, Amato 2001]: each contact is *bouncing* or *steady*, by
/// itself and at each instant anew.
///
/// A contact bounces while the speed at which it would leave, e times its approach, exceeds
/// rest_speed (2 g h where the scene gives none, h its longest step). What bounces is resolved at
/// its time of impact by the impact model, `mirtich` unless the scene says otherwise, and without
/// the contacts that do not bounce. Those are steady: the scene's model holds them, as a time step
/// would and without restitution. Where impulses have left a steady contact approaching faster than
/// rest_speed, and where one lands so fast, it is stopped at once by one solve with h = 0.
///
/// Between impacts all is as in event-driven simulation, trees that touch nothing are integrated
/// and nothing is passed through. A step whose solve missed its certificate is tried again with
/// half its length, down to a sixteenth.
///
/// Nothing but the state decides, so that a run can be resumed and verified step by step. What has
/// become of a pair of shapes is in StepEvents, and in the modes of the contacts: Impact while they
/// bounce.
class HybridStepper final : public EventStepper {
 public:
  using EventStepper::EventStepper;

 private:
  StepKind next_step_kind(const State& state) const override;
  void choose_contacts(StepKind kind, const State& state,
                       StepEvaluation& evaluation) const override;
  bool accepts(const StepReport& report) const override;
  void note_transitions(const State& start, const State& end, StepReport& report) const override;

  bool bounces(const State& state, std::size_t contact) const;
};

}  // namespace amontons

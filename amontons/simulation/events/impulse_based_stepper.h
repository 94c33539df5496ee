#pragma once

#include "amontons/simulation/events/event_stepper.h"

namespace amontons {

/// Implements impulse-based simulation [Mirtich 1996, thesis, ch. 3; Son, Trinkle, Amato 2001]: all
/// contact is a sequence of collisions by the model `mirtich`, also where bodies rest, roll and
/// slide.
///
/// A contact that approaches faster than rest_speed collides at its time of impact. If the scene
/// gives none, rest_speed is 2 g h, h its longest step. Slower contacts have *micro-collisions*: a
/// motion gives bodies in contact their free velocities, lets them collide with the restitution of
/// their materials, and moves them. No contact comes to rest as long as it has restitution.
///
/// Overlaps that rotation causes are not corrected: the method has no force for them. Where
/// landings are many, those after the first four of a step are micro-collisions, too.
class ImpulseBasedStepper final : public EventStepper {
 public:
  using EventStepper::EventStepper;

 private:
  StepKind next_step_kind(const State& state) const override;
  void choose_contacts(StepKind kind, const State& state,
                       StepEvaluation& evaluation) const override;
  bool lands_in_step(const State& state, double approach, double restitution) const override;
  bool accepts(const StepReport& report) const override;
};

}  // namespace amontons

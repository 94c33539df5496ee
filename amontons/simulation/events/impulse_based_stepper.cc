#include "amontons/simulation/events/impulse_based_stepper.h"

#include "amontons/simulation/stepping/normal_velocity.h"

#include <utility>
#include <vector>

namespace amontons {
namespace {

// Events between two instants of the steps after which landings end no motion, as in the hybrid
// method.
constexpr int kFewEvents = 4;

}  // namespace

EventStepper::StepKind ImpulseBasedStepper::next_step_kind(const State& state) const {
  for (std::size_t i = 0; i < touching_problem().num_contacts(); ++i) {
    const NormalVelocity u = normal_velocity(touching_problem(), i, state.v);
    if (u.approaches(rest_speed())) return StepKind::Impact;
  }
  return StepKind::Motion;
}

void ImpulseBasedStepper::choose_contacts(StepKind kind, const State& state,
                                          StepEvaluation& evaluation) const {
  if (kind != StepKind::Impact) return;
  // The evaluation is that of the touching contacts, in their order. What approaches collides; the
  // next motion has the micro-collisions of what these collisions set in motion.
  std::vector<Contact> approaching;
  for (std::size_t i = 0; i < evaluation.contacts.size(); ++i) {
    const NormalVelocity u = normal_velocity(touching_problem(), i, state.v);
    if (u.approaches(0.0)) approaching.push_back(evaluation.contacts[i]);
  }
  evaluation.contacts = std::move(approaching);
}

bool ImpulseBasedStepper::lands_in_step(const State& state, double approach, double) const {
  return approach <= rest_speed() || state.events.since_instant >= kFewEvents;
}

bool ImpulseBasedStepper::accepts(const StepReport& report) const {
  return report.certificate.holds;
}

}  // namespace amontons

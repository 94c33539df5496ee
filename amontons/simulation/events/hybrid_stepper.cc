#include "amontons/simulation/events/hybrid_stepper.h"

#include "amontons/simulation/stepping/normal_velocity.h"

#include <algorithm>
#include <iterator>
#include <vector>

namespace amontons {
namespace {

// Events between two instants of the steps after which landings end no motion. A landing takes two:
// its motion, and the impact that stops it.
constexpr int kFewEvents = 4;

/// Returns the pairs of shapes that carry an impulse from one step to the next: those in sustained
/// contact.
std::vector<PairOfShapes> carrying_pairs(const State& state) {
  std::vector<PairOfShapes> result = pairs_of(state.warm_start);
  // Rows of joints stand behind all contacts.
  while (!result.empty() && result.back().first == kBoundedRowShape) result.pop_back();
  return result;
}

/// Returns the number of pairs that are in the first list and not in the second.
int count_missing(const std::vector<PairOfShapes>& pairs, const std::vector<PairOfShapes>& others) {
  std::vector<PairOfShapes> missing;
  std::set_difference(pairs.begin(), pairs.end(), others.begin(), others.end(),
                      std::back_inserter(missing));
  return static_cast<int>(missing.size());
}

}  // namespace

bool HybridStepper::bounces(const State& state, std::size_t contact) const {
  // Rebound speed e |u_n| against rest_speed.
  const NormalVelocity u = normal_velocity(touching_problem(), contact, state.v);
  const double e = touching_problem().contacts[contact].restitution;
  return u.approaches(0.0) && -e * u.value > rest_speed();
}

EventStepper::StepKind HybridStepper::next_step_kind(const State& state) const {
  // Bouncing contacts come first; fast sustained ones follow at the same instant.
  StepKind kind = StepKind::Motion;
  for (std::size_t i = 0; i < touching_problem().num_contacts(); ++i) {
    if (bounces(state, i)) return StepKind::Impact;
    // The next motion stops what landed within the last one.
    const bool is_known = state.events.impacts_here == 0 &&
                          has_pair(state.warm_start, touching_problem().contacts[i].key);
    if (!is_known && normal_velocity(touching_problem(), i, state.v).approaches(rest_speed())) {
      kind = StepKind::SustainedImpact;
    }
  }
  return kind;
}

void HybridStepper::choose_contacts(StepKind kind, const State& state,
                                    StepEvaluation& evaluation) const {
  if (kind != StepKind::Impact) {
    zero_restitution(evaluation);
    return;
  }
  // The evaluation is that of the touching contacts, in their order.
  std::vector<Contact> bouncing;
  for (std::size_t i = 0; i < evaluation.contacts.size(); ++i) {
    if (bounces(state, i)) bouncing.push_back(evaluation.contacts[i]);
  }
  evaluation.contacts = std::move(bouncing);
}

bool HybridStepper::lands_in_step(const State& state, double approach, double restitution) const {
  if (restitution * approach > rest_speed()) return false;
  return approach <= rest_speed() || state.events.since_instant >= kFewEvents;
}

bool HybridStepper::accepts(const StepReport& report) const { return report.certificate.holds; }

void HybridStepper::note_transitions(const State& start, const State& end,
                                     StepReport& report) const {
  // A motion may begin sustained contacts, an impact may end them.
  const std::vector<PairOfShapes> before = carrying_pairs(start), after = carrying_pairs(end);
  if (report.step > 0.0) {
    report.events.became_steady = count_missing(after, before);
  } else if (!report.events.steady) {
    report.events.became_bouncing = count_missing(before, after);
  }
}

}  // namespace amontons

#include "amontons/io/verify/verify_events.h"

namespace amontons::io {
namespace {

// Share of a length within which two instants are the same (event_stepper.cc).
constexpr double kSameInstantShare = 1.0 - 1e-9;

}  // namespace

void check_events(RebuiltStep& step, const RunRow& row, VerificationChecks& checks) {
  const StepEvents& recorded = row.events;
  const auto check = [&checks](bool fits, const char* dataset) {
    if (!fits) checks.record(Check::Events, 1.0, dataset);
  };
  // Time stepping has no events; an impact is a step that takes no time.
  const bool has_events = step.ends_at_events();
  const bool impact = has_events && row.step == 0.0;
  check(recorded.impact == impact, "/events/impact");
  const double whole = step.settings().next_time(row.time_start) - row.time_start;
  const bool arrival = has_events && !impact && row.step < kSameInstantShare * whole;
  check(recorded.arrival == arrival, "/events/arrival");
  check(recorded.by_forces == (has_events && !impact ? step.num_by_forces() : 0),
        "/events/by_forces");
  check(recorded.sliding == (has_events ? step.sliding_law(row) : SlidingLaw::Determined),
        "/events/sliding");
  check(recorded.steady == (impact && step.is_steady_impact(row)), "/events/steady");
  // The history decides these, and each needs its kind of step.
  check(!recorded.zeno || (has_events && !impact), "/events/zeno");
  check(recorded.became_steady == 0 || (step.is_hybrid() && !impact && recorded.became_steady > 0),
        "/events/became_steady");
  check(recorded.became_bouncing == 0 ||
            (step.is_hybrid() && impact && !recorded.steady && recorded.became_bouncing > 0),
        "/events/became_bouncing");
}

}  // namespace amontons::io

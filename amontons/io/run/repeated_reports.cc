#include "amontons/io/run/repeated_reports.h"

#include "amontons/math/same_bits.h"

#include <cstddef>

namespace amontons::io {
namespace {

/// Returns true for commands that act on nothing.
bool are_none(const Commands& commands) {
  return commands.effort.isZero(0.0) && commands.loop_effort.isZero(0.0) &&
         commands.wrenches.empty() && commands.targets.empty() && commands.changes.empty();
}

/// Compares positions and velocities.
bool has_same_motion(const State& a, const State& b) {
  return same_bits(a.q, b.q) && same_bits(a.v, b.v);
}

}  // namespace

// Equal solution numbers leave start, end, commands and wall times open.
bool RepeatedReports::repeats(const StepReport& report) const {
  return report.start != nullptr && solution_number_ != 0 &&
         report.solution_number == solution_number_ && !report.start_was_set &&
         are_none(report.commands) && has_same_motion(*report.start, start_) &&
         has_same_motion(*report.end, end_);
}

void RepeatedReports::observe(const StepReport& report) {
  if (repeats(report)) return;
  records_ = {};
  // A report with commands, or that begins anew, is not like any that follows.
  const bool may_repeat =
      report.start != nullptr && !report.start_was_set && are_none(report.commands);
  solution_number_ = may_repeat ? report.solution_number : 0;
  if (solution_number_ == 0) return;
  start_ = *report.start;
  end_ = *report.end;
}

std::optional<std::int64_t> RepeatedReports::record(bool has_contacts) const {
  return records_[static_cast<std::size_t>(has_contacts)];
}

void RepeatedReports::note(bool has_contacts, std::int64_t record) {
  records_[static_cast<std::size_t>(has_contacts)] = record;
}

}  // namespace amontons::io

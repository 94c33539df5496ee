#pragma once

#include "amontons/simulation/system/state.h"
#include "amontons/simulation/system/step_report.h"

#include <array>
#include <cstdint>
#include <optional>

namespace amontons::io {

/// Finds which reports repeat the last one in all but their times, and remembers their record in a
/// run. It compares states alone, so that a step at rest takes no other work.
class RepeatedReports {
 public:
  /// Takes the next report.
  void observe(const StepReport& report);
  /// Returns the record of the report that was taken last, if one like it is recorded.
  /// @param has_contacts  whether the record has the contacts of the step.
  std::optional<std::int64_t> record(bool has_contacts) const;
  /// Notes the record of the report that was taken last.
  void note(bool has_contacts, std::int64_t record);

 private:
  /// Returns true if a report repeats the last one.
  bool repeats(const StepReport& report) const;

  std::int64_t solution_number_ = 0;
  State start_, end_;
  std::array<std::optional<std::int64_t>, 2> records_;  // without contacts, and with them
};

}  // namespace amontons::io

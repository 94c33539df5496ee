#pragma once

#include "amontons/simulation/system/step_report.h"

namespace amontons::python {

/// Returns true if a step was answered by the law asked, and met its certificate.
inline bool has_law_asked(const StepReport& report) {
  const SolveStatus status = report.solution.status;
  return report.certificate.holds &&
         (status == SolveStatus::Converged || status == SolveStatus::Acceptable);
}

}  // namespace amontons::python

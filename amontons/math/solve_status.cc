#include "amontons/math/solve_status.h"

#include <stdexcept>
#include <string>

namespace amontons {

bool answers_law_asked(SolveStatus status) {
  return status == SolveStatus::Converged || status == SolveStatus::Acceptable;
}

const char* to_string(SolveStatus status) {
  // Names appear in files of runs: they never change.
  switch (status) {
    case SolveStatus::NotRun:
      return "NotRun";
    case SolveStatus::Converged:
      return "Converged";
    case SolveStatus::IterationLimit:
      return "IterationLimit";
    case SolveStatus::Stalled:
      return "Stalled";
    case SolveStatus::Infeasible:
      return "Infeasible";
    case SolveStatus::RayTermination:
      return "RayTermination";
    case SolveStatus::Convexified:
      return "Convexified";
    case SolveStatus::Safe:
      return "Safe";
    case SolveStatus::NumericalFailure:
      return "NumericalFailure";
    case SolveStatus::Acceptable:
      return "Acceptable";
  }
  throw std::invalid_argument("to_string: no such SolveStatus: " +
                              std::to_string(static_cast<int>(status)));
}

}  // namespace amontons

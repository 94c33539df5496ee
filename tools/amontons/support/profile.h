#pragma once

#include "amontons/math/step_times.h"
#include "tools/amontons/support/run_summary.h"

#include <nlohmann/json_fwd.hpp>

#include <map>
#include <string>

namespace amontons::cli {

/// Returns the table of --profile: the wall time of each part of the steps and its share, then the
/// attempts of solvers, the slowest first. Each line ends with a line end.
std::string profile_text(const StepTimes& times,
                         const std::map<std::string, SolverStatistics>& solvers);

/// Returns the same as JSON: `parts` [s] and `attempts`.
nlohmann::ordered_json profile_json(const StepTimes& times,
                                    const std::map<std::string, SolverStatistics>& solvers);

}  // namespace amontons::cli

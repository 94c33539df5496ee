#pragma once

#include "benchmarks/peers/engine.h"
#include "benchmarks/peers/measure.h"

#include <nlohmann/json_fwd.hpp>

#include <functional>
#include <string>
#include <vector>

namespace amontons::peers {

struct CaseResult {
  std::string status = "running";                   ///< running, finished, time limit, diverged
  int steps = 0, num_contacts = 0, num_errors = 0;  ///< contacts: the most in a step
  double reached_s = 0.0, duration_s = 0.0;         ///< simulated time
  double median_ms = kNotMeasured, p95_ms = kNotMeasured, total_s = 0.0;  ///< process CPU time
  std::vector<Figure> figures;
};

nlohmann::json to_json(const CaseResult& result);

/// Steps an engine through a case. Time is that of step() alone: it excludes reading states and
/// measuring.
///
/// @param on_progress  called about once per second with the results so far, so that a killed run
/// leaves its partial errors.
CaseResult run_case(const Case& c, const World& world, Engine& engine,
                    const std::function<void(const CaseResult&)>& on_progress);

}  // namespace amontons::peers

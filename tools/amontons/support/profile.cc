#include "tools/amontons/support/profile.h"

#include "amontons/math/solve_status.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace amontons::cli {
namespace {

using Attempts = std::pair<std::string, SolverStatistics>;

/// Returns the solvers, the slowest first.
std::vector<Attempts> by_time(const std::map<std::string, SolverStatistics>& solvers) {
  std::vector<Attempts> result(solvers.begin(), solvers.end());
  std::stable_sort(result.begin(), result.end(), [](const Attempts& x, const Attempts& y) {
    return x.second.time_s > y.second.time_s;
  });
  return result;
}

/// Returns how many attempts have solved their problem.
std::int64_t num_solved(const SolverStatistics& statistics) {
  const auto found = statistics.endings.find(to_string(SolveStatus::Converged));
  return found == statistics.endings.end() ? 0 : found->second;
}

}  // namespace

std::string profile_text(const StepTimes& times,
                         const std::map<std::string, SolverStatistics>& solvers) {
  const double whole = std::accumulate(times.seconds.begin(), times.seconds.end(), 0.0);
  std::string text = fmt::format("profile: {:.3g} s\n", whole);
  for (std::size_t i = 0; i < kNumStepParts; ++i) {
    text += fmt::format("  {:<12} {:9.3g} s {:5.1f} %\n", to_string(static_cast<StepPart>(i)),
                        times.seconds[i], whole > 0.0 ? 100.0 * times.seconds[i] / whole : 0.0);
  }
  for (const auto& [name, statistics] : by_time(solvers)) {
    text += fmt::format("  {:<36} {:9.3g} s, {} tried, {} converged\n", name, statistics.time_s,
                        statistics.attempts, num_solved(statistics));
  }
  return text;
}

nlohmann::ordered_json profile_json(const StepTimes& times,
                                    const std::map<std::string, SolverStatistics>& solvers) {
  nlohmann::ordered_json parts;
  for (std::size_t i = 0; i < kNumStepParts; ++i) {
    parts[to_string(static_cast<StepPart>(i))] = times.seconds[i];
  }
  auto attempts = nlohmann::ordered_json::array();
  for (const auto& [name, statistics] : by_time(solvers)) {
    attempts.push_back({{"solver", name},
                        {"time_s", statistics.time_s},
                        {"tried", statistics.attempts},
                        {"converged", num_solved(statistics)}});
  }
  return {{"parts", std::move(parts)}, {"attempts", std::move(attempts)}};
}

}  // namespace amontons::cli

#include "benchmarks/peers/measure.h"

#include <algorithm>
#include <iterator>

namespace amontons::peers {

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const auto make : {ramp_cases, granular_cases, stack_cases, pyramid_cases, rolling_cases,
                          bouncing_cases, resting_cases}) {
    std::vector<Case> some = make();
    std::move(some.begin(), some.end(), std::back_inserter(cases));
  }
  return cases;
}

bool admits(const Case& c, const std::string& engine, const std::string& setting) {
  if (c.entrants.empty() || engine == "amontons") return true;
  return std::any_of(c.entrants.begin(), c.entrants.end(), [&](const std::string& entrant) {
    return entrant == engine || entrant == engine + "/" + setting;
  });
}

}  // namespace amontons::peers

#include "benchmarks/peers/measure.h"

#include <algorithm>
#include <iterator>

namespace amontons::peers {

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  // The last ones are missing if the time for the whole bench runs out.
  for (const auto make :
       {ramp_cases, public_cases, rolling_cases, joint_friction_cases, quadruped_cases,
        gripper_cases, resting_cases, sliding_cases, granular_cases, stack_cases, pyramid_cases,
        bouncing_cases, heap_cases, pile_cases}) {
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

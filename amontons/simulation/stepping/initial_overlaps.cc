#include "amontons/simulation/stepping/initial_overlaps.h"

#include "amontons/simulation/detection/contact_detector.h"
#include "amontons/simulation/system/kinematics.h"

#include <algorithm>
#include <map>
#include <utility>

namespace amontons {

std::vector<StartOverlap> start_overlaps(const System& system) {
  constexpr double kTouching = 1e-6;  // smaller overlaps are contact, not an error of the scene [m]
  const State state = system.initial_state();
  const Eigen::VectorXd still = Eigen::VectorXd::Zero(state.v.size());
  SystemKinematics kinematics;
  compute_kinematics(system, state.q, still, state.time, kinematics);
  // At rest the horizon is zero, so that only overlapping and touching shapes are found.
  std::vector<Contact> contacts;
  ContactDetector(system).find_contacts(kinematics, still, still, 0.0, {0.0}, contacts);
  // Bodies may touch with several shapes and points; the deepest one counts.
  std::map<std::pair<int, int>, double> depths;
  for (const Contact& contact : contacts) {
    double& depth = depths[std::minmax(contact.body_a, contact.body_b)];
    depth = std::max(depth, -contact.gap);
  }
  std::vector<StartOverlap> overlaps;
  for (const auto& [bodies, depth] : depths) {
    if (depth > kTouching) overlaps.push_back({bodies.first, bodies.second, depth});
  }
  std::stable_sort(overlaps.begin(), overlaps.end(),
                   [](const StartOverlap& x, const StartOverlap& y) { return x.depth > y.depth; });
  return overlaps;
}

}  // namespace amontons

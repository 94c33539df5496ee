#include "amontons/io/import/welded_limits.h"

#include "amontons/io/common/parse_number.h"
#include "amontons/simulation/scene/initial_joint_position.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace amontons::io {
namespace {

/// Returns, for each joint of a model, true if it lies on the way through the tree from one end of
/// a loop to the other.
std::vector<bool> joints_between(const SceneModel& model, const ModelLoop& loop) {
  std::vector<int> joint_above(model.links.size(), -1);
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    joint_above[static_cast<std::size_t>(model.joints[j].child)] = static_cast<int>(j);
  }
  // Joints above both ends are met twice, and do not count.
  std::vector<bool> between(model.joints.size(), false);
  for (int link : {loop.link_a, loop.link_b}) {
    while (link >= 0 && joint_above[static_cast<std::size_t>(link)] >= 0) {
      const auto j = static_cast<std::size_t>(joint_above[static_cast<std::size_t>(link)]);
      between[j] = !between[j];
      link = model.joints[j].parent;
    }
  }
  return between;
}

}  // namespace

void widen_limits_within_welds(SceneModel& model, ImportLedger& ledger) {
  for (const ModelLoop& loop : model.loops) {
    if (loop.type != JointType::Fixed) continue;
    const std::vector<bool> between = joints_between(model, loop);
    for (std::size_t j = 0; j < model.joints.size(); ++j) {
      ModelJoint& joint = model.joints[j];
      if (!between[j] || !joint.dynamics.limits || !joint.start ||
          model.joint_positions.contains(joint.name)) {
        continue;
      }
      auto& [lower, upper] = *joint.dynamics.limits;
      const double start = start_position(model, joint);
      if (lower <= start && start <= upper) continue;
      ledger.add(ImportFate::Warning, "joint '" + joint.name + "': limits",
                 "[" + shortest_text(lower) + ", " + shortest_text(upper) +
                     "] reach to its start at " + shortest_text(start) + ", where weld '" +
                     loop.name + "' holds it",
                 joint.where);
      lower = std::min(lower, start);
      upper = std::max(upper, start);
    }
  }
}

}  // namespace amontons::io

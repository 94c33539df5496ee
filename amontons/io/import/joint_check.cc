#include "amontons/io/import/joint_check.h"

#include "amontons/io/common/parse_number.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace amontons::io {
namespace {

// Largest ratio of the masses of two links that a joint connects without a warning.
constexpr double kLargestRatio = 1000.0;

/// Returns, for each link, the topmost link that it is fixed to.
std::vector<std::size_t> rigid_tops(const SceneModel& model) {
  std::vector<std::size_t> top(model.links.size());
  for (std::size_t i = 0; i < top.size(); ++i) top[i] = i;
  for (const ModelJoint& joint : model.joints) {
    if (joint.type != JointType::Fixed) continue;
    top[static_cast<std::size_t>(joint.child)] = top[static_cast<std::size_t>(joint.parent)];
  }
  return top;
}

}  // namespace

void check_joints_of_model(const SceneModel& model, ImportLedger& ledger) {
  // Masses count for groups of links that are fixed together.
  const std::vector<std::size_t> top = rigid_tops(model);
  std::vector<double> mass(top.size(), 0.0);
  for (std::size_t i = 0; i < top.size(); ++i) mass[top[i]] += model.links[i].inertia.mass;
  for (const ModelJoint& joint : model.joints) {
    if (joint.type == JointType::Fixed || joint.type == JointType::Free) continue;
    if (joint.dynamics.effort_limit == 0.0) {
      ledger.add(ImportFate::Warning, "joint '" + joint.name + "': effort limit",
                 "it is zero, so that no actuator can move the joint", joint.where);
    }
    // A parent that is fixed to the world has no mass to compare.
    const std::size_t parent = top[static_cast<std::size_t>(joint.parent)];
    const std::size_t child = static_cast<std::size_t>(joint.child);
    const auto [light, heavy] = std::minmax(mass[parent], mass[child]);
    const bool parent_moves = parent != 0 || model.base != BaseType::Fixed;
    if (!parent_moves || !(light > 0.0) || heavy <= kLargestRatio * light) continue;
    ledger.add(ImportFate::Warning, "joint '" + joint.name + "'",
               "the links that it joins have masses of " + rounded_text(mass[parent]) + " kg and " +
                   rounded_text(mass[child]) + " kg, with all that is fixed to them",
               joint.where);
  }
}

}  // namespace amontons::io

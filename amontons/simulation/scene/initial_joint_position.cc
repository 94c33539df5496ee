#include "amontons/simulation/scene/initial_joint_position.h"

#include <algorithm>

namespace amontons {

double start_position(const SceneModel& model, const ModelJoint& joint) {
  // Precedence: the scene, the model's file, then zero moved into the limits.
  const auto given = model.joint_positions.find(joint.name);
  if (given != model.joint_positions.end()) return given->second;
  if (joint.start) return *joint.start;
  if (!joint.dynamics.limits) return 0.0;
  const auto [lower, upper] = *joint.dynamics.limits;
  return std::clamp(0.0, lower, upper);
}

}  // namespace amontons

#include "amontons/io/mjcf/actuators/mjcf_shared_limits.h"

#include <algorithm>

namespace amontons::io {

void MjcfSharedLimits::count(const MjcfReader& reader, const MjcfLine& line) {
  ++along_[line.name];
  for (const auto& [joint, unused] : line.joints) {
    const std::string& name = reader.joints[joint].name;
    if (name != line.name) ++through_tendons_[name];
  }
}

int MjcfSharedLimits::num_along(const std::string& line) const {
  const auto found = along_.find(line);
  return found == along_.end() ? 0 : found->second;
}

void MjcfSharedLimits::note(const MjcfReader& reader) const {
  constexpr const char* kLimit = "actuatorfrcrange";
  for (const MjcfJoint& joint : reader.joints) {
    if (!reader.joint_of(joint).dynamics.effort_limit) continue;
    if (through_tendons_.count(joint.name) > 0) {
      joint.element.note(kLimit, ImportFate::Refused,
                         "it does not bound the actuators of tendons, which move the joint, too");
    } else if (num_along(joint.name) > 1) {
      joint.element.note(kLimit, ImportFate::Refused, "it bounds each actuator, not their sum");
    }
  }
  for (const ModelTendon& tendon : reader.model.tendons) {
    if (!tendon.dynamics.effort_limit || num_along(tendon.name) < 2) continue;
    const auto own =
        std::find_if(reader.tendons.begin(), reader.tendons.end(),
                     [&](const MjcfTendon& record) { return record.model_name == tendon.name; });
    own->element->note(kLimit, ImportFate::Refused, "it bounds each actuator, not their sum");
  }
}

}  // namespace amontons::io

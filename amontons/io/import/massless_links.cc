#include "amontons/io/import/massless_links.h"

#include "amontons/dynamics/merge_fixed_joints.h"
#include "amontons/io/import/moving_link.h"

#include <vector>

namespace amontons::io {

void hold_links_without_mass(SceneModel& model, ImportLedger& ledger) {
  // Only links with a joint above them count, whatever the base is; a root may carry a half-space.
  std::vector<Link> links = to_links(model);
  links[0].joint = JointType::Fixed;
  const MergedTree merged = merge_fixed_joints(links);
  for (const MovingLink& moving : collect_moving_links(model, merged)) {
    if (moving.carried > 0.0 || moving.carried_volume > 0.0) continue;
    ModelJoint& joint = model.joints[moving.top - 1];
    joint.type = JointType::Fixed;
    joint.dynamics = joint.dynamics2 = JointDynamics{};
    ledger.add(ImportFate::Warning, "joint '" + joint.name + "'",
               "held, because link '" + model.links[moving.top].name +
                   "' moves without mass, has no shapes that would give it some, and carries none; "
                   "give it an <inertial>",
               joint.where);
    // Couplings need joints that move.
    std::erase_if(model.couplings, [&](const JointCoupling& coupling) {
      const bool is_held = coupling.joint == joint.name || coupling.reference == joint.name;
      if (is_held) {
        ledger.add(ImportFate::Warning, "coupling '" + coupling.name + "'",
                   "left out, because joint '" + joint.name + "' is held", coupling.where);
      }
      return is_held;
    });
  }
}

}  // namespace amontons::io

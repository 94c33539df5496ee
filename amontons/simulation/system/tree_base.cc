#include "amontons/simulation/system/tree_base.h"

#include "amontons/simulation/system/system.h"

#include <algorithm>
#include <cstddef>

namespace amontons {

bool has_moving_base(const System& system, int tree) {
  const JointType root = system.articulations()[static_cast<std::size_t>(tree)].links()[0].joint;
  if (root != JointType::Planar) return root == JointType::Free;
  const auto carries = [&](const JointCoordinate& joint) {
    return joint.type == JointType::Planar && joint.v_offset == system.v_offset(tree);
  };
  return std::none_of(system.joints().begin(), system.joints().end(), carries);
}

}  // namespace amontons

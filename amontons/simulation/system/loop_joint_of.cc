#include "amontons/simulation/system/loop_joint_of.h"

#include "amontons/dynamics/loop_joint.h"

#include <cstddef>

namespace amontons {

int loop_joint_of(const System& system, const JointCoordinate& joint) {
  if (joint.num_rows == 0) return -1;
  // Rows of J are numbered in the order of the loop joints.
  int first = 0;
  for (std::size_t i = 0; i < system.loop_joints().size() && first <= joint.first_row; ++i) {
    const int n = num_loop_rows(system.loop_joints()[i].geometry.type);
    if (n > 0 && joint.first_row == first) return static_cast<int>(i);
    first += n;
  }
  return -1;
}

}  // namespace amontons

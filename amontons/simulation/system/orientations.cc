#include "amontons/simulation/system/orientations.h"

#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>

namespace amontons {

void require_orientations(const System& system, const Eigen::Ref<const Eigen::VectorXd>& q) {
  for (std::size_t a = 0; a < system.articulations().size(); ++a) {
    const Articulation& tree = system.articulations()[a];
    for (int link = 0; link < tree.num_links(); ++link) {
      const JointType type = tree.links()[static_cast<std::size_t>(link)].joint;
      if (type != JointType::Free && type != JointType::Spherical) continue;
      const int first = system.q_offset(static_cast<int>(a)) + tree.q_offset(link);
      const double length = q.segment<4>(first).norm();
      if (std::abs(length - 1.0) <= 1e-6) continue;
      throw std::invalid_argument("the quaternion q[" + std::to_string(first) + ":" +
                                  std::to_string(first + 4) + "] has the length " +
                                  std::to_string(length) + ", it must be 1");
    }
  }
}

}  // namespace amontons

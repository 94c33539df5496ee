#include "amontons/dynamics/displacement.h"

#include "amontons/math/rotation.h"

namespace amontons {

void displacement_rate(const Articulation& tree, const Eigen::Ref<const Eigen::VectorXd>& x,
                       const Eigen::Ref<const Eigen::VectorXd>& v,
                       Eigen::Ref<Eigen::VectorXd> rate) {
  // Only rotations are curved: x' = v for all other coordinates.
  rate = v;
  for (int i = 0; i < tree.num_links(); ++i) {
    const JointType joint = tree.links()[static_cast<std::size_t>(i)].joint;
    if (joint != JointType::Free && joint != JointType::Spherical) continue;
    const int at = tree.v_offset(i);
    rate.segment<3>(at) = rotation_vector_rate(x.segment<3>(at), v.segment<3>(at));
  }
}

}  // namespace amontons

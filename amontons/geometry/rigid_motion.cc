#include "amontons/geometry/rigid_motion.h"

#include "amontons/math/rotation.h"

namespace amontons {

Pose ConstantMotion::pose(double time) const {
  Pose X_WB;
  // The rotation by the vector t w turns in the world, so it multiplies from the left.
  X_WB.rotation = rotation_from_vector(time * angular_velocity_) * X_WB_.rotation;
  X_WB.translation = X_WB_.translation + time * (velocity_ + 0.5 * time * acceleration_);
  return X_WB;
}

}  // namespace amontons

#include "benchmarks/peers/joint_positions.h"

#include <Eigen/Geometry>

#include <cmath>
#include <numbers>

namespace amontons::peers {

JointPositions::JointPositions(const World& world)
    : world_(&world), position_(world.joints.size(), 0.0) {
  std::vector<BodyState> start;
  for (const WorldBody& body : world.moving)
    start.push_back({body.X_WB, body.linear, body.angular});
  for (const WorldJoint& joint : world.joints) start_.push_back(relative_pose(joint, start));
}

Pose JointPositions::relative_pose(const WorldJoint& joint,
                                   const std::vector<BodyState>& states) const {
  const Pose& X_WC = states[static_cast<std::size_t>(joint.child)].X_WB;
  if (joint.parent < 0) return X_WC;
  return states[static_cast<std::size_t>(joint.parent)].X_WB.inverse() * X_WC;
}

const std::vector<double>& JointPositions::read(const std::vector<BodyState>& states) {
  for (std::size_t j = 0; j < position_.size(); ++j) {
    const WorldJoint& joint = world_->joints[j];
    const Pose X_PC = relative_pose(joint, states);
    if (joint.type == JointType::Prismatic) {
      const Eigen::Matrix3d R_WP =
          joint.parent < 0 ? Eigen::Matrix3d(Eigen::Matrix3d::Identity())
                           : world_->moving[static_cast<std::size_t>(joint.parent)].X_WB.rotation;
      position_[j] =
          (R_WP.transpose() * joint.axis_W).dot(X_PC.translation - start_[j].translation);
      continue;
    }
    const Eigen::Matrix3d R_WC =
        world_->moving[static_cast<std::size_t>(joint.child)].X_WB.rotation;
    const Eigen::Vector3d axis_C = R_WC.transpose() * joint.axis_W;
    const Eigen::Matrix3d R = start_[j].rotation.transpose() * X_PC.rotation;
    const Eigen::Vector3d sine =
        0.5 * Eigen::Vector3d(R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1));
    const double angle = std::atan2(axis_C.dot(sine), 0.5 * (R.trace() - 1.0));
    position_[j] += std::remainder(angle - position_[j], 2.0 * std::numbers::pi);
  }
  return position_;
}

}  // namespace amontons::peers

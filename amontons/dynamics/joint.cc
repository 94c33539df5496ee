#include "amontons/dynamics/joint.h"

#include "amontons/math/rotation.h"

#include <Eigen/Geometry>

#include <stdexcept>

namespace amontons {
namespace {

/// Throws, because a distance joint leaves five degrees of freedom that no coordinates here
/// describe.
[[noreturn]] void refuse_distance() {
  throw std::invalid_argument(
      "joint type Distance has no coordinates: it exists as a loop joint only");
}

}  // namespace

int num_positions(JointType type) {
  switch (type) {
    case JointType::Fixed:
    case JointType::Distance:
      return 0;
    case JointType::Free:
      return 7;
    case JointType::Planar:
      return 3;
    case JointType::Revolute:
    case JointType::Continuous:
    case JointType::Prismatic:
    case JointType::Screw:
      return 1;
    case JointType::Universal:
      return 2;
    case JointType::Spherical:
      // Quaternion (w, x, y, z).
      return 4;
  }
  throw std::invalid_argument("unknown joint type");
}

int num_velocities(JointType type) {
  switch (type) {
    case JointType::Free:
      return 6;
    case JointType::Spherical:
      return 3;
    default:
      return num_positions(type);
  }
}

bool uses_axis(JointType type) {
  switch (type) {
    case JointType::Planar:
    case JointType::Revolute:
    case JointType::Continuous:
    case JointType::Prismatic:
    case JointType::Screw:
    case JointType::Universal:
      return true;
    default:
      return false;
  }
}

Eigen::Matrix<double, 3, 2> plane_axes(const Eigen::Vector3d& axis) {
  // The contact frame's tangents with the second one reversed: e2 = e1 x axis.
  const Eigen::Matrix3d frame = contact_frame(axis);
  Eigen::Matrix<double, 3, 2> axes;
  axes.col(0) = frame.col(0);
  axes.col(1) = -frame.col(1);
  return axes;
}

// One case per row of the table of JointType.
Pose joint_transform(const JointGeometry& joint, const Eigen::Ref<const Eigen::VectorXd>& q) {
  const Eigen::Vector3d& axis = joint.axis;
  Pose X_FM;
  switch (joint.type) {
    case JointType::Fixed:
      break;
    case JointType::Free:
      X_FM.rotation = quaternion_from_wxyz(q.head<4>()).toRotationMatrix();
      X_FM.translation = q.segment<3>(4);
      break;
    case JointType::Planar:
      // Translation in the plane's axes, rotation about its normal.
      X_FM.rotation = rotation_about(axis, q[2]);
      X_FM.translation = plane_axes(axis) * q.head<2>();
      break;
    case JointType::Revolute:
    case JointType::Continuous:
      X_FM.rotation = rotation_about(axis, q[0]);
      break;
    case JointType::Prismatic:
      X_FM.translation = q[0] * axis;
      break;
    case JointType::Screw:
      X_FM.rotation = rotation_about(axis, q[0]);
      // The travel along the thread is proportional to the angle.
      X_FM.translation = joint.pitch * q[0] * axis;
      break;
    case JointType::Universal:
      X_FM.rotation = rotation_about(axis, q[0]) * rotation_about(joint.axis2, q[1]);
      break;
    case JointType::Spherical:
      X_FM.rotation = quaternion_from_wxyz(q.head<4>()).toRotationMatrix();
      break;
    case JointType::Distance:
      refuse_distance();
  }
  return X_FM;
}

// Rows 0 to 2 are the angular velocity, rows 3 to 5 the velocity of M's origin, both in F.
Eigen::Matrix<double, 6, Eigen::Dynamic, 0, 6, 6> joint_motion_subspace(
    const JointGeometry& joint, const Eigen::Ref<const Eigen::VectorXd>& q) {
  const Eigen::Vector3d& axis = joint.axis;
  Eigen::Matrix<double, 6, Eigen::Dynamic, 0, 6, 6> S =
      Eigen::Matrix<double, 6, Eigen::Dynamic, 0, 6, 6>::Zero(6, num_velocities(joint.type));
  switch (joint.type) {
    case JointType::Fixed:
      break;
    case JointType::Free:
      S.setIdentity();
      break;
    case JointType::Planar:
      S.block<3, 2>(3, 0) = plane_axes(axis);
      S.block<3, 1>(0, 2) = axis;
      break;
    case JointType::Revolute:
    case JointType::Continuous:
      S.block<3, 1>(0, 0) = axis;
      break;
    case JointType::Prismatic:
      S.block<3, 1>(3, 0) = axis;
      break;
    case JointType::Screw:
      S.col(0) << axis, joint.pitch * axis;
      break;
    case JointType::Universal:
      S.block<3, 1>(0, 0) = axis;
      // The first rotation carries axis2, so that this column alone depends on q.
      S.block<3, 1>(0, 1) = rotation_about(axis, q[0]) * joint.axis2;
      break;
    case JointType::Spherical:
      S.topRows<3>().setIdentity();
      break;
    case JointType::Distance:
      refuse_distance();
  }
  return S;
}

void integrate_joint(JointType type, const Eigen::Ref<const Eigen::VectorXd>& q,
                     const Eigen::Ref<const Eigen::VectorXd>& v, double h,
                     Eigen::Ref<Eigen::VectorXd> q_next) {
  switch (type) {
    case JointType::Free:
    case JointType::Spherical:
      // R+ = exp(h [w_F]) R, which keeps the quaternion unit.
      q_next.head<4>() = wxyz_from_quaternion(
          integrate_rotation(quaternion_from_wxyz(q.head<4>()), v.head<3>(), h));
      if (type == JointType::Free) q_next.tail<3>() = q.tail<3>() + h * v.tail<3>();
      break;
    case JointType::Distance:
      refuse_distance();
    default:
      q_next = q + h * v;
  }
}

Eigen::VectorXd neutral_position(JointType type) {
  Eigen::VectorXd q = Eigen::VectorXd::Zero(num_positions(type));
  if (type == JointType::Free || type == JointType::Spherical) q[0] = 1.0;
  return q;
}

}  // namespace amontons

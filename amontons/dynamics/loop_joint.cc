#include "amontons/dynamics/loop_joint.h"

#include "amontons/math/elementary.h"
#include "amontons/math/rotation.h"

#include <Eigen/Geometry>

#include <cmath>
#include <numbers>
#include <stdexcept>

namespace amontons {
namespace {

/// Writes the rows of a loop joint from the top. Relative quantities are measured in F, so that the
/// rows do not depend on where in the world the joint is.
class RowWriter {
 public:
  RowWriter(const Pose& X_WF, const Pose& X_WM, int num_rows)
      : R_WF_(X_WF.rotation), p_FM_W_(X_WM.translation - X_WF.translation) {
    rows_.error.resize(num_rows);
    rows_.jacobian_F.resize(num_rows, 6);
    rows_.jacobian_M.resize(num_rows, 6);
  }

  // Adds Theta = e_F . p_FM [m]. The direction e turns with F, hence the arm in jacobian_F.
  void add_position(const Eigen::Vector3d& e_F) {
    const Eigen::Vector3d e_W = R_WF_ * e_F;
    rows_.error[next_] = e_W.dot(p_FM_W_);
    rows_.jacobian_F.row(next_) << e_W.cross(p_FM_W_).transpose(), -e_W.transpose();
    rows_.jacobian_M.row(next_) << Eigen::RowVector3d::Zero(), e_W.transpose();
    ++next_;
  }

  // Adds an error [rad] whose rate is g_F . w_FM.
  void add_rotation(double error, const Eigen::Vector3d& g_F) {
    const Eigen::Vector3d g_W = R_WF_ * g_F;
    rows_.error[next_] = error;
    rows_.jacobian_F.row(next_) << -g_W.transpose(), Eigen::RowVector3d::Zero();
    rows_.jacobian_M.row(next_) << g_W.transpose(), Eigen::RowVector3d::Zero();
    ++next_;
  }

  // Adds to the last row an error with the rate g_F . w_FM, like add_rotation.
  void add_rotation_to_last(double error, const Eigen::Vector3d& g_F) {
    const Eigen::Index last = next_ - 1;
    const Eigen::RowVector3d g_W = (R_WF_ * g_F).transpose();
    rows_.error[last] += error;
    rows_.jacobian_F.row(last).head<3>() -= g_W;
    rows_.jacobian_M.row(last).head<3>() += g_W;
  }
  double last_error() const { return rows_.error[next_ - 1]; }

  // Adds three position rows: both origins coincide.
  void add_point() {
    for (int k = 0; k < 3; ++k) add_position(Eigen::Vector3d::Unit(k));
  }

  LoopJointRows rows() const { return rows_; }

 private:
  Eigen::Matrix3d R_WF_;
  Eigen::Vector3d p_FM_W_;
  LoopJointRows rows_;
  Eigen::Index next_ = 0;
};

/// Adds three rows: the rotation vector of R_FM [rad]. With phi = log R, the rate is phi' = (1 -
/// [phi]/2 + c [phi]^2) w,  c = (1 - (a/2) cot(a/2)) / a^2,  a = |phi|.
void add_orientation(RowWriter& writer, const Eigen::Matrix3d& R_FM) {
  const Eigen::Vector3d phi = vector_from_quaternion(Eigen::Quaterniond(R_FM));
  const double angle = phi.norm();
  // At the threshold both forms of c [phi]^2 are exact to rounding.
  const double c = angle < 1e-4
                       ? 1.0 / 12.0
                       : (1.0 - 0.5 * angle / elementary::tan(0.5 * angle)) / (angle * angle);
  const Eigen::Matrix3d cross = skew(phi);
  const Eigen::Matrix3d rate = Eigen::Matrix3d::Identity() - 0.5 * cross + c * cross * cross;
  for (int k = 0; k < 3; ++k) writer.add_rotation(phi[k], rate.row(k).transpose());
}

/// Adds two rows: the angle [rad] between the axis in F and the axis b of M. They are the
/// components t . (k axis x b) of its rotation vector, k = angle / sin(angle).
void add_axis_alignment(RowWriter& writer, const Eigen::Vector3d& axis,
                        const Eigen::Matrix3d& R_FM) {
  const Eigen::Vector3d b = R_FM * axis;
  const Eigen::Vector3d u = axis.cross(b);
  const double sine = u.norm();
  const double cosine = axis.dot(b);
  if (cosine < 0.0 && sine < 1e-9) {
    throw std::domain_error(
        "loop joint: the axes point in opposite directions, so that the error has no direction");
  }
  const double square = sine * sine;
  // At the threshold both forms are exact to rounding, multiplied as they are by u.
  const bool is_small = cosine > 0.0 && sine < 1e-4;
  const double k = is_small ? 1.0 + square / 6.0 : elementary::atan2(sine, cosine) / sine;
  const double minus_dk_dcosine = is_small ? 1.0 / 3.0 : (1.0 - k * cosine) / square;
  // Rate of t . (k u): k t . (axis x b)' + (dk/dcosine) (axis . b)' t . u, with b' = w x b.
  const Eigen::Matrix<double, 3, 2> tangents = plane_axes(axis);
  for (int i = 0; i < 2; ++i) {
    const Eigen::Vector3d t = tangents.col(i);
    writer.add_rotation(k * t.dot(u), k * b.cross(t.cross(axis)) + minus_dk_dcosine * t.dot(u) * u);
  }
}

/// Adds one row: the angle [rad] between axis, fixed in F, and axis2, fixed in M, less its value at
/// the zero position.
void add_cross(RowWriter& writer, const JointGeometry& joint, const Eigen::Matrix3d& R_FM) {
  const Eigen::Vector3d b = R_FM * joint.axis2;
  const Eigen::Vector3d u = joint.axis.cross(b);
  const double sine = u.norm();
  if (sine < 1e-9) {
    throw std::domain_error(
        "loop joint: the axes of a universal joint are parallel, so that the error has no "
        "direction");
  }
  // The two axes need not be perpendicular; their angle at the zero position is the reference.
  const double at_zero =
      elementary::atan2(joint.axis.cross(joint.axis2).norm(), joint.axis.dot(joint.axis2));
  writer.add_rotation(elementary::atan2(sine, joint.axis.dot(b)) - at_zero, u / sine);
}

// One whole turn [rad].
constexpr double kTurn = 2.0 * std::numbers::pi;

/// Holds the angle [rad] by which R_FM turns about the axis. Its rate is slope_F . w_FM.
struct Turn {
  double angle;
  Eigen::Vector3d slope_F;

  // Returns the angle plus the whole turns that bring it nearest to a value [rad].
  double nearest_to(double value) const {
    return angle + std::round((value - angle) / kTurn) * kTurn;
  }
};

/// Returns the turn of R_FM about the axis. With the quaternion (c, x) of R_FM and s = a . x the
/// angle is 2 atan2(s, c). Its rate is (c^2 a + c x cross a + s x) . w over c^2 + s^2.
Turn turn_about(const Eigen::Vector3d& axis, const Eigen::Matrix3d& R_FM) {
  const Eigen::Quaterniond quaternion(R_FM);
  const Eigen::Vector3d x = quaternion.vec();
  const double c = quaternion.w(), s = axis.dot(x);
  return {2.0 * elementary::atan2(s, c),
          (c * c * axis + c * x.cross(axis) + s * x) / (c * c + s * s)};
}

/// Adds one row: the travel along the axis less pitch times the angle about it [m].
void add_thread(RowWriter& writer, const JointGeometry& joint, const Eigen::Matrix3d& R_FM) {
  const Turn turn = turn_about(joint.axis, R_FM);
  writer.add_position(joint.axis);
  // The travel shows how many whole turns the screw has made.
  const double angle =
      joint.pitch == 0.0 ? turn.angle : turn.nearest_to(writer.last_error() / joint.pitch);
  writer.add_rotation_to_last(-joint.pitch * angle, -joint.pitch * turn.slope_F);
}

/// Returns the row of a distance joint: |p_FM| - length [m], with the slope n = p_FM / |p_FM|.
LoopJointRows distance_row(const Pose& X_WF, const Pose& X_WM, double length) {
  const Eigen::Vector3d p_FM_W = X_WM.translation - X_WF.translation;
  const double distance = p_FM_W.norm();
  // Where a motion carries one point through the other, every direction is a generalized gradient
  // of the distance: that of the first axis of F is taken.
  const Eigen::RowVector3d n = distance > 0.0
                                   ? Eigen::RowVector3d(p_FM_W.transpose() / distance)
                                   : Eigen::RowVector3d(X_WF.rotation.col(0).transpose());
  LoopJointRows rows;
  rows.error = Eigen::VectorXd::Constant(1, distance - length);
  rows.jacobian_F.resize(1, 6);
  rows.jacobian_M.resize(1, 6);
  rows.jacobian_F << Eigen::RowVector3d::Zero(), -n;
  rows.jacobian_M << Eigen::RowVector3d::Zero(), n;
  return rows;
}

}  // namespace

int num_loop_rows(JointType type) {
  return type == JointType::Distance ? 1 : 6 - num_velocities(type);
}

LoopJointRows loop_joint_rows(const JointGeometry& joint, const Pose& X_WF, const Pose& X_WM) {
  const JointType type = joint.type;
  const Eigen::Vector3d& axis = joint.axis;
  // A distance row has no directions fixed in F.
  if (type == JointType::Distance) return distance_row(X_WF, X_WM, joint.length);
  RowWriter writer(X_WF, X_WM, num_loop_rows(type));
  const Eigen::Matrix3d R_FM = X_WF.rotation.transpose() * X_WM.rotation;
  // Position rows fix the origin of M along the directions that the joint blocks. Rows of angles
  // fix the rotations that it blocks.
  switch (type) {
    case JointType::Free:
    case JointType::Distance:
      break;
    case JointType::Spherical:
      writer.add_point();
      break;
    case JointType::Revolute:
    case JointType::Continuous:
      writer.add_point();
      add_axis_alignment(writer, axis, R_FM);
      break;
    case JointType::Fixed:
      writer.add_point();
      add_orientation(writer, R_FM);
      break;
    case JointType::Prismatic: {
      const Eigen::Matrix<double, 3, 2> across = plane_axes(axis);
      writer.add_position(across.col(0));
      writer.add_position(across.col(1));
      add_orientation(writer, R_FM);
      break;
    }
    case JointType::Planar:
      writer.add_position(axis);
      add_axis_alignment(writer, axis, R_FM);
      break;
    case JointType::Universal:
      writer.add_point();
      add_cross(writer, joint, R_FM);
      break;
    case JointType::Screw: {
      const Eigen::Matrix<double, 3, 2> across = plane_axes(axis);
      writer.add_position(across.col(0));
      writer.add_position(across.col(1));
      add_axis_alignment(writer, axis, R_FM);
      add_thread(writer, joint, R_FM);
      break;
    }
  }
  return writer.rows();
}

LoopCoordinate loop_coordinate(const JointGeometry& joint, const Pose& X_WF, const Pose& X_WM,
                               double reference) {
  if (num_velocities(joint.type) != 1) {
    throw std::invalid_argument(
        "loop coordinate: the joint must be revolute, continuous, "
        "prismatic or screw");
  }
  RowWriter writer(X_WF, X_WM, 1);
  // A thread measures its angle by the travel: angle = travel / pitch, unique over all turns.
  const bool has_thread = joint.type == JointType::Screw && joint.pitch != 0.0;
  const bool slides = joint.type == JointType::Prismatic || has_thread;
  if (slides) {
    writer.add_position(joint.axis);
  } else {
    const Turn turn = turn_about(joint.axis, X_WF.rotation.transpose() * X_WM.rotation);
    writer.add_rotation(turn.nearest_to(reference), turn.slope_F);
  }
  const LoopJointRows rows = writer.rows();
  const double scale = has_thread ? 1.0 / joint.pitch : 1.0;
  return {scale * rows.error[0], scale * rows.jacobian_F.row(0), scale * rows.jacobian_M.row(0)};
}

}  // namespace amontons

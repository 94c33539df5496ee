#include "amontons/simulation/system/swing_rotation.h"

#include "amontons/math/rotation.h"

#include <Eigen/Geometry>

#include <cmath>
#include <limits>

namespace amontons {
namespace {

/// Returns the axis of a loop joint on one of its bodies, in the joint's frame there; zero if it
/// has none.
Eigen::Vector3d axis_on(const LoopJoint& joint, bool is_body_b) {
  switch (joint.geometry.type) {
    case JointType::Revolute:
    case JointType::Continuous:
    case JointType::Screw:
    case JointType::Planar:
      return joint.geometry.axis;
    case JointType::Universal:
      return is_body_b ? joint.geometry.axis2 : joint.geometry.axis;
    default:
      return Eigen::Vector3d::Zero();
  }
}

/// Returns the part of w across the axis.
Eigen::Vector3d across(const Eigen::Vector3d& w, const Eigen::Vector3d& axis) {
  return w - w.dot(axis) * axis;
}

}  // namespace

std::vector<Eigen::Vector3d> spin_axes(const System& system,
                                       const Eigen::Ref<const Eigen::VectorXd>& q,
                                       const Eigen::Ref<const Eigen::VectorXd>& v) {
  std::vector<Eigen::Vector3d> axes(system.articulations().size(), Eigen::Vector3d::Zero());
  if (system.loop_joints().empty()) return axes;
  std::vector<double> rates(axes.size(), -1.0);
  const auto consider = [&](const LoopJoint& joint, bool is_body_b) {
    const int body = is_body_b ? joint.body_b : joint.body_a;
    if (body < 0) return;
    const Body& own = system.bodies()[static_cast<std::size_t>(body)];
    if (own.articulation < 0) return;
    const auto a = static_cast<std::size_t>(own.articulation);
    const Articulation& tree = system.articulations()[a];
    if (tree.num_links() != 1 || tree.links()[0].joint != JointType::Free) return;
    const Eigen::Vector3d axis_J = axis_on(joint, is_body_b);
    if (axis_J.isZero(0.0)) return;
    // From the joint's frame over body, link and moved frame M to F.
    const Pose& X_BJ = is_body_b ? joint.X_BM : joint.X_AF;
    const Eigen::Matrix3d R_FM =
        quaternion_from_wxyz(q.segment<4>(system.q_offset(own.articulation))).toRotationMatrix();
    const Eigen::Vector3d axis =
        (R_FM * (tree.links()[0].X_MB.rotation * (own.X_LB.rotation * (X_BJ.rotation * axis_J))))
            .normalized();
    const double rate = std::abs(axis.dot(v.segment<3>(system.v_offset(own.articulation)).eval()));
    if (!(rate > rates[a])) return;
    rates[a] = rate;
    axes[a] = axis;
  };
  for (const LoopJoint& joint : system.loop_joints()) {
    if (!joint.is_attached) continue;
    consider(joint, false);
    consider(joint, true);
  }
  return axes;
}

void integrate_swinging(const Articulation& tree, const Eigen::Vector3d& axis,
                        const Eigen::Ref<const Eigen::VectorXd>& q,
                        const Eigen::Ref<const Eigen::VectorXd>& v, double h,
                        Eigen::Ref<Eigen::VectorXd> q_next) {
  tree.integrate(q, v, h, q_next);
  if (axis.isZero(0.0)) return;
  const Eigen::Vector3d w = v.head<3>(), swing = across(w, axis);
  const Eigen::Quaterniond spun =
      integrate_rotation(quaternion_from_wxyz(q.head<4>()), w - swing, h);
  q_next.head<4>() = wxyz_from_quaternion(integrate_rotation(spun, swing, h));
}

Eigen::Vector3d swinging_velocity(const Eigen::Vector3d& axis, const Eigen::Vector3d& w, double t) {
  const Eigen::Vector3d swing = across(w, axis);
  return swing + rotation_from_vector(t * swing) * (w - swing);
}

double swinging_curvature(const Eigen::Vector3d& axis, const Eigen::Vector3d& w) {
  return across(w, axis).squaredNorm() * std::abs(w.dot(axis));
}

Eigen::Vector3d swung_velocity(const Eigen::Vector3d& w, const Eigen::Vector3d& axis, double h) {
  constexpr int kMaxIterations = 20;
  constexpr double kRounding = 4.0 * std::numeric_limits<double>::epsilon();
  // To first order in h |swing|: swing - h spin swing x a = w - (w . a) a.
  const double turn = h * w.dot(axis);
  const auto solve = [&](const Eigen::Vector3d& right) -> Eigen::Vector3d {
    return (right + turn * right.cross(axis)) / (1.0 + turn * turn);
  };
  Eigen::Vector3d swing = solve(across(w, axis));
  // The rest is of order h |swing|, so that the iteration contracts by that factor.
  double last = std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
    const Eigen::Vector3d old_axis = rotation_from_vector(-h * swing) * axis;
    const Eigen::Vector3d step = solve(across(w, old_axis) - swing);
    const double change = step.norm();
    if (!(change < last)) break;
    swing += step;
    if (change <= kRounding * w.norm()) break;
    last = change;
  }
  return rotation_from_vector(h * swing) * w;
}

}  // namespace amontons

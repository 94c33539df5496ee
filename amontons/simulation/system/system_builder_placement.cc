#include "amontons/math/elementary.h"
#include "amontons/math/rotation.h"
#include "amontons/simulation/system/system_builder.h"

#include <Eigen/QR>

#include <string>
#include <vector>

// Where nodes are at the start, and how they move there.

namespace amontons {

/// Returns the node that a joint of one coordinate places, or nullptr.
SystemBuilder::Node* SystemBuilder::find_scalar_joint(const std::string& name) {
  if (scalar_node_by_joint_.empty()) {
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      if (nodes_[n].v.size() != 1) continue;
      scalar_node_by_joint_.try_emplace(nodes_[n].joint_name, static_cast<int>(n));
    }
  }
  const auto found = scalar_node_by_joint_.find(name);
  if (found == scalar_node_by_joint_.end()) return nullptr;
  return &nodes_[static_cast<std::size_t>(found->second)];
}

/// Gives the start the rates of prescribed motions, and of couplings where a joint has no rate of
/// its own, so that the first step has no jump.
void SystemBuilder::set_start_rates() {
  for (const JointMotion& motion : scene_.joint_motions) {
    Node* node = find_scalar_joint(motion.joint);
    if (node == nullptr) continue;
    node->v[0] = motion.rate(0.0);
    node->twist.setZero();  // the motion counts, not a velocity given for the body
  }
  // The joint, that to which it refers, and the ratio of their rates.
  struct Gear {
    Node* joint;
    const Node* reference;
    double multiplier;
  };
  std::vector<Gear> gears;
  const auto add = [&](const JointCoupling& coupling, const std::string& prefix) {
    Node* joint = find_scalar_joint(prefix + coupling.joint);
    const Node* reference = find_scalar_joint(prefix + coupling.reference);
    if (joint == nullptr || reference == nullptr) return;
    gears.push_back({joint, reference, coupling.curve.slope(reference->q[0])});
  };
  for (const SceneModel& model : scene_.models) {
    for (const JointCoupling& coupling : model.couplings) add(coupling, model.name + "/");
  }
  for (const JointCoupling& coupling : scene_.couplings) add(coupling, "");
  // A chain of gears is turned from its first joint on, in as many passes at most.
  bool turned = true;
  for (std::size_t pass = 0; turned && pass < gears.size(); ++pass) {
    turned = false;
    for (const Gear& gear : gears) {
      if (gear.joint->v[0] != 0.0 || !gear.joint->twist.isZero(0.0)) continue;
      gear.joint->v[0] = gear.multiplier * gear.reference->v[0];
      turned = turned || gear.joint->v[0] != 0.0;
    }
  }
}

void SystemBuilder::place_nodes() {
  children_.resize(nodes_.size());
  std::vector<int> pending;
  std::vector<char> placed(nodes_.size(), 0);
  for (int n = 0; n < static_cast<int>(nodes_.size()); ++n) {
    const Node& node = nodes_[static_cast<std::size_t>(n)];
    if (node.parent >= 0 && !node.maximal) {
      children_[static_cast<std::size_t>(node.parent)].push_back(n);
    }
    // Parents may be declared later: find the nearest placed ancestor, then place from there
    // outwards.
    pending.clear();
    for (int m = n; m >= 0 && placed[static_cast<std::size_t>(m)] == 0;
         m = nodes_[static_cast<std::size_t>(m)].parent) {
      pending.push_back(m);
    }
    for (auto it = pending.rbegin(); it != pending.rend(); ++it) {
      place(nodes_[static_cast<std::size_t>(*it)]);
      placed[static_cast<std::size_t>(*it)] = 1;
    }
  }
}

void SystemBuilder::place(Node& node) {
  // A node without a joint is where the scene declares it.
  if (node.joint_name.empty()) {
    node.initial = node.declared;
    set_base_coordinates(node);
    return;
  }
  Pose X_WP;
  Vector6d V_WP = Vector6d::Zero();
  if (node.parent >= 0) {
    X_WP = nodes_[static_cast<std::size_t>(node.parent)].initial;
    V_WP = nodes_[static_cast<std::size_t>(node.parent)].twist;
  }
  // X_WB = X_WP X_PF X_FM(q) X_MB, with the initial error of a maximal joint.
  const Pose X_WF = X_WP * node.X_PF;
  const Pose X_WM = X_WF * joint_transform(node.joint, node.q);
  node.initial = X_WM * node.X_MB;
  node.initial.translation += node.error_W;
  if (node.maximal && !node.twist.isZero(0.0)) {
    set_base_coordinates(node);  // the velocity given for the body counts
    return;
  }
  // A velocity given for the body determines the joint's rates.
  if (!node.twist.isZero(0.0)) node.v = rates_of_twist(node, X_WP, V_WP, X_WF, X_WM);
  // V_WB: the parent's velocity at M, plus the joint's own, carried to B.
  const Vector6d V_FM = joint_motion_subspace(node.joint, node.q) * node.v;
  const Eigen::Vector3d w_P = V_WP.head<3>();
  const Eigen::Vector3d w = w_P + X_WF.rotation * V_FM.head<3>();
  const Eigen::Vector3d v_M = V_WP.tail<3>() + w_P.cross(X_WM.translation - X_WP.translation) +
                              X_WF.rotation * V_FM.tail<3>();
  node.twist << w, v_M + w.cross(node.initial.translation - X_WM.translation);
  if (node.maximal) set_base_coordinates(node);
}

/// Returns the rates of a joint that give its child the declared velocity. Where the child turns
/// and only its angular velocity is given, the linear one follows from the joint. Throws if the
/// joint does not allow the velocity.
/// @param X_WP, V_WP  pose and velocity of the parent.
/// @param X_WF, X_WM  frames of the joint at the start.
Eigen::VectorXd SystemBuilder::rates_of_twist(const Node& node, const Pose& X_WP,
                                              const Vector6d& V_WP, const Pose& X_WF,
                                              const Pose& X_WM) {
  constexpr double kAgreement = 1e-6;  // share of the velocity by which both may differ
  const Eigen::Vector3d w = node.twist.head<3>(), w_P = V_WP.head<3>();
  // V_FM of the declared velocity, in F.
  const Eigen::Vector3d arm = X_WM.translation - node.initial.translation;
  const Eigen::Vector3d v_M = node.twist.tail<3>() + w.cross(arm);
  const Eigen::Vector3d v_F = V_WP.tail<3>() + w_P.cross(X_WM.translation - X_WP.translation);
  Vector6d wanted;
  wanted << X_WF.rotation.transpose() * (w - w_P), X_WF.rotation.transpose() * (v_M - v_F);
  // S v = V_FM; without a linear velocity the rows of the angular one decide.
  const auto S = joint_motion_subspace(node.joint, node.q);
  const bool only_turns = node.twist.tail<3>().isZero(0.0) && !S.topRows<3>().isZero(0.0) &&
                          node.joint.type != JointType::Planar;
  const Eigen::Index rows = only_turns ? 3 : 6;
  Eigen::VectorXd rates = Eigen::VectorXd::Zero(S.cols());
  if (S.cols() > 0) {
    rates = Eigen::MatrixXd(S.topRows(rows)).colPivHouseholderQr().solve(wanted.head(rows));
  }
  // Each part is compared with the velocities it is the sum of.
  const Vector6d error = S * rates - wanted;
  const double turning = w.norm() + w_P.norm();
  const double moving = v_M.norm() + v_F.norm() + turning * arm.norm();
  const bool agrees = error.head<3>().norm() <= kAgreement * turning &&
                      (only_turns || error.tail<3>().norm() <= kAgreement * moving);
  if (!agrees) {
    fail(node.where, "body '" + node.name + "' starts with a velocity that joint '" +
                         node.joint_name +
                         "' does not allow; give one that the joint allows, or 'rate' of the "
                         "joint instead");
  }
  return rates;
}

/// Sets q and v of a node with a base of its own, from its pose and twist.
void SystemBuilder::set_base_coordinates(Node& node) const {
  if (node.base == BaseType::Planar) {
    // The plane is x-z through the body's origin; X_MB keeps all rotation except that about y.
    const Eigen::Matrix3d& R = node.initial.rotation;
    const bool upright = (R.col(1) - Eigen::Vector3d::UnitY()).norm() < 1e-9;
    const double angle = upright ? elementary::atan2(R(0, 2), R(0, 0)) : 0.0;
    node.q = Eigen::Vector3d(node.initial.translation.x(), node.initial.translation.z(), angle);
    node.v = Eigen::Vector3d(node.twist[3], node.twist[5], node.twist[1]);
    node.X_WF_of_base.translation = Eigen::Vector3d(0.0, node.initial.translation.y(), 0.0);
    node.X_MB_of_base.rotation = rotation_from_vector(-angle * Eigen::Vector3d::UnitY()) * R;
  } else if (node.base == BaseType::Free) {
    node.q.resize(7);
    node.q << wxyz_from_quaternion(Eigen::Quaterniond(node.initial.rotation)),
        node.initial.translation;
    node.v = node.twist;
  }
}

}  // namespace amontons

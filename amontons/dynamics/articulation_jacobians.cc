#include "amontons/dynamics/articulation.h"

#include <Eigen/Geometry>

namespace amontons {
namespace {

/// Calls visit(column, w, v) for each degree of freedom on the path from a link to an ancestor,
/// without that ancestor's; -1: to the root. (w, v) is the velocity that its unit rate gives to the
/// link's point p_W.
template <typename Visitor>
void visit_path(const Articulation& tree, const ArticulationKinematics& kinematics, int link,
                int ancestor, const Eigen::Vector3d& p_W, Visitor&& visit) {
  // The arm grows by links, not by differences of world positions, which would lose digits.
  Eigen::Vector3d arm = p_W - kinematics.X_WB[static_cast<std::size_t>(link)].translation;
  for (int l = link; l != ancestor;) {
    const std::size_t i = static_cast<std::size_t>(l);
    const Link& own = tree.links()[i];
    const Eigen::Index end = tree.v_offset(l) + num_velocities(own.joint);
    for (Eigen::Index column = tree.v_offset(l); column < end; ++column) {
      const Eigen::Vector3d w = kinematics.subspace.col(column).head<3>();
      const Eigen::Vector3d v_origin = kinematics.subspace.col(column).tail<3>();
      visit(column, w, Eigen::Vector3d(v_origin + w.cross(arm)));
    }
    // The arm now starts at the parent's origin.
    arm += kinematics.p_PB_W[i];
    l = own.parent;
  }
}

/// Returns the last link on the paths of both links to the root, or -1.
int common_ancestor(const Articulation& tree, int link_a, int link_b) {
  // Parents come before their children.
  while (link_a != link_b) {
    int& last = link_a > link_b ? link_a : link_b;
    last = tree.links()[static_cast<std::size_t>(last)].parent;
  }
  return link_a;
}

}  // namespace

// Linear rows of the frame's Jacobian.
Eigen::MatrixXd Articulation::point_jacobian(const ArticulationKinematics& kinematics, int link,
                                             const Eigen::Vector3d& p_W) const {
  return frame_jacobian(kinematics, link, p_W).bottomRows<3>();
}

void Articulation::frame_jacobian(const ArticulationKinematics& kinematics, int link,
                                  const Eigen::Vector3d& p_W, Eigen::Ref<Eigen::MatrixXd> J) const {
  J.setZero();
  visit_path(*this, kinematics, link, -1, p_W,
             [&J](Eigen::Index column, const Eigen::Vector3d& w, const Eigen::Vector3d& v) {
               J.col(column).head<3>() = w;
               J.col(column).tail<3>() = v;
             });
}

Eigen::MatrixXd Articulation::frame_jacobian(const ArticulationKinematics& kinematics, int link,
                                             const Eigen::Vector3d& p_W) const {
  Eigen::MatrixXd J(6, nv_);
  frame_jacobian(kinematics, link, p_W, J);
  return J;
}

void Articulation::add_point_jacobian(const ArticulationKinematics& kinematics, int link,
                                      const Eigen::Vector3d& p_W, const Eigen::Matrix3d& R,
                                      Eigen::Ref<Eigen::MatrixXd> J) const {
  if (is_free_body_in_W()) {
    // Rates are those of the body's origin in W: the point moves by v + w x arm.
    const Eigen::Vector3d arm = p_W - kinematics.X_WB[0].translation;
    J.col(0).head<3>() += arm.y() * R.col(2) - arm.z() * R.col(1);
    J.col(1).head<3>() += arm.z() * R.col(0) - arm.x() * R.col(2);
    J.col(2).head<3>() += arm.x() * R.col(1) - arm.y() * R.col(0);
    for (Eigen::Index k = 0; k < 3; ++k) J.col(3 + k).head<3>() += R.col(k);
    return;
  }
  if (nv_ == 6 && links_[0].joint == JointType::Free) {
    // A free body has one link of six rates, so that matrices of fixed size do.
    const Eigen::Vector3d arm = p_W - kinematics.X_WB[0].translation;
    Eigen::Matrix<double, 3, 6> v;
    for (Eigen::Index k = 0; k < 6; ++k) {
      const Eigen::Vector3d w = kinematics.subspace.col(k).head<3>();
      v.col(k) = kinematics.subspace.col(k).tail<3>() + w.cross(arm);
    }
    J.leftCols<6>() += R.lazyProduct(v);
    return;
  }
  // Only rates on the link's own path move the point; other columns of J stay.
  visit_path(*this, kinematics, link, -1, p_W,
             [&](Eigen::Index column, const Eigen::Vector3d&, const Eigen::Vector3d& v) {
               J.col(column).head<3>() += R * v;
             });
}

void Articulation::add_relative_jacobian(const ArticulationKinematics& kinematics, int link_a,
                                         int link_b, const Eigen::Vector3d& p_W,
                                         const Eigen::Matrix3d& R,
                                         Eigen::Ref<Eigen::MatrixXd> J) const {
  // The difference of the paths to the root would leave rounding in the columns of their common
  // part: an approach that the rates of a flying base seem to change.
  const int common = common_ancestor(*this, link_a, link_b);
  const auto add_path = [&](int link, double sign) {
    visit_path(*this, kinematics, link, common, p_W,
               [&](Eigen::Index column, const Eigen::Vector3d&, const Eigen::Vector3d& v) {
                 J.col(column).head<3>() += sign * (R * v);
               });
  };
  add_path(link_b, 1.0);
  add_path(link_a, -1.0);
}

// J v without the matrix J.
Vector6d Articulation::frame_velocity(const ArticulationKinematics& kinematics, int link,
                                      const Eigen::Vector3d& p_W,
                                      const Eigen::Ref<const Eigen::VectorXd>& v) const {
  Vector6d result = Vector6d::Zero();
  if (is_free_body_in_W()) {
    const Eigen::Vector3d arm = p_W - kinematics.X_WB[0].translation;
    const Eigen::Vector3d w = v.head<3>();
    result << w, v.tail<3>() + w.cross(arm);
    return result;
  }
  visit_path(*this, kinematics, link, -1, p_W,
             [&](Eigen::Index column, const Eigen::Vector3d& w, const Eigen::Vector3d& v_point) {
               result.head<3>() += v[column] * w;
               result.tail<3>() += v[column] * v_point;
             });
  return result;
}

}  // namespace amontons

#include "amontons/dynamics/articulation.h"
#include "amontons/dynamics/composite_inertia.h"

#include <Eigen/Geometry>

namespace amontons {

// Each link's inertia about its origin in world axes, then sums over subtrees.
void Articulation::compute_inertias(ArticulationKinematics& kinematics) const {
  std::vector<CompositeInertia>& inertias = kinematics.inertias;
  inertias.resize(links_.size());
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const Constants& own = constants_[i];
    const Eigen::Matrix3d& R_WB = kinematics.X_WB[i].rotation;
    inertias[i].mass = links_[i].inertia.mass;
    inertias[i].first_moment = R_WB * own.first_moment;
    // The moment of a ball or cube is the same in all axes, and its mass matrix stays diagonal.
    if (own.is_isotropic) {
      inertias[i].second_moment = own.second_moment;
      continue;
    }
    const Eigen::Matrix3d turned = R_WB * own.second_moment;
    // R I R' is symmetric, so that six entries determine it.
    const auto entry = [&](int row, int col) { return turned.row(row).dot(R_WB.row(col)); };
    Eigen::Matrix3d& second = inertias[i].second_moment;
    second(0, 0) = entry(0, 0);
    second(1, 1) = entry(1, 1);
    second(2, 2) = entry(2, 2);
    second(0, 1) = second(1, 0) = entry(0, 1);
    second(0, 2) = second(2, 0) = entry(0, 2);
    second(1, 2) = second(2, 1) = entry(1, 2);
  }
  // From the leaves inwards, each composite is complete when its parent receives it.
  std::vector<CompositeInertia>& composites = kinematics.composites;
  composites = inertias;
  for (std::size_t i = links_.size(); i-- > 0;) {
    if (links_[i].parent < 0) continue;
    composites[static_cast<std::size_t>(links_[i].parent)].add(composites[i], kinematics.p_PB_W[i]);
  }
}

// Composite rigid bodies [Featherstone 2008, table 6.2], in world axes at the links' origins.
void Articulation::mass_matrix(const ArticulationKinematics& kinematics,
                               Eigen::Ref<Eigen::MatrixXd> M) const {
  if (is_free_body_in_W()) {  // S = 1: the inertia about the origin
    const CompositeInertia& own = kinematics.composites[0];
    M.topLeftCorner<6, 6>() = inertia_matrix(own.mass, own.first_moment, own.second_moment);
    return;
  }
  if (links_.size() == 1 && nv_ == 6) {  // a free body: S' I S of fixed size
    const Eigen::Matrix<double, 6, 6> S = kinematics.subspace.leftCols<6>();
    Eigen::Matrix<double, 6, 6> momenta;
    for (Eigen::Index k = 0; k < 6; ++k) {
      momenta.col(k) = kinematics.composites[0].momentum(S.col(k));
    }
    M.topLeftCorner<6, 6>().triangularView<Eigen::Upper>() = S.transpose().lazyProduct(momenta);
    M.topLeftCorner<6, 6>().triangularView<Eigen::StrictlyLower>() = M.transpose();
    return;
  }
  // The lower triangle holds M's nonzeros; the upper one mirrors it.
  M.setZero();
  lower_mass_matrix(kinematics, M);
  for (Eigen::Index column = 1; column < nv_; ++column) {
    for (Eigen::Index row = 0; row < column; ++row) M(row, column) = M(column, row);
  }
}

// M(k, l) = S_l' I_c S_k for rates on one branch, I_c the composite inertia that rate k moves.
void Articulation::lower_mass_matrix(const ArticulationKinematics& kinematics,
                                     Eigen::Ref<Eigen::MatrixXd> M) const {
  using ConstVector = Eigen::Map<const Eigen::Vector3d>;
  const double* subspace = kinematics.subspace.data();
  // Writes entries of one row of M: the power of a force at a link's origin along the link's own
  // rates.
  const auto project = [&](const Constants& link, const Eigen::Vector3d& torque,
                           const Eigen::Vector3d& force, int last, int k) {
    if (link.is_free_in_W) {
      for (int l = link.v; l <= last; ++l) {
        M(k, l) = l < link.v + 3 ? torque[l - link.v] : force[l - link.v - 3];
      }
      return;
    }
    for (int l = link.v; l <= last; ++l) {
      double sum = ConstVector(subspace + 6 * l).dot(torque);
      if (!link.has_no_linear_part) sum += ConstVector(subspace + 6 * l + 3).dot(force);
      M(k, l) = sum;
    }
  };
  for (std::size_t i = links_.size(); i-- > 0;) {
    const Constants& own = constants_[i];
    const CompositeInertia& carried = kinematics.composites[i];
    for (int k = own.v; k < own.v + own.nv; ++k) {
      const Eigen::Vector3d w = ConstVector(subspace + 6 * k),
                            v = ConstVector(subspace + 6 * k + 3);
      // Momentum of the subtree at a unit of rate k, about the link's origin.
      Eigen::Vector3d torque = carried.second_moment * w;
      Eigen::Vector3d force = w.cross(carried.first_moment);
      if (!own.has_no_linear_part) {
        torque += carried.first_moment.cross(v);
        force += carried.mass * v;
      }
      project(own, torque, force, k, k);
      // Rotors add to the diagonal alone.
      M(k, k) += links_[i].armature;
      // The momentum moves to each ancestor's origin and meets the ancestor's rates.
      for (std::size_t j = i; links_[j].parent >= 0;) {
        torque += kinematics.p_PB_W[j].cross(force);
        j = static_cast<std::size_t>(links_[j].parent);
        project(constants_[j], torque, force, constants_[j].v + constants_[j].nv - 1, k);
      }
    }
  }
}

Eigen::MatrixXd Articulation::mass_matrix(const ArticulationKinematics& kinematics) const {
  Eigen::MatrixXd M(nv_, nv_);
  mass_matrix(kinematics, M);
  return M;
}

}  // namespace amontons

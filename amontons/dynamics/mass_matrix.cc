#include "amontons/dynamics/articulation.h"
#include "amontons/dynamics/composite_inertia.h"

#include <Eigen/Geometry>

namespace amontons {

Vector6d CompositeInertia::momentum(const Vector6d& V) const {
  const Eigen::Vector3d w = V.head<3>();
  const Eigen::Vector3d v = V.tail<3>();
  Vector6d result;
  result << second_moment * w + first_moment.cross(v), mass * v + w.cross(first_moment);
  return result;
}

// The parallel axes' theorem with g = h + m d / 2, h the child's first moment:
//   -[d][h] - [h][d] - m [d][d] = 2 (d . g) 1 - g d' - d g'.
void CompositeInertia::add(const CompositeInertia& child, const Eigen::Vector3d& d) {
  const Eigen::Vector3d g = child.first_moment + 0.5 * child.mass * d;
  mass += child.mass;
  first_moment += child.first_moment + child.mass * d;
  const double twice = 2.0 * d.dot(g);
  for (int col = 0; col < 3; ++col) {
    for (int row = 0; row <= col; ++row) {
      double entry = child.second_moment(row, col) - (g[row] * d[col] + d[row] * g[col]);
      if (row == col) entry += twice;
      second_moment(row, col) += entry;
      second_moment(col, row) = second_moment(row, col);
    }
  }
}

void Articulation::compute_inertias(ArticulationKinematics& kinematics) const {
  std::vector<CompositeInertia>& inertias = kinematics.inertias;
  inertias.resize(links_.size());
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const Constants& own = constants_[i];
    const Eigen::Matrix3d& R_WB = kinematics.X_WB[i].rotation;
    const Eigen::Matrix3d turned = R_WB * own.second_moment;
    inertias[i].mass = links_[i].inertia.mass;
    inertias[i].first_moment = R_WB * own.first_moment;
    for (int col = 0; col < 3; ++col) {
      for (int row = 0; row <= col; ++row) {
        inertias[i].second_moment(row, col) = inertias[i].second_moment(col, row) =
            turned.row(row).dot(R_WB.row(col));
      }
    }
  }
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
  if (links_.size() == 1 && nv_ == 6) {  // a free body: the same, of fixed size
    const Eigen::Matrix<double, 6, 6> S = kinematics.subspace.leftCols<6>();
    Eigen::Matrix<double, 6, 6> momenta;
    for (Eigen::Index k = 0; k < 6; ++k) {
      momenta.col(k) = kinematics.composites[0].momentum(S.col(k));
    }
    M.topLeftCorner<6, 6>().triangularView<Eigen::Upper>() = S.transpose().lazyProduct(momenta);
    M.topLeftCorner<6, 6>().triangularView<Eigen::StrictlyLower>() = M.transpose();
    return;
  }
  M.setZero();
  const auto S = [&kinematics](int column) -> Eigen::Map<const Vector6d> {
    return Eigen::Map<const Vector6d>(kinematics.subspace.data() + 6 * column);
  };
  for (std::size_t i = links_.size(); i-- > 0;) {
    const Constants& own = constants_[i];
    for (int column = own.v; column < own.v + own.nv; ++column) {
      Vector6d force = kinematics.composites[i].momentum(S(column));
      for (int row = own.v; row <= column; ++row) {
        M(row, column) = M(column, row) = S(row).dot(force);
      }
      M(column, column) += links_[i].armature;
      for (std::size_t j = i; links_[j].parent >= 0;) {
        force.head<3>() += kinematics.p_PB_W[j].cross(force.tail<3>());
        j = static_cast<std::size_t>(links_[j].parent);
        for (int row = constants_[j].v; row < constants_[j].v + constants_[j].nv; ++row) {
          M(row, column) = M(column, row) = S(row).dot(force);
        }
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

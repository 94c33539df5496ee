#include "amontons/simulation/stepping/contact_rows.h"

#include "amontons/math/rotation.h"

namespace amontons {

void add_contact_rows(const System& system, const SystemKinematics& kinematics,
                      const Contact& contact, const std::function<Eigen::Index(int)>& column_of,
                      BlockSparseMatrix& jacobian) {
  const Eigen::Matrix3d R_CW = contact_frame(contact.normal_W).transpose();
  const Body& a = system.bodies()[static_cast<std::size_t>(contact.body_a)];
  const Body& b = system.bodies()[static_cast<std::size_t>(contact.body_b)];
  const auto tree_of = [&system](const Body& body) -> const Articulation& {
    return system.articulations()[static_cast<std::size_t>(body.articulation)];
  };
  const auto kinematics_of = [&kinematics](const Body& body) -> const ArticulationKinematics& {
    return kinematics.trees[static_cast<std::size_t>(body.articulation)];
  };
  const auto columns_of = [&](const Body& body) {
    return jacobian.block_at(column_of(body.articulation), tree_of(body).num_velocities());
  };
  jacobian.add_block_row(3);
  if (a.articulation == b.articulation && a.articulation >= 0) {
    tree_of(a).add_relative_jacobian(kinematics_of(a), a.link, b.link, contact.position_W, R_CW,
                                     columns_of(a));
    return;
  }
  // Fixed bodies have no columns.
  const auto add_point = [&](const Body& body, const Eigen::Matrix3d& R) {
    if (body.articulation < 0) return;
    tree_of(body).add_point_jacobian(kinematics_of(body), body.link, contact.position_W, R,
                                     columns_of(body));
  };
  add_point(b, R_CW);
  add_point(a, -R_CW);
}

}  // namespace amontons

#include "amontons/contact/operators/arrival_velocity.h"

#include "amontons/contact/operators/independent_joint_rows.h"
#include "amontons/math/block_diagonal_factor.h"

#include <vector>

namespace amontons {
namespace {

/// Returns the least change of v, in the scaling M, by which the rows of J have their rates [nv].
Eigen::VectorXd change_by_joints(const ContactProblem& problem) {
  const BlockDiagonalFactor factor(problem.mass_matrix);
  const IndependentJointRows joints =
      independent_joint_rows(problem.joint_jacobian, problem.joint_error, factor);
  const Eigen::VectorXd missing =
      problem.joint_target() - problem.joint_jacobian * problem.velocity;
  // L^-1 Q y with L_J y = target - J v.
  Eigen::VectorXd along_rows = missing(joints.indices);
  joints.factor.solve_factor(along_rows);
  Eigen::VectorXd change = joints.factor.basis() * along_rows;
  factor.unwhiten_in_place(change);
  return change;
}

}  // namespace

Eigen::VectorXd arrival_velocity(const ContactProblem& problem, Eigen::VectorXd u) {
  if (problem.step > 0.0 || problem.joint_jacobian.rows() == 0) return u;
  // Only contacts that may bounce ask for the rates of the instant.
  std::vector<Eigen::Index> normals;
  for (std::size_t i = 0; i < problem.num_contacts(); ++i) {
    const Contact& contact = problem.contacts[i];
    const Eigen::Index normal = ContactProblem::row(i) + 2;
    if (contact.restitution > 0.0 && !contact.is_joint_row && -u(normal) > problem.rest_speed) {
      normals.push_back(normal);
    }
  }
  if (normals.empty()) return u;
  const Eigen::VectorXd of_instant =
      problem.contact_velocities(problem.velocity + change_by_joints(problem));
  for (const Eigen::Index normal : normals) u(normal) = of_instant(normal);
  return u;
}

}  // namespace amontons

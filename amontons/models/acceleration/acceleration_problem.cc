#include "amontons/models/acceleration/acceleration_problem.h"

#include "amontons/contact/activation.h"
#include "amontons/math/block_diagonal_factor.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

/// Throws std::invalid_argument naming a vector of the wrong size.
void check_size(Index size, Index expected, const char* name) {
  if (size == expected) return;
  throw std::invalid_argument(std::string("contact at acceleration level: ") + name + " has " +
                              std::to_string(size) + " entries, expected " +
                              std::to_string(expected));
}

/// Returns -theta mu_v u_t at each contact that touches [3 nc] [N].
VectorXd drag_forces(const ContactProblem& problem, const std::vector<char>& touching,
                     const Eigen::Ref<const VectorXd>& shares) {
  VectorXd forces = problem.contact_velocities(problem.velocity);
  for (std::size_t i = 0; i < problem.num_contacts(); ++i) {
    const Index row = ContactProblem::row(i);
    const Contact& contact = problem.contacts[i];
    forces.segment<2>(row) *=
        touching[i] ? -shares(static_cast<Index>(i)) * contact.viscous_friction : 0.0;
    forces(row + 2) = 0.0;
  }
  return forces;
}

}  // namespace

bool has_blocked_normal(const ContactProblem& problem, std::size_t contact) {
  const auto blocks = problem.contact_jacobian.block_row(contact);
  return std::all_of(blocks.begin(), blocks.end(), [&](const BlockSparseMatrix::Block& block) {
    return problem.contact_jacobian.values(block).row(2).isZero(0.0);
  });
}

AccelerationProblem acceleration_problem(const ContactProblem& problem,
                                         const Eigen::Ref<const VectorXd>& forces,
                                         const Eigen::Ref<const VectorXd>& contact_rate,
                                         const Eigen::Ref<const VectorXd>& joint_rate,
                                         const Eigen::Ref<const VectorXd>& drag_shares) {
  // Forces and rates must match the matrices they are read with.
  check_size(forces.size(), problem.mass_matrix.size(), "forces");
  check_size(contact_rate.size(), problem.contact_jacobian.rows(), "contact_rate");
  check_size(joint_rate.size(), problem.joint_jacobian.rows(), "joint_rate");
  check_size(drag_shares.size(), static_cast<Index>(problem.num_contacts()), "drag_shares");
  AccelerationProblem result;
  const double touching = touching_gap(problem);
  for (std::size_t i = 0; i < problem.num_contacts(); ++i) {
    const bool is_apart =
        problem.contacts[i].gap > touching ||
        (has_blocked_normal(problem, i) && contact_rate(ContactProblem::row(i) + 2) == 0.0);
    result.touching.push_back(!is_apart);
  }
  result.drag = drag_forces(problem, result.touching, drag_shares);
  // A step of 1 s from rest: its velocity change is the acceleration, its impulses are forces.
  ContactProblem& instant = result.instant;
  instant.step = 1.0;
  instant.mass_matrix = problem.mass_matrix;
  instant.velocity = VectorXd::Zero(problem.mass_matrix.size());
  instant.free_velocity =
      BlockDiagonalFactor(problem.mass_matrix)
          .solve(forces + problem.contact_jacobian.transpose_times(result.drag));
  // Drag is explicit in the forces, and between accelerations nothing has a gap or bounces.
  instant.contacts = problem.contacts;
  for (Contact& contact : instant.contacts) {
    contact.gap = contact.restitution = contact.viscous_friction = 0.0;
  }
  // The rates of J_C and J at constant v are the biases of the rows.
  instant.contact_jacobian = problem.contact_jacobian;
  instant.contact_bias = contact_rate;
  instant.joint_jacobian = problem.joint_jacobian;
  instant.joint_error = VectorXd::Zero(problem.joint_jacobian.rows());
  instant.joint_bias = joint_rate;
  instant.bounded_jacobian.reset(problem.mass_matrix.size());
  return result;
}

}  // namespace amontons

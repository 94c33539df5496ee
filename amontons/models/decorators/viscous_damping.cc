#include "amontons/models/decorators/viscous_damping.h"

#include "amontons/contact/viscous_drag.h"
#include "amontons/math/block_diagonal_factor.h"

#include <cstddef>
#include <vector>

namespace amontons {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

/// Returns M~ = M + h J_t' mu_v J_t.
BlockDiagonalMatrix damped_mass_matrix(const ContactProblem& problem) {
  const BlockDiagonalMatrix& M = problem.mass_matrix;
  // Drag that couples articulations makes one dense block; else the blocks of M stay.
  BlockDiagonalMatrix result;
  if (drag_couples(problem)) {
    result.add_block(M.to_dense());
  } else {
    for (const BlockDiagonalMatrix::Block& block : M.blocks()) result.add_block(block.matrix);
  }
  // The block of each velocity coordinate.
  std::vector<std::size_t> block_of;
  for (std::size_t b = 0; b < result.num_blocks(); ++b) {
    block_of.insert(block_of.end(), static_cast<std::size_t>(result.block(b).matrix.rows()), b);
  }
  const BlockSparseMatrix& J = problem.contact_jacobian;
  for (std::size_t i = 0; i < problem.num_contacts(); ++i) {
    // Each contact adds drag J_t'J_t between all articulations that it touches.
    const double drag = viscous_drag(problem, i);
    if (!(drag > 0.0)) continue;
    for (const BlockSparseMatrix::Block& left : J.block_row(i)) {
      const std::size_t b = block_of[static_cast<std::size_t>(left.col)];
      const Index offset = result.block(b).offset;
      for (const BlockSparseMatrix::Block& right : J.block_row(i)) {
        result.mutable_block(b).block(left.col - offset, right.col - offset, left.num_cols,
                                      right.num_cols) +=
            drag * J.values(left).topRows(2).transpose() * J.values(right).topRows(2);
      }
    }
  }
  return result;
}

}  // namespace

bool drag_couples(const ContactProblem& problem) {
  for (std::size_t i = 0; i < problem.num_contacts(); ++i) {
    if (viscous_drag(problem, i) > 0.0 && problem.contact_jacobian.block_row(i).size() > 1) {
      return true;
    }
  }
  return false;
}

VectorXd drag_impulses(const ContactProblem& problem, const VectorXd& u) {
  VectorXd impulses = VectorXd::Zero(u.size());
  for (std::size_t i = 0; i < problem.num_contacts(); ++i) {
    const Index row = ContactProblem::row(i);
    impulses.segment<2>(row) = -viscous_drag(problem, i) * u.segment<2>(row);
  }
  return impulses;
}

ContactProblem with_viscous_damping(const ContactProblem& problem) {
  ContactProblem damped = problem;
  damped.mass_matrix = damped_mass_matrix(problem);
  for (Contact& contact : damped.contacts) contact.viscous_friction = 0.0;
  // M~ v~_free = M v_free - h J_t' mu_v bias_t.
  VectorXd momentum = problem.mass_matrix * problem.free_velocity;
  momentum +=
      problem.contact_jacobian.transpose_times(drag_impulses(problem, problem.contact_bias));
  BlockDiagonalFactor(damped.mass_matrix).solve_in_place(momentum);
  damped.free_velocity = momentum;
  return damped;
}

}  // namespace amontons

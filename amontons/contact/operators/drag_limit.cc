#include "amontons/contact/operators/drag_limit.h"

#include "amontons/contact/viscous_drag.h"
#include "amontons/math/block_diagonal_factor.h"

#include <optional>

namespace amontons {
namespace {

/// Returns the trace of J_t M^-1 J_t' [1/kg] of one contact, which bounds w.
double inverse_mass_of_slide(const ContactProblem& problem, const BlockDiagonalFactor& factor,
                             std::size_t contact) {
  double trace = 0.0;
  for (const BlockSparseMatrix::Block& block : problem.contact_jacobian.block_row(contact)) {
    const std::size_t b = factor.block_of_row(block.col);
    const BlockDiagonalMatrix::Block mass = factor.block(b);
    Eigen::MatrixXd tangents = Eigen::MatrixXd::Zero(mass.matrix.rows(), 2);
    tangents.middleRows(block.col - mass.offset, block.num_cols) =
        problem.contact_jacobian.values(block).topRows(2).transpose();
    factor.whiten_block_in_place(b, tangents);
    trace += tangents.squaredNorm();
  }
  return trace;
}

}  // namespace

void limit_drag(ContactProblem& problem) {
  std::optional<BlockDiagonalFactor> factor;
  for (std::size_t i = 0; i < problem.num_contacts(); ++i) {
    const double drag = viscous_drag(problem, i);
    if (!(drag > 0.0)) continue;
    if (!factor) factor.emplace(problem.mass_matrix);
    const double number = drag * inverse_mass_of_slide(problem, *factor, i);
    if (number > kMostDrag) problem.contacts[i].viscous_friction *= kMostDrag / number;
  }
}

}  // namespace amontons

#include "amontons/contact/islands/island_comparison.h"

#include "amontons/math/same_bits.h"

#include <cstring>

namespace amontons {
namespace {

using Eigen::Index;

/// Returns true if both problems have the same parameters of the step.
bool same_parameters(const ContactProblem& x, const ContactProblem& y) {
  return same_bits(x.step, y.step) && same_bits(x.gamma, y.gamma) &&
         x.literal_gamma == y.literal_gamma && same_bits(x.rest_speed, y.rest_speed) &&
         same_bits(x.overlap_speed, y.overlap_speed);
}

/// Returns true if both contacts have the same data, bit by bit.
bool same_contact(const Contact& x, const Contact& y) {
  return x.body_a == y.body_a && x.body_b == y.body_b && x.key == y.key &&
         same_bits(x.gap, y.gap) && same_bits(x.reach, y.reach) &&
         same_bits(x.position_W, y.position_W) && same_bits(x.normal_W, y.normal_W) &&
         same_bits(x.friction, y.friction) && same_bits(x.viscous_friction, y.viscous_friction) &&
         same_bits(x.restitution, y.restitution) && same_bits(x.opening_speed, y.opening_speed);
}

/// Returns true if both bounded rows have the same data, bit by bit.
bool same_bounded_row(const BoundedRow& x, const BoundedRow& y) {
  return x.kind == y.kind && x.index == y.index && x.is_upper == y.is_upper &&
         same_bits(x.lower, y.lower) && same_bits(x.upper, y.upper) && same_bits(x.gap, y.gap) &&
         same_bits(x.offset, y.offset) && same_bits(x.compliance, y.compliance) &&
         same_bits(x.restitution, y.restitution) && same_bits(x.opening_speed, y.opening_speed);
}

/// Returns true if inertia, tree and velocities of the island's articulations are the same.
bool same_bodies(const ContactProblem& problem, const Island& island, const ContactProblem& part) {
  for (std::size_t k = 0; k < island.blocks.size(); ++k) {
    const BlockDiagonalMatrix::Block x =
        problem.mass_matrix.block(static_cast<std::size_t>(island.blocks[k]));
    const BlockDiagonalMatrix::Block y = part.mass_matrix.block(k);
    const Index n = x.matrix.rows();
    const bool same =
        y.matrix.rows() == n && same_bits(x.matrix.data(), y.matrix.data(), n * n) &&
        std::memcmp(x.parents.data(), y.parents.data(), x.parents.size_bytes()) == 0 &&
        same_bits(problem.velocity.data() + x.offset, part.velocity.data() + y.offset, n) &&
        same_bits(problem.free_velocity.data() + x.offset, part.free_velocity.data() + y.offset, n);
    if (!same) return false;
  }
  return true;
}

/// Returns true if a block row of a Jacobian is the same. Its columns are renumbered in the part,
/// in the same order.
bool same_row(const BlockSparseMatrix& whole, std::size_t row, const BlockSparseMatrix& part,
              std::size_t part_row, const std::vector<Index>& columns) {
  const auto x = whole.block_row(row), y = part.block_row(part_row);
  if (x.size() != y.size()) return false;
  for (std::size_t b = 0; b < x.size(); ++b) {
    const bool same = x[b].num_cols == y[b].num_cols &&
                      columns[static_cast<std::size_t>(y[b].col)] == x[b].col &&
                      x[b].num_rows == y[b].num_rows &&
                      same_bits(whole.values(x[b]).data(), part.values(y[b]).data(),
                                x[b].num_rows * x[b].num_cols);
    if (!same) return false;
  }
  return true;
}

/// Returns the columns of the whole problem that belong to those of the island's own.
std::vector<Index> columns_of(const ContactProblem& problem, const Island& island) {
  std::vector<Index> columns;
  for (const int b : island.blocks) {
    const BlockDiagonalMatrix::Block block = problem.mass_matrix.block(static_cast<std::size_t>(b));
    for (Index i = 0; i < block.matrix.rows(); ++i) columns.push_back(block.offset + i);
  }
  return columns;
}

}  // namespace

bool is_same_problem(const ContactProblem& problem, const Island& island,
                     const Eigen::VectorXd& warm_start, const ContactProblem& part,
                     const Eigen::VectorXd& part_warm_start) {
  // Sizes first: they decide most comparisons without reading any data.
  const Index nc = static_cast<Index>(island.contacts.size());
  const Index nb = static_cast<Index>(island.bounded_rows.size());
  const Index rows = warm_start.size() == 0 ? 0 : 3 * nc + nb;
  const bool same_size = island.blocks.size() == part.mass_matrix.num_blocks() &&
                         island.contacts.size() == part.num_contacts() &&
                         island.bounded_rows.size() == part.bounded_rows.size() &&
                         part_warm_start.size() == rows;
  if (!same_size || !island.joint_rows.empty() || part.joint_jacobian.rows() > 0) return false;
  if (!same_parameters(problem, part) || !same_bodies(problem, island, part)) return false;
  // Contacts, with their share of the warm start, their bias and their rows of J_C.
  const std::vector<Index> columns = columns_of(problem, island);
  for (std::size_t k = 0; k < island.contacts.size(); ++k) {
    const auto i = static_cast<std::size_t>(island.contacts[k]);
    const Index row = ContactProblem::row(i), part_row = ContactProblem::row(k);
    const bool same =
        same_contact(problem.contacts[i], part.contacts[k]) &&
        (rows == 0 || same_bits(warm_start.data() + row, part_warm_start.data() + part_row, 3)) &&
        same_bits(problem.contact_bias.data() + row, part.contact_bias.data() + part_row, 3) &&
        same_row(problem.contact_jacobian, i, part.contact_jacobian, k, columns);
    if (!same) return false;
  }
  // Bounded rows, whose warm start follows that of the contacts.
  const Index first = problem.contact_jacobian.rows();
  for (Index k = 0; k < nb; ++k) {
    const auto part_row = static_cast<std::size_t>(k);
    const auto row = static_cast<std::size_t>(island.bounded_rows[part_row]);
    const bool same =
        same_bounded_row(problem.bounded_rows[row], part.bounded_rows[part_row]) &&
        (rows == 0 ||
         same_bits(warm_start(first + static_cast<Index>(row)), part_warm_start(3 * nc + k))) &&
        same_row(problem.bounded_jacobian, row, part.bounded_jacobian, part_row, columns);
    if (!same) return false;
  }
  return true;
}

}  // namespace amontons

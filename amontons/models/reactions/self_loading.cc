#include "amontons/models/reactions/self_loading.h"

#include "amontons/contact/islands/islands.h"
#include "amontons/math/block_diagonal_factor.h"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <vector>

namespace amontons {
namespace {

using Eigen::Index;

/// Returns v_free with the impulses of servos, springs and dampers [nv].
Eigen::VectorXd driven_velocity(const ContactProblem& problem, const ContactSolution& solution) {
  Eigen::VectorXd impulses = solution.bounded_impulses;
  for (std::size_t i = 0; i < problem.bounded_rows.size(); ++i) {
    const BoundedRowKind kind = problem.bounded_rows[i].kind;
    const bool drives = kind != BoundedRowKind::Limit && kind != BoundedRowKind::Friction;
    if (!drives) impulses(static_cast<Index>(i)) = 0.0;
  }
  if (impulses.isZero(0.0)) return problem.free_velocity;
  Eigen::VectorXd change = problem.bounded_jacobian.transpose_times(impulses);
  BlockDiagonalFactor(problem.mass_matrix).solve_in_place(change);
  return problem.free_velocity + change;
}

/// Returns the block of the mass matrix that each entry of v belongs to [nv].
std::vector<int> blocks_of_columns(const BlockDiagonalMatrix& matrix) {
  std::vector<int> blocks(static_cast<std::size_t>(matrix.size()));
  for (std::size_t b = 0; b < matrix.num_blocks(); ++b) {
    const BlockDiagonalMatrix::Block block = matrix.block(b);
    std::fill_n(blocks.begin() + block.offset, block.matrix.rows(), static_cast<int>(b));
  }
  return blocks;
}

/// Raises the mass that each articulation shows to the normal of a contact [kg].
void show_masses(const ContactProblem& problem, int contact, const std::vector<int>& block_of,
                 std::vector<double>& masses) {
  for (const BlockSparseMatrix::Block& block :
       problem.contact_jacobian.block_row(static_cast<std::size_t>(contact))) {
    const auto b = static_cast<std::size_t>(block_of[static_cast<std::size_t>(block.col)]);
    const BlockDiagonalMatrix::Block own = problem.mass_matrix.block(b);
    Eigen::VectorXd normal = Eigen::VectorXd::Zero(own.matrix.rows());
    normal.segment(block.col - own.offset, block.num_cols) =
        problem.contact_jacobian.values(block).row(2).transpose();
    const double w = normal.dot(own.matrix.llt().solve(normal));
    if (w > 0.0) masses[b] = std::max(masses[b], 1.0 / w);
  }
}

}  // namespace

SelfLoading self_loading(const ContactProblem& problem, const ContactSolution& solution,
                         double least) {
  SelfLoading worst;
  if (problem.num_contacts() == 0) return worst;
  const Eigen::VectorXd free = problem.contact_velocities(problem.free_velocity);
  const Eigen::VectorXd driven = problem.contact_velocities(driven_velocity(problem, solution));
  const std::vector<int> block_of = blocks_of_columns(problem.mass_matrix);
  std::vector<double> masses(problem.mass_matrix.num_blocks(), 0.0);
  for (const Island& island : find_islands(problem)) {
    double speed = 0.0, most = 0.0;
    int contact = -1;
    for (const int i : island.contacts) {
      const auto index = static_cast<std::size_t>(i);
      const Index row = ContactProblem::row(index);
      speed = std::max({speed, free.segment<3>(row).norm(), driven.segment<3>(row).norm(),
                        -problem.stabilized_gap(index)});
      if (solution.impulses(row + 2) > most) {
        most = solution.impulses(row + 2);
        contact = i;
      }
    }
    if (contact < 0) continue;
    // One contact cannot load itself, and a sum over articulations is needed only for several.
    if (island.contacts.size() < 2) continue;
    // The articulations at the loaded contact alone bound the load from below.
    show_masses(problem, contact, block_of, masses);
    double at_contact = 0.0;
    for (const int b : island.blocks) {
      at_contact = std::max(at_contact, masses[static_cast<std::size_t>(b)]);
    }
    if (most <= least * speed * at_contact) continue;
    for (const int i : island.contacts) show_masses(problem, i, block_of, masses);
    double mass = 0.0;
    for (const int b : island.blocks) {
      const auto index = static_cast<std::size_t>(b);
      mass += masses[index] > 0.0 ? masses[index]
                                  : problem.mass_matrix.block(index).matrix.diagonal().maxCoeff();
    }
    const double ratio = most / (speed * mass);
    if (std::isfinite(ratio) && ratio > worst.ratio) worst = {ratio, contact};
  }
  return worst;
}

}  // namespace amontons

#include "amontons/contact/islands.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace amontons {
namespace {

using Eigen::Index;

/// Index of the block of M that holds each velocity coordinate.
std::vector<int> block_of_column(const BlockDiagonalMatrix& matrix) {
  std::vector<int> result;
  int index = 0;
  for (const BlockDiagonalMatrix::Block& block : matrix.blocks()) {
    result.insert(result.end(), static_cast<std::size_t>(block.matrix.rows()), index++);
  }
  return result;
}

/// Disjoint sets; the root of a set is its least element, so that the result has one order.
class DisjointSets {
 public:
  explicit DisjointSets(std::size_t n) : parent_(n) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }
  int root(int i) {
    while (parent(i) != i) i = parent(i) = parent(parent(i));
    return i;
  }
  void join(int a, int b) {
    a = root(a);
    b = root(b);
    parent(std::max(a, b)) = std::min(a, b);
  }

 private:
  int& parent(int i) { return parent_[static_cast<std::size_t>(i)]; }
  std::vector<int> parent_;
};

void join_blocks_of_rows(const BlockSparseMatrix& jacobian, const std::vector<int>& block_of,
                         DisjointSets& sets) {
  for (std::size_t r = 0; r < jacobian.num_block_rows(); ++r) {
    const std::span<const BlockSparseMatrix::Block> blocks = jacobian.block_row(r);
    for (std::size_t b = 1; b < blocks.size(); ++b) {
      sets.join(block_of[static_cast<std::size_t>(blocks[0].col)],
                block_of[static_cast<std::size_t>(blocks[b].col)]);
    }
  }
}

/// Copies block rows of a Jacobian, its columns renumbered.
BlockSparseMatrix extract_rows(const BlockSparseMatrix& jacobian, const std::vector<int>& rows,
                               const std::vector<Index>& new_column, Index num_columns) {
  BlockSparseMatrix part(num_columns);
  for (const int row : rows) {
    const std::size_t r = static_cast<std::size_t>(row);
    part.add_block_row(jacobian.num_rows(r));
    for (const BlockSparseMatrix::Block& block : jacobian.block_row(r)) {
      part.add_block(new_column[static_cast<std::size_t>(block.col)], jacobian.values(block));
    }
  }
  return part;
}

/// The entries of `values` that belong to block rows of a Jacobian.
Eigen::VectorXd gather(const Eigen::VectorXd& values, const BlockSparseMatrix& jacobian,
                       const std::vector<int>& rows) {
  Index size = 0;
  for (const int row : rows) size += jacobian.num_rows(static_cast<std::size_t>(row));
  Eigen::VectorXd result(size);
  Index next = 0;
  for (const int row : rows) {
    const std::size_t r = static_cast<std::size_t>(row);
    const Index n = jacobian.num_rows(r);
    result.segment(next, n) = values.segment(jacobian.first_row(r), n);
    next += n;
  }
  return result;
}

void spread(const Eigen::VectorXd& part, const BlockSparseMatrix& jacobian,
            const std::vector<int>& rows, Eigen::VectorXd& whole) {
  Index next = 0;
  for (const int row : rows) {
    const std::size_t r = static_cast<std::size_t>(row);
    const Index n = jacobian.num_rows(r);
    whole.segment(jacobian.first_row(r), n) = part.segment(next, n);
    next += n;
  }
}

/// How much an answer with this status is worth less than a solved one.
int severity(SolveStatus status) {
  switch (status) {
    case SolveStatus::NotRun:
      return 0;
    case SolveStatus::Converged:
      return 1;
    case SolveStatus::Convexified:
      return 2;
    case SolveStatus::Safe:
      return 3;
    case SolveStatus::IterationLimit:
      return 4;
    case SolveStatus::Stalled:
      return 5;
    case SolveStatus::RayTermination:
      return 6;
    case SolveStatus::Infeasible:
      return 7;
    case SolveStatus::NumericalFailure:
      return 8;
  }
  throw std::invalid_argument("scatter: no such SolveStatus");
}

}  // namespace

bool worth_less(SolveStatus status, SolveStatus other) {
  return severity(status) > severity(other);
}

std::vector<Island> find_islands(const ContactProblem& problem) {
  const std::vector<int> block_of = block_of_column(problem.mass_matrix);
  DisjointSets sets(problem.mass_matrix.blocks().size());
  join_blocks_of_rows(problem.contact_jacobian, block_of, sets);
  join_blocks_of_rows(problem.joint_jacobian, block_of, sets);

  std::vector<Island> by_root(problem.mass_matrix.blocks().size());
  for (std::size_t b = 0; b < by_root.size(); ++b) {
    const int root = sets.root(static_cast<int>(b));
    by_root[static_cast<std::size_t>(root)].blocks.push_back(static_cast<int>(b));
  }
  const auto island_of_row = [&](const BlockSparseMatrix& jacobian, std::size_t row) -> Island* {
    if (jacobian.block_row(row).empty()) return nullptr;
    const Index column = jacobian.block_row(row)[0].col;
    return &by_root[static_cast<std::size_t>(
        sets.root(block_of[static_cast<std::size_t>(column)]))];
  };
  for (std::size_t i = 0; i < problem.num_contacts(); ++i) {
    Island* island = island_of_row(problem.contact_jacobian, i);
    if (island != nullptr) island->contacts.push_back(static_cast<int>(i));
  }
  for (std::size_t r = 0; r < problem.joint_jacobian.num_block_rows(); ++r) {
    Island* island = island_of_row(problem.joint_jacobian, r);
    if (island != nullptr) island->joint_rows.push_back(static_cast<int>(r));
  }

  std::vector<Island> islands;
  for (Island& island : by_root) {
    if (!island.contacts.empty() || !island.joint_rows.empty())
      islands.push_back(std::move(island));
  }
  return islands;
}

ContactProblem extract(const ContactProblem& problem, const Island& island) {
  ContactProblem part;
  part.step = problem.step;
  part.gamma = problem.gamma;
  part.literal_gamma = problem.literal_gamma;
  part.rest_speed = problem.rest_speed;

  std::vector<Index> new_column(static_cast<std::size_t>(problem.mass_matrix.size()), -1);
  for (const int b : island.blocks) {
    const BlockDiagonalMatrix::Block& block =
        problem.mass_matrix.blocks()[static_cast<std::size_t>(b)];
    for (Index i = 0; i < block.matrix.rows(); ++i) {
      new_column[static_cast<std::size_t>(block.offset + i)] = part.mass_matrix.size() + i;
    }
    part.mass_matrix.add_block(block.matrix, block.parents);
  }
  const Index nv = part.mass_matrix.size();
  part.velocity.resize(nv);
  part.free_velocity.resize(nv);
  for (std::size_t i = 0; i < new_column.size(); ++i) {
    if (new_column[i] < 0) continue;
    part.velocity(new_column[i]) = problem.velocity(static_cast<Index>(i));
    part.free_velocity(new_column[i]) = problem.free_velocity(static_cast<Index>(i));
  }

  for (const int i : island.contacts) {
    part.contacts.push_back(problem.contacts[static_cast<std::size_t>(i)]);
  }
  part.contact_jacobian = extract_rows(problem.contact_jacobian, island.contacts, new_column, nv);
  part.contact_bias = gather(problem.contact_bias, problem.contact_jacobian, island.contacts);
  part.joint_jacobian = extract_rows(problem.joint_jacobian, island.joint_rows, new_column, nv);
  part.joint_error = gather(problem.joint_error, problem.joint_jacobian, island.joint_rows);
  part.joint_bias = gather(problem.joint_bias, problem.joint_jacobian, island.joint_rows);
  return part;
}

void scatter(const ContactProblem& problem, const Island& island, const ContactSolution& part,
             ContactSolution& whole) {
  const bool two_phases =
      part.compression_impulses.size() > 0 || whole.compression_impulses.size() > 0;
  if (two_phases && whole.compression_impulses.size() == 0) {
    whole.compression_impulses = whole.impulses;
  }
  spread(part.impulses, problem.contact_jacobian, island.contacts, whole.impulses);
  if (two_phases) {
    const bool own = part.compression_impulses.size() > 0;
    spread(own ? part.compression_impulses : part.impulses, problem.contact_jacobian,
           island.contacts, whole.compression_impulses);
  }
  spread(part.joint_impulses, problem.joint_jacobian, island.joint_rows, whole.joint_impulses);
  for (std::size_t i = 0; i < island.contacts.size(); ++i) {
    whole.modes[static_cast<std::size_t>(island.contacts[i])] = part.modes[i];
  }
  Index next = 0;
  for (const int b : island.blocks) {
    const BlockDiagonalMatrix::Block& block =
        problem.mass_matrix.blocks()[static_cast<std::size_t>(b)];
    whole.velocity.segment(block.offset, block.matrix.rows()) =
        part.velocity.segment(next, block.matrix.rows());
    next += block.matrix.rows();
  }

  const bool stronger_claim =
      whole.status == SolveStatus::NotRun || whole.law.kind == LawKind::Frictionless;
  if (stronger_claim) whole.law = part.law;
  if (worth_less(part.status, whole.status)) whole.status = part.status;
  whole.iterations += part.iterations;
  whole.attempts.insert(whole.attempts.end(), part.attempts.begin(), part.attempts.end());
}

}  // namespace amontons

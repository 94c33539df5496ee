#include "amontons/contact/islands.h"

#include "amontons/math/disjoint_sets.h"

#include <algorithm>
#include <stdexcept>

namespace amontons {
namespace {

using Eigen::Index;

/// Index of the block of M that holds each velocity coordinate.
std::vector<int> block_of_column(const BlockDiagonalMatrix& matrix) {
  std::vector<int> result(static_cast<std::size_t>(matrix.size()));
  int index = 0;
  for (const BlockDiagonalMatrix::Block& block : matrix.blocks()) {
    const auto first = result.begin() + block.offset;
    std::fill(first, first + block.matrix.rows(), index++);
  }
  return result;
}

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

/// Joins the articulations that share a row.
DisjointSets join_articulations(const ContactProblem& problem, const std::vector<int>& block_of) {
  DisjointSets sets(problem.mass_matrix.num_blocks());
  join_blocks_of_rows(problem.contact_jacobian, block_of, sets);
  join_blocks_of_rows(problem.joint_jacobian, block_of, sets);
  join_blocks_of_rows(problem.bounded_jacobian, block_of, sets);
  return sets;
}

/// The set that acts in a block row, -1 if it touches no moving body.
int set_of_row(const BlockSparseMatrix& jacobian, std::size_t row, const std::vector<int>& block_of,
               DisjointSets& sets) {
  const std::span<const BlockSparseMatrix::Block> blocks = jacobian.block_row(row);
  return blocks.empty() ? -1 : sets.root(block_of[static_cast<std::size_t>(blocks[0].col)]);
}

/// Where an island's columns lie in the whole and in the part, block by block.
class ColumnMap {
 public:
  ColumnMap(const BlockDiagonalMatrix& mass_matrix, const Island& island) {
    for (const int b : island.blocks) {
      const BlockDiagonalMatrix::Block block = mass_matrix.block(static_cast<std::size_t>(b));
      offsets_.push_back(block.offset);
      part_offsets_.push_back(size_);
      size_ += block.matrix.rows();
    }
  }
  Index size() const { return size_; }
  Index operator()(Index column) const {
    const auto after = std::upper_bound(offsets_.begin(), offsets_.end(), column);
    const std::size_t k = static_cast<std::size_t>(after - offsets_.begin()) - 1;
    return part_offsets_[k] + column - offsets_[k];
  }

 private:
  Index size_ = 0;
  std::vector<Index> offsets_, part_offsets_;
};

/// Copies block rows of a Jacobian, its columns renumbered.
void extract_rows(const BlockSparseMatrix& jacobian, const std::vector<int>& rows,
                  const ColumnMap& new_column, BlockSparseMatrix& part) {
  part.reset(new_column.size());
  for (const int row : rows) {
    const std::size_t r = static_cast<std::size_t>(row);
    part.add_block_row(jacobian.num_rows(r));
    for (const BlockSparseMatrix::Block& block : jacobian.block_row(r)) {
      part.block_at(new_column(block.col), block.num_cols) = jacobian.values(block);
    }
  }
}

/// The entries of `values` that belong to block rows of a Jacobian.
void gather(const Eigen::VectorXd& values, const BlockSparseMatrix& jacobian,
            const std::vector<int>& rows, Eigen::VectorXd& part) {
  Index size = 0;
  for (const int row : rows) size += jacobian.num_rows(static_cast<std::size_t>(row));
  part.resize(size);
  Index next = 0;
  for (const int row : rows) {
    const std::size_t r = static_cast<std::size_t>(row);
    const Index n = jacobian.num_rows(r);
    part.segment(next, n) = values.segment(jacobian.first_row(r), n);
    next += n;
  }
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

int whole_joint_row(const ContactProblem& problem, const Island& island, int row) {
  for (const int block_row : island.joint_rows) {
    const auto r = static_cast<std::size_t>(block_row);
    const int n = static_cast<int>(problem.joint_jacobian.num_rows(r));
    if (row < n) return static_cast<int>(problem.joint_jacobian.first_row(r)) + row;
    row -= n;
  }
  return -1;
}

bool worth_less(SolveStatus status, SolveStatus other) {
  return severity(status) > severity(other);
}

std::vector<Island> find_islands(const ContactProblem& problem) {
  const std::vector<int> block_of = block_of_column(problem.mass_matrix);
  DisjointSets sets = join_articulations(problem, block_of);

  // Sets on which a row acts are islands. The root of a set is its first block.
  std::vector<int> island_of(problem.mass_matrix.num_blocks(), -1);
  const auto name = [&](int block) -> int& { return island_of[static_cast<std::size_t>(block)]; };
  for (const BlockSparseMatrix* jacobian :
       {&problem.contact_jacobian, &problem.joint_jacobian, &problem.bounded_jacobian}) {
    for (std::size_t r = 0; r < jacobian->num_block_rows(); ++r) {
      const int root = set_of_row(*jacobian, r, block_of, sets);
      if (root >= 0) name(root) = 0;
    }
  }
  std::vector<Island> islands;
  for (int b = 0; b < static_cast<int>(island_of.size()); ++b) {
    const int root = sets.root(b);
    if (name(root) < 0) continue;
    if (b == root) {
      name(root) = static_cast<int>(islands.size());
      islands.emplace_back();
    }
    islands[static_cast<std::size_t>(name(root))].blocks.push_back(b);
  }
  const auto island_of_row = [&](const BlockSparseMatrix& jacobian, std::size_t row) -> Island* {
    const int root = set_of_row(jacobian, row, block_of, sets);
    return root < 0 ? nullptr : &islands[static_cast<std::size_t>(name(root))];
  };
  for (std::size_t i = 0; i < problem.num_contacts(); ++i) {
    if (Island* island = island_of_row(problem.contact_jacobian, i)) {
      island->contacts.push_back(static_cast<int>(i));
    }
  }
  for (std::size_t r = 0; r < problem.joint_jacobian.num_block_rows(); ++r) {
    if (Island* island = island_of_row(problem.joint_jacobian, r)) {
      island->joint_rows.push_back(static_cast<int>(r));
    }
  }
  for (std::size_t r = 0; r < problem.bounded_rows.size(); ++r) {
    if (Island* island = island_of_row(problem.bounded_jacobian, r)) {
      island->bounded_rows.push_back(static_cast<int>(r));
    }
  }
  return islands;
}

std::vector<int> islands_of_contacts(const ContactProblem& problem) {
  return islands_of_rows(problem, problem.contact_jacobian);
}

std::vector<int> islands_of_rows(const ContactProblem& problem, const BlockSparseMatrix& jacobian) {
  const std::vector<int> block_of = block_of_column(problem.mass_matrix);
  DisjointSets sets = join_articulations(problem, block_of);
  std::vector<int> result(jacobian.num_block_rows());
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i] = set_of_row(jacobian, i, block_of, sets);
  }
  return result;
}

bool is_whole(const ContactProblem& problem, const Island& island) {
  return island.blocks.size() == problem.mass_matrix.num_blocks() &&
         island.contacts.size() == problem.num_contacts() &&
         island.joint_rows.size() == problem.joint_jacobian.num_block_rows() &&
         island.bounded_rows.size() == problem.bounded_rows.size();
}

ContactProblem extract(const ContactProblem& problem, const Island& island) {
  ContactProblem part;
  extract(problem, island, part);
  return part;
}

void extract(const ContactProblem& problem, const Island& island, ContactProblem& part) {
  part.step = problem.step;
  part.gamma = problem.gamma;
  part.literal_gamma = problem.literal_gamma;
  part.rest_speed = problem.rest_speed;
  part.overlap_speed = problem.overlap_speed;

  const ColumnMap new_column(problem.mass_matrix, island);
  part.mass_matrix.clear();
  part.velocity.resize(new_column.size());
  part.free_velocity.resize(new_column.size());
  for (const int b : island.blocks) {
    const BlockDiagonalMatrix::Block block = problem.mass_matrix.block(static_cast<std::size_t>(b));
    const Index n = block.matrix.rows(), offset = part.mass_matrix.size();
    part.mass_matrix.add_zero_block(n, block.parents) = block.matrix;
    part.velocity.segment(offset, n) = problem.velocity.segment(block.offset, n);
    part.free_velocity.segment(offset, n) = problem.free_velocity.segment(block.offset, n);
  }

  part.contacts.clear();
  for (const int i : island.contacts) {
    part.contacts.push_back(problem.contacts[static_cast<std::size_t>(i)]);
  }
  extract_rows(problem.contact_jacobian, island.contacts, new_column, part.contact_jacobian);
  gather(problem.contact_bias, problem.contact_jacobian, island.contacts, part.contact_bias);
  extract_rows(problem.joint_jacobian, island.joint_rows, new_column, part.joint_jacobian);
  gather(problem.joint_error, problem.joint_jacobian, island.joint_rows, part.joint_error);
  gather(problem.joint_bias, problem.joint_jacobian, island.joint_rows, part.joint_bias);
  part.bounded_rows.clear();
  for (const int i : island.bounded_rows) {
    part.bounded_rows.push_back(problem.bounded_rows[static_cast<std::size_t>(i)]);
  }
  extract_rows(problem.bounded_jacobian, island.bounded_rows, new_column, part.bounded_jacobian);
}

namespace {

/// An island without a second phase has its only phase's witness in both.
void scatter_witnesses(const ContactProblem& problem, const Island& island,
                       const ContactSolution& part, ContactSolution& whole) {
  if (part.witnesses.empty()) return;
  if (whole.witnesses.size() < part.witnesses.size()) {
    const std::size_t nc = problem.num_contacts();
    const std::vector<DissipationWitness> none(nc + problem.bounded_rows.size());
    whole.witnesses.resize(part.witnesses.size(),
                           whole.witnesses.empty() ? none : whole.witnesses.back());
  }
  for (std::size_t phase = 0; phase < whole.witnesses.size(); ++phase) {
    const std::vector<DissipationWitness>& own =
        part.witnesses[std::min(phase, part.witnesses.size() - 1)];
    for (std::size_t i = 0; i < island.contacts.size(); ++i) {
      whole.witnesses[phase][static_cast<std::size_t>(island.contacts[i])] = own[i];
    }
    for (std::size_t i = 0; i < island.bounded_rows.size(); ++i) {
      whole.witnesses[phase]
                     [problem.num_contacts() + static_cast<std::size_t>(island.bounded_rows[i])] =
          own[island.contacts.size() + i];
    }
  }
}

}  // namespace

void scatter(const ContactProblem& problem, const Island& island, const ContactSolution& part,
             ContactSolution& whole) {
  const bool two_phases = part.has_two_phases() || whole.has_two_phases();
  if (two_phases && !whole.has_two_phases()) {
    whole.compression_impulses = whole.impulses;
    whole.bounded_compression = whole.bounded_impulses;
  }
  spread(part.impulses, problem.contact_jacobian, island.contacts, whole.impulses);
  if (two_phases) {
    const bool own = part.has_two_phases();
    spread(own ? part.compression_impulses : part.impulses, problem.contact_jacobian,
           island.contacts, whole.compression_impulses);
    spread(own ? part.bounded_compression : part.bounded_impulses, problem.bounded_jacobian,
           island.bounded_rows, whole.bounded_compression);
  }
  spread(part.joint_impulses, problem.joint_jacobian, island.joint_rows, whole.joint_impulses);
  spread(part.bounded_impulses, problem.bounded_jacobian, island.bounded_rows,
         whole.bounded_impulses);
  for (std::size_t i = 0; i < island.bounded_rows.size(); ++i) {
    whole.bounded_modes[static_cast<std::size_t>(island.bounded_rows[i])] = part.bounded_modes[i];
  }
  for (std::size_t i = 0; i < island.contacts.size(); ++i) {
    whole.modes[static_cast<std::size_t>(island.contacts[i])] = part.modes[i];
  }
  Index next = 0;
  for (const int b : island.blocks) {
    const BlockDiagonalMatrix::Block block = problem.mass_matrix.block(static_cast<std::size_t>(b));
    whole.velocity.segment(block.offset, block.matrix.rows()) =
        part.velocity.segment(next, block.matrix.rows());
    next += block.matrix.rows();
  }

  scatter_witnesses(problem, island, part, whole);

  const bool stronger_claim =
      whole.status == SolveStatus::NotRun || whole.law.kind == LawKind::Frictionless;
  if (stronger_claim) whole.law = part.law;
  if (worth_less(part.status, whole.status)) whole.status = part.status;
  whole.iterations += part.iterations;
  whole.attempts.insert(whole.attempts.end(), part.attempts.begin(), part.attempts.end());
}

}  // namespace amontons

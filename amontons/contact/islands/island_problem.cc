#include "amontons/contact/islands/island_problem.h"

#include <algorithm>
#include <cstddef>
#include <stdexcept>

namespace amontons {
namespace {

using Eigen::Index;

/// Maps columns of the whole problem to those of an island's, block by block.
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
  /// Returns the number of columns of the island.
  Index size() const { return size_; }
  /// Returns the island's column that belongs to a column of the whole.
  Index operator()(Index column) const {
    // The last block that starts at or before the column holds it.
    const auto after = std::upper_bound(offsets_.begin(), offsets_.end(), column);
    const std::size_t k = static_cast<std::size_t>(after - offsets_.begin()) - 1;
    return part_offsets_[k] + column - offsets_[k];
  }

 private:
  Index size_ = 0;
  std::vector<Index> offsets_, part_offsets_;
};

/// Copies block rows of a Jacobian with renumbered columns.
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

/// Collects the entries of `values` that belong to block rows of a Jacobian.
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

/// Writes entries back to the places that gather() takes them from.
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

/// Writes the island's multipliers into those of the whole. An island without a second phase has
/// its only phase's witness in both.
void scatter_witnesses(const ContactProblem& problem, const Island& island,
                       const ContactSolution& part, ContactSolution& whole) {
  if (part.witnesses.empty()) return;
  // The first island with two phases extends the whole; others keep their only phase in both.
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

/// Merges the claim of an island into that of the whole: the law and status of the weakest island,
/// and the law of each contact where islands claim different ones.
void scatter_law(const ContactProblem& problem, const Island& island, const ContactSolution& part,
                 ContactSolution& whole) {
  // Before the first island the whole has the law of free motion, which claims nothing.
  const bool weaker = is_weaker(part.status, whole.status);
  const bool unclaimed =
      whole.law.kind == LawKind::Frictionless && !is_weaker(whole.status, SolveStatus::Converged);
  if (!unclaimed && whole.contact_laws.empty() && part.law.kind != whole.law.kind) {
    whole.contact_laws.assign(problem.num_contacts(), whole.law.kind);
  }
  for (std::size_t i = 0; !whole.contact_laws.empty() && i < island.contacts.size(); ++i) {
    whole.contact_laws[static_cast<std::size_t>(island.contacts[i])] = part.law_of(i);
  }
  // The bound of the law is the largest that any island claims.
  const double within = std::max(whole.law.within, part.law.within);
  // A law without a polygon may be the weakest, while others have theirs.
  const int directions = has_polygon(part.law.kind) ? part.law.directions : whole.law.directions;
  if (unclaimed || weaker) whole.law = part.law;
  whole.law.within = within;
  whole.law.directions = directions;
  if (weaker) whole.status = part.status;
}

/// Writes the island's shares of the rebound into those of the whole.
void scatter_shares(const ContactProblem& problem, const Island& island,
                    const ContactSolution& part, ContactSolution& whole) {
  if (part.restitution_shares.size() == 0) return;
  const auto nc = static_cast<Index>(problem.num_contacts());
  const auto nb = static_cast<Index>(problem.bounded_rows.size());
  if (whole.restitution_shares.size() == 0) whole.restitution_shares.setOnes(nc + nb);
  Index next = 0;
  for (const int i : island.contacts) whole.restitution_shares(i) = part.restitution_shares(next++);
  for (const int i : island.bounded_rows) {
    whole.restitution_shares(nc + i) = part.restitution_shares(next++);
  }
}

/// Returns the order of statuses: the larger, the less a solution with this status claims.
int severity(SolveStatus status) {
  switch (status) {
    case SolveStatus::NotRun:
      return 0;
    case SolveStatus::Converged:
      return 1;
    case SolveStatus::Acceptable:
      return 2;
    case SolveStatus::Convexified:
      return 3;
    case SolveStatus::Safe:
      return 4;
    case SolveStatus::IterationLimit:
      return 5;
    case SolveStatus::Stalled:
      return 6;
    case SolveStatus::RayTermination:
      return 7;
    case SolveStatus::Infeasible:
      return 8;
    case SolveStatus::NumericalFailure:
      return 9;
  }
  throw std::invalid_argument("is_weaker: no such SolveStatus");
}

}  // namespace

bool is_weaker(SolveStatus status, SolveStatus other) { return severity(status) > severity(other); }

ContactProblem extract(const ContactProblem& problem, const Island& island) {
  ContactProblem part;
  extract(problem, island, part);
  return part;
}

void extract(const ContactProblem& problem, const Island& island, ContactProblem& part) {
  // Parameters of the step are common to all islands.
  part.step = problem.step;
  part.gamma = problem.gamma;
  part.literal_gamma = problem.literal_gamma;
  part.rest_speed = problem.rest_speed;
  part.overlap_speed = problem.overlap_speed;

  // The island's articulations follow each other in its own mass matrix.
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

  // Rows of contacts, loop joints and bounded rows, with their columns renumbered.
  part.contacts.clear();
  for (const int i : island.contacts) {
    part.contacts.push_back(problem.contacts[static_cast<std::size_t>(i)]);
  }
  extract_rows(problem.contact_jacobian, island.contacts, new_column, part.contact_jacobian);
  gather(problem.contact_bias, problem.contact_jacobian, island.contacts, part.contact_bias);
  extract_rows(problem.joint_jacobian, island.joint_rows, new_column, part.joint_jacobian);
  gather(problem.joint_error, problem.joint_jacobian, island.joint_rows, part.joint_error);
  gather(problem.joint_bias, problem.joint_jacobian, island.joint_rows, part.joint_bias);
  part.joint_correction.resize(0);
  if (problem.joint_correction.size() > 0) {
    gather(problem.joint_correction, problem.joint_jacobian, island.joint_rows,
           part.joint_correction);
  }
  part.bounded_rows.clear();
  for (const int i : island.bounded_rows) {
    part.bounded_rows.push_back(problem.bounded_rows[static_cast<std::size_t>(i)]);
  }
  extract_rows(problem.bounded_jacobian, island.bounded_rows, new_column, part.bounded_jacobian);
}

void scatter(const ContactProblem& problem, const Island& island, const ContactSolution& part,
             ContactSolution& whole) {
  // Once any island has two phases the whole has them. The others then compress with all of p.
  const bool two_phases = part.has_two_phases() || whole.has_two_phases();
  if (two_phases && !whole.has_two_phases()) {
    whole.compression_impulses = whole.impulses;
    whole.bounded_compression = whole.bounded_impulses;
  }
  // An island of one phase has no restitution: its compression is all of p and f.
  spread(part.impulses, problem.contact_jacobian, island.contacts, whole.impulses);
  if (two_phases) {
    const bool own = part.has_two_phases();
    spread(own ? part.compression_impulses : part.impulses, problem.contact_jacobian,
           island.contacts, whole.compression_impulses);
    spread(own ? part.bounded_compression : part.bounded_impulses, problem.bounded_jacobian,
           island.bounded_rows, whole.bounded_compression);
  }
  // Impulses of joints and modes take the places of their rows in the whole.
  spread(part.joint_impulses, problem.joint_jacobian, island.joint_rows, whole.joint_impulses);
  spread(part.bounded_impulses, problem.bounded_jacobian, island.bounded_rows,
         whole.bounded_impulses);
  for (std::size_t i = 0; i < island.bounded_rows.size(); ++i) {
    whole.bounded_modes[static_cast<std::size_t>(island.bounded_rows[i])] = part.bounded_modes[i];
  }
  for (std::size_t i = 0; i < island.contacts.size(); ++i) {
    whole.modes[static_cast<std::size_t>(island.contacts[i])] = part.modes[i];
  }
  // The island's articulations follow each other in its velocity; the whole has gaps between.
  Index next = 0;
  for (const int b : island.blocks) {
    const BlockDiagonalMatrix::Block block = problem.mass_matrix.block(static_cast<std::size_t>(b));
    whole.velocity.segment(block.offset, block.matrix.rows()) =
        part.velocity.segment(next, block.matrix.rows());
    next += block.matrix.rows();
  }

  scatter_witnesses(problem, island, part, whole);
  scatter_shares(problem, island, part, whole);

  scatter_law(problem, island, part, whole);
  whole.iterations += part.iterations;
  whole.attempts.insert(whole.attempts.end(), part.attempts.begin(), part.attempts.end());
}

}  // namespace amontons

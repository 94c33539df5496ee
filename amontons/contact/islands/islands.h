#pragma once

#include "amontons/contact/contact_law.h"
#include "amontons/contact/contact_problem.h"
#include "amontons/math/disjoint_sets.h"

#include <cstddef>
#include <span>
#include <vector>

namespace amontons {

/// Lists articulations that interact through contacts, loop joints or bounded rows. Islands are
/// independent of each other.
struct Island {
  std::vector<int> blocks;        ///< blocks of the mass matrix, ascending
  std::vector<int> contacts;      ///< contacts, ascending
  std::vector<int> joint_rows;    ///< block rows of the joint Jacobian, ascending
  std::vector<int> bounded_rows;  ///< bounded rows, ascending
};

/// Returns the islands with at least one contact, joint row or bounded row, ordered by their first
/// block. Contacts without any moving body are in none.
std::vector<Island> find_islands(const ContactProblem& problem);

/// Finds the islands of problem after problem; memory is kept.
class IslandFinder {
 public:
  /// Returns what find_islands() does; valid until the next call.
  std::span<const Island> find(const ContactProblem& problem);

 private:
  Island& add_island();

  std::vector<Island> islands_;  // the first size_ are those of the last problem
  std::size_t size_ = 0;
  std::vector<int> block_of_;   // block of each velocity coordinate [nv]
  std::vector<int> island_of_;  // island of each set of blocks, named by its root [blocks]
  DisjointSets sets_;           // blocks that rows connect
};

/// Returns the parts of a problem that a law solves by themselves. They are its islands, but where
/// the law couples islands those with contacts are one.
std::vector<Island> islands_of_law(const ContactProblem& problem, LawKind law);

/// Returns the island of each contact [nc], named by its first block; -1 for a contact without any
/// moving body.
std::vector<int> islands_of_contacts(const ContactProblem& problem);

/// Returns the island of each block row of one of the problem's Jacobians, named in the same way.
std::vector<int> islands_of_rows(const ContactProblem& problem, const BlockSparseMatrix& jacobian);
/// Writes the same into `islands`, whose memory is kept.
void islands_of_rows(const ContactProblem& problem, const BlockSparseMatrix& jacobian,
                     std::vector<int>& islands);

/// Returns true if the island holds the whole problem, so that nothing needs to be extracted.
bool is_whole(const ContactProblem& problem, const Island& island);

/// Returns the row of the whole problem's joint Jacobian that a row of an island's belongs to.
int whole_joint_row(const ContactProblem& problem, const Island& island, int row);

}  // namespace amontons

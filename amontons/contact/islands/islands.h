#pragma once

#include "amontons/contact/contact_problem.h"

#include <vector>

namespace amontons {

/// Articulations that interact through contacts, loop joints or bounded rows. Independent of each
/// other.
struct Island {
  std::vector<int> blocks;        ///< blocks of the mass matrix, ascending
  std::vector<int> contacts;      ///< contacts, ascending
  std::vector<int> joint_rows;    ///< block rows of the joint Jacobian, ascending
  std::vector<int> bounded_rows;  ///< ascending
};

/// Islands with at least one contact, joint row or bounded row, ordered by their first block; then
/// contacts without any moving body are in none.
std::vector<Island> find_islands(const ContactProblem& problem);

/// The island of each contact [nc], named by its first block; -1 for a contact without any moving
/// body.
std::vector<int> islands_of_contacts(const ContactProblem& problem);

/// The same of each block row of one of the problem's Jacobians.
std::vector<int> islands_of_rows(const ContactProblem& problem, const BlockSparseMatrix& jacobian);

/// Whether an island is all there is, so that it is its own problem.
bool is_whole(const ContactProblem& problem, const Island& island);

/// Row of the whole problem's joint Jacobian behind a row of an island's.
int whole_joint_row(const ContactProblem& problem, const Island& island, int row);

}  // namespace amontons

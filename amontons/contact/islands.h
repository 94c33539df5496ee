#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/contact/contact_solution.h"

#include <vector>

namespace amontons {

/// Articulations that interact through contacts or loop joints. Independent of each other.
struct Island {
  std::vector<int> blocks;      ///< blocks of the mass matrix, ascending
  std::vector<int> contacts;    ///< contacts, ascending
  std::vector<int> joint_rows;  ///< block rows of the joint Jacobian, ascending
};

/// Islands with at least one contact or joint row, ordered by their first block; then contacts
/// without any moving body are in none.
std::vector<Island> find_islands(const ContactProblem& problem);

/// The island's own problem.
ContactProblem extract(const ContactProblem& problem, const Island& island);

/// Writes an island's answer into the answer of the whole problem, whose vectors are already sized.
void scatter(const ContactProblem& problem, const Island& island, const ContactSolution& part,
             ContactSolution& whole);

/// Whether an answer with one status says less than an answer with the other.
bool worth_less(SolveStatus status, SolveStatus other);

}  // namespace amontons

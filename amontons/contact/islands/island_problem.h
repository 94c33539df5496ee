#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/contact/contact_solution.h"
#include "amontons/contact/islands/islands.h"

namespace amontons {

/// The island's own problem: its blocks, contacts and rows, in their order. The second form keeps
/// the memory of `part`.
ContactProblem extract(const ContactProblem& problem, const Island& island);
void extract(const ContactProblem& problem, const Island& island, ContactProblem& part);

/// Writes an island's answer into the answer of the whole problem, whose vectors are already sized.
/// The whole has the status that is worth least.
void scatter(const ContactProblem& problem, const Island& island, const ContactSolution& part,
             ContactSolution& whole);

/// Whether an answer with one status says less than an answer with the other.
bool is_weaker(SolveStatus status, SolveStatus other);

}  // namespace amontons

#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/contact/contact_solution.h"
#include "amontons/contact/islands/islands.h"

namespace amontons {

/// Returns the island's own problem: its blocks, contacts and rows, in their order.
ContactProblem extract(const ContactProblem& problem, const Island& island);
/// Writes the island's own problem into `part`, whose memory is kept.
void extract(const ContactProblem& problem, const Island& island, ContactProblem& part);

/// Writes an island's solution into that of the whole problem, whose vectors are already sized. The
/// whole takes the weakest status of its islands.
void scatter(const ContactProblem& problem, const Island& island, const ContactSolution& part,
             ContactSolution& whole);

/// Returns true if a solution with one status claims less than a solution with the other.
bool is_weaker(SolveStatus status, SolveStatus other);

}  // namespace amontons

#pragma once

#include "amontons/optimization/ccp/cone_iterate.h"
#include "amontons/optimization/ccp/cone_problem.h"

#include <cstddef>
#include <span>

/// Tells the classes of problems apart, which decide the order of methods (cone_problem_solver.h).
namespace amontons::cone_strategy {

/// Returns true for many contacts at a tolerance [-] that sweeps reach.
bool is_coarse(const ConeProblem& problem, double tolerance);

/// Returns true for a heap: many contacts, and at most kStackRatio rows per degree of freedom.
/// @param closed  number of contacts that give conditions.
bool has_few_conditions(const ConeProblem& problem, std::size_t closed);

/// Returns true for a stack: many contacts between bodies under Coulomb's law on round cones, where
/// the near ones have more than kStackRatio rows per degree of freedom of the bodies that they
/// touch. Bodies in flight do not count: the lowest rows of a pile that falls are a stack.
bool is_stack(const ConeProblem& problem, std::span<const int> near);

/// Returns true if a block is a contact that carries something and slips faster than a speed
/// [sqrt(J)].
bool slides(const ConeProblem& problem, int i, const ConeIterate& point, double speed);

/// Returns true if a contact of a stack slides at a point, and not only trembles.
bool is_sliding_stack(const ConeProblem& problem, const ConeIterate& point);

/// Returns true if no contact slips at a point, open ones included.
bool slides_nowhere(const ConeProblem& problem, const ConeIterate& point);

/// Returns true if a cone is nearly a half-space.
bool is_steep(const ConeProblem& problem);

}  // namespace amontons::cone_strategy

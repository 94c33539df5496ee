#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/simulation/system/state.h"
#include "amontons/simulation/system/system.h"

#include <cstddef>
#include <vector>

namespace amontons {

/// Marks the trees that gravity and contacts alone move [articulations]: without joints besides a
/// free or planar base, rows of J and wrenches of the scene. None is marked where fixed bodies move
/// as prescribed.
std::vector<char> trees_without_drives(const System& system);

/// Returns true if efforts or wrenches of a program act on a tree.
bool is_commanded(const System& system, std::size_t tree);

/// Keeps the marks of trees that repeat a step bit by bit [articulations].
///
/// A body at rest ends a step with the bits of its start: q, v = 0, and the impulses of its
/// contacts. What a step does to the bodies of an island depends on these bits alone, so that the
/// next step of the same length ends with them, too. An island repeats if all of its trees and
/// impulses do, and if its contacts at the end are those at the start.
/// @param start, end  states at the start and at the end of the step.
/// @param problem     problem of the step, with every contact of the trees that are marked.
/// @param contacts    contacts at the end of the step, likewise.
void keep_repeating_trees(const System& system, const State& start, const State& end,
                          const ContactProblem& problem, const std::vector<Contact>& contacts,
                          std::vector<char>& marks);

}  // namespace amontons

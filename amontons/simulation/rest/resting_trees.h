#pragma once

#include "amontons/contact/contact_problem.h"
#include "amontons/simulation/system/state.h"
#include "amontons/simulation/system/system.h"

#include <array>
#include <cstddef>
#include <vector>

namespace amontons {

/// Returns the trees of the two shapes of a contact; -1: the shape is fixed.
std::array<int, 2> trees_of(const System& system, const Contact& contact);

/// Marks the trees that gravity and contacts alone move [articulations]: without joints besides a
/// free or planar base, rows of J and wrenches of the scene. None is marked where fixed bodies move
/// as prescribed.
std::vector<char> trees_without_drives(const System& system);

/// Returns true if efforts or wrenches of a program act on a tree.
bool is_commanded(const System& system, std::size_t tree);

/// Keeps the marks of trees that end a step as they start it [articulations]: with the bits of q,
/// and without velocity; and on which no command acts.
void keep_still_trees(const System& system, const State& start, const State& end,
                      std::vector<char>& marks);

/// Keeps the marks of still trees that repeat the step bit by bit [articulations].
///
/// What a step does to the bodies of an island depends on their positions and velocities and on the
/// last impulses alone. An island whose trees are still and whose impulses end the step with the
/// bits of its start therefore repeats it, if its contacts at the end are those at the start.
/// @param start, end  states at the start and at the end of the step.
/// @param problem     problem of the step, with every contact of the trees that are marked.
/// @param contacts    contacts at the end of the step, likewise.
void keep_repeating_trees(const System& system, const State& start, const State& end,
                          const ContactProblem& problem, const std::vector<Contact>& contacts,
                          std::vector<char>& marks);

}  // namespace amontons

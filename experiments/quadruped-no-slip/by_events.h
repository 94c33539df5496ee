#pragma once

namespace amontons::experiments {

class Context;
struct Findings;

/// Checks Table II in the paper's form: event by event with symplectic Euler, on a map of the
/// paper's size, 1 m in cells of 4 mm.
void check_walk_by_events(const Context& context, Findings& findings);

}  // namespace amontons::experiments

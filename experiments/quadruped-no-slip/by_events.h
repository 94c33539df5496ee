#pragma once

namespace amontons::experiments {

class Context;
struct Findings;

/// Checks Table II in the paper's form: event by event with symplectic Euler, on a map of the
/// paper's size, 1 m in cells of 4 mm.
/// @returns the time of maximum dissipation over that of no-slip, 1.38 in the paper.
double check_walk_by_events(const Context& context, Findings& findings);

}  // namespace amontons::experiments

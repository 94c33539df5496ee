#pragma once

#include "amontons/simulation/simulator.h"

namespace amontons::python {

/// Holds all that a motion continues from: its state, and the commands of the program.
struct SavedState {
  State state;
  Commands commands;  ///< their changes of properties are empty: the state has them
};

/// Returns the state and the commands of a simulator.
SavedState save(const Simulator& simulator);

/// Returns true if a program has set an effort, a wrench or a target.
bool has_commands(const SavedState& saved);

/// Ends all commands of a program; its changes of properties stay.
void end_commands(Simulator& simulator);

/// Brings back a state and its commands; those given since then end.
/// @throws std::invalid_argument for a state of another scene; the simulator then stays as it was.
void restore(Simulator& simulator, const SavedState& saved);

}  // namespace amontons::python

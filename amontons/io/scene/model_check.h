#pragma once

#include "amontons/simulation/scene/import_ledger.h"
#include "amontons/simulation/scene/scene.h"

#include <optional>

namespace amontons::io {

/// Sets model.base: what the scene says; else fixed, where its reader has set that or, with a
/// ledger line, where the root link has no mass (nor what is fixed to it); else free.
/// @throws ParseError if the scene frees what the file has fixed.
void choose_base(SceneModel& model, std::optional<BaseType> given, ImportLedger& ledger);

/// Judges the inertia of each moving link, with all links fixed to it. What no distribution of mass
/// has, or what is implausible beside the link's shapes, becomes a Warning in the ledger.
/// @throws ParseError at the link for one that neither has nor carries mass, or if the mass matrix
/// is not positive definite (1e-12 after scaling its diagonal to one).
void check_inertia_of_model(const SceneModel& model, ImportLedger& ledger);

/// Takes out of the joints in maximal coordinates and out of loops, with ledger lines, what rows of
/// J cannot have:
/// rotors, anything along joints of several coordinates, limits a turn apart.
void drop_dynamics_of_rows(SceneModel& model, ImportLedger& ledger);

/// Notes joints that cannot start at 0 because of their limits, or that the scene starts outside.
void note_start_positions(const SceneModel& model, ImportLedger& ledger);

}  // namespace amontons::io

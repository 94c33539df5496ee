#pragma once

#include "amontons/simulation/scene/import_ledger.h"
#include "amontons/simulation/scene/scene.h"

#include <optional>
#include <set>
#include <string>

namespace amontons::io {

/// Sets model.base, the way in which the root link is held. The scene's choice `given` comes first,
/// then a base that the file has fixed. Else the base is fixed, with a ledger line, if the root
/// link and all that is fixed to it have no mass. In all other cases it is free, with a ledger line
/// if only the links that are fixed to the root have mass.
/// @param weighed  the root has mass by the density of the scene alone. It is fixed, as without a
///     density, where a joint of the model moves; a single body is free.
/// @throws ParseError if the scene frees a base that the file has fixed.
void choose_base(SceneModel& model, std::optional<BaseType> given, bool weighed,
                 ImportLedger& ledger);

/// Returns true if the root link, or what fixed joints join to it, has mass.
bool has_root_mass(const SceneModel& model);

/// Gives each link that moves, and neither has nor carries mass, that of its shapes at the density
/// of water, which MuJoCo and Isaac Gym take for URDF. Each is a Warning in the ledger.
void weigh_links_without_mass(SceneModel& model, ImportLedger& ledger);

/// Gives links whose inertia is singular that of their shapes, with their own mass and center of
/// mass, where the mass matrix at the start is not positive definite. Couplings and motions must
/// have set the start. Each is a Warning in the ledger. Points of mass that joints carry stay as
/// they are.
void replace_singular_inertias(SceneModel& model, ImportLedger& ledger);

/// @throws ParseError at a moving link that neither has nor carries mass.
void check_masses_of_model(const SceneModel& model);

/// Checks the inertia of each moving link, together with all links fixed to it. An inertia that no
/// distribution of mass has becomes a Warning in the ledger. So does one that is implausible beside
/// the link's shapes, but for the mass of shells.
/// @param shells  links "model/link" whose mass is that of surfaces.
/// @throws ParseError if the mass matrix is not positive definite at the start, which couplings and
/// motions must have set: smallest eigenvalue at most 1e-12 after its diagonal is scaled to one.
void check_inertia_of_model(const SceneModel& model, const std::set<std::string>& shells,
                            ImportLedger& ledger);

/// Removes, with ledger lines, the dynamics that rows of J cannot represent. It treats loops, and
/// all joints of a model in maximal coordinates. Removed are rotors, everything along joints of
/// several coordinates, and limits a full turn or more apart.
void drop_dynamics_of_rows(SceneModel& model, ImportLedger& ledger);

/// Notes joints that cannot start at 0 because of their limits, and joints that the scene starts
/// outside their limits.
void note_start_positions(const SceneModel& model, ImportLedger& ledger);
/// Warns of tendons that start outside of their limits.
void note_tendon_starts(const SceneModel& model, ImportLedger& ledger);

}  // namespace amontons::io

#pragma once

#include "amontons/io/run/run_row.h"
#include "amontons/io/verify/rebuilt_step.h"
#include "amontons/io/verify/verification_checks.h"
#include "amontons/io/verify/verify_island.h"

namespace amontons::io {

/// Checks the modes of an island's contacts and bounded rows against their impulses and velocities,
/// and what the solution says of restitution: its two phases, and the share that it gives back.
///
/// Modes follow from numbers that the run records. A contact is open if and only if it carries no
/// impulse. It bounces if it may and is loaded. Else it sticks if it slips by at most 1e-6 of the
/// island's speed V. Within a factor of ten of that bound both modes pass.
void check_modes(const RebuiltStep& step, const IslandPart& part, const RunRow& row,
                 double tolerance, VerificationChecks& checks);

/// Checks multipliers and compressions of a whole row: those of other laws are zero, and the shares
/// of restitution one.
void check_unused(const RebuiltStep& step, const RunRow& row, VerificationChecks& checks);

}  // namespace amontons::io

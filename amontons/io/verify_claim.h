#pragma once

#include "amontons/io/rebuilt_step.h"
#include "amontons/io/run_row.h"
#include "amontons/io/verify_figures.h"

namespace amontons::io {

/// Judges the impulses and velocity recorded by the problem rebuilt, whose contacts are the same:
/// laws, certificate and verdict as they were reported, and the energy ledger.
/// @param end  where the step ends.
void check_claim(const RebuiltStep& step, const RunRow& row, const SystemKinematics& end,
                 VerifyFigures& figures);

}  // namespace amontons::io

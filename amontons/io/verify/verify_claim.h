#pragma once

#include "amontons/io/run/run_row.h"
#include "amontons/io/verify/rebuilt_step.h"
#include "amontons/io/verify/verification_checks.h"

namespace amontons::io {

/// Judges the impulses and velocity recorded by the problem rebuilt, whose contacts are the same:
/// laws, certificate and verdict as they were reported, and the energy ledger.
/// @param end  where the step ends.
void check_claim(const RebuiltStep& step, const RunRow& row, const SystemKinematics& end,
                 VerificationChecks& checks);

}  // namespace amontons::io

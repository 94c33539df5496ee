#pragma once

#include "amontons/io/run/run_row.h"
#include "amontons/io/verify/rebuilt_step.h"
#include "amontons/io/verify/verification_checks.h"
#include "amontons/io/verify/verify_law.h"

namespace amontons::io {

/// Evaluates the recorded impulses and velocity on the rebuilt problem, whose contacts are the
/// same.
///
/// Checks the laws, modes and multipliers, the certificate as it was reported, and the energy
/// ledger.
/// @param end  kinematics where the step ends.
void check_claim(RebuiltStep& step, const LawCheck& laws, const RunRow& row,
                 const SystemKinematics& end, VerificationChecks& checks);

}  // namespace amontons::io

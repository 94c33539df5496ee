#pragma once

#include "amontons/io/run/run_row.h"
#include "amontons/io/verify/rebuilt_step.h"
#include "amontons/io/verify/verification_checks.h"

namespace amontons::io {

/// Compares the contacts recorded with those rebuilt.
/// @returns false if they are not the same contacts, so that nothing else can be judged.
bool check_contacts(const RebuiltStep& step, const RunRow& row, VerificationChecks& checks);

/// The same of the bounded rows of joints.
bool check_bounded_rows(const RebuiltStep& step, const RunRow& row, VerificationChecks& checks);

/// Of contacts that are the same.
void check_contact_velocities(const RebuiltStep& step, const RunRow& row,
                              VerificationChecks& checks);

}  // namespace amontons::io

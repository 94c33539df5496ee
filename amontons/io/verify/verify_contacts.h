#pragma once

#include "amontons/io/run/run_row.h"
#include "amontons/io/verify/rebuilt_step.h"
#include "amontons/io/verify/verification_checks.h"

namespace amontons::io {

/// Compares the recorded contacts with the rebuilt ones.
/// @returns false if they are not the same contacts, so that nothing else can be compared.
bool check_contacts(const RebuiltStep& step, const RunRow& row, VerificationChecks& checks);

/// Compares the recorded bounded rows of joints with the rebuilt ones.
/// @returns false if they are not the same rows.
bool check_bounded_rows(const RebuiltStep& step, const RunRow& row, VerificationChecks& checks);

/// Compares the velocities of contacts, after the step and free. The contacts must be the same.
void check_contact_velocities(const RebuiltStep& step, const RunRow& row,
                              VerificationChecks& checks);

}  // namespace amontons::io

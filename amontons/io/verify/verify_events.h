#pragma once

#include "amontons/io/run/run_row.h"
#include "amontons/io/verify/rebuilt_step.h"
#include "amontons/io/verify/verification_checks.h"

namespace amontons::io {

/// Checks the events of a row whose step is rebuilt. Impacts, arrivals, the law of sliding
/// contacts, the contacts that move by forces and steady impacts follow from the state at the
/// start. Changes between bouncing and steady contact, and the end of a sequence of bounces, follow
/// from the history of the run: of them only the kind of the step is checked.
void check_events(RebuiltStep& step, const RunRow& row, VerificationChecks& checks);

}  // namespace amontons::io

#pragma once

#include "amontons/io/run/run_reader.h"
#include "amontons/simulation/system/law_tally.h"

#include <cstddef>

namespace amontons::io {

/// Describes the step of a row. The bodies at which the law is missed most are not recorded.
/// @param tolerance  tolerance of the scene [-].
AnsweredStep answered_step(const RunRow& row, double tolerance);

/// Counts the answers of the recorded steps among the first rows of a run. Row 0 is the
/// initial state and no step.
/// @param num_rows   rows to count, at most those that the run has.
/// @param tolerance  tolerance of the scene [-].
LawTally tally_laws(RunReader& run, std::size_t num_rows, double tolerance);

}  // namespace amontons::io

#include "amontons/io/run/run_law_tally.h"

namespace amontons::io {

AnsweredStep answered_step(const RunRow& row) {
  return {.asked = row.law_asked,
          .status = row.status,
          .holds = row.certificate.holds,
          .distance = row.certificate.law_distance.value,
          .step = row.step_count,
          .time = row.time};
}

LawTally tally_laws(RunReader& run, std::size_t num_rows, double tolerance) {
  LawTally tally(tolerance);
  // Row 0 holds the initial state, which no solver has answered.
  for (std::size_t i = 1; i < num_rows; ++i) tally.add(answered_step(run.row_without_contacts(i)));
  return tally;
}

}  // namespace amontons::io

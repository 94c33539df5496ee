#include "amontons/io/run/run_law_tally.h"

#include "amontons/contact/certificate/missed_condition.h"

#include <limits>
#include <string>

namespace amontons::io {

AnsweredStep answered_step(const RunRow& row, double tolerance) {
  Certificate certificate = row.certificate;
  // A row has the number of missed contacts alone.
  certificate.missed_overlap = std::numeric_limits<double>::quiet_NaN();
  const std::string missed =
      certificate.holds ? "" : missed_condition(certificate, tolerance, row.law.within).text;
  return {.asked = row.law_asked,
          .status = row.status,
          .holds = certificate.holds,
          .distance = certificate.law_distance.value,
          .step = row.step_count,
          .time = row.time,
          .missed = missed};
}

LawTally tally_laws(RunReader& run, std::size_t num_rows, double tolerance) {
  LawTally tally(tolerance);
  // Row 0 holds the initial state, which no solver has answered.
  for (std::size_t i = 1; i < num_rows; ++i) {
    tally.add(answered_step(run.row_without_contacts(i), tolerance));
  }
  return tally;
}

}  // namespace amontons::io

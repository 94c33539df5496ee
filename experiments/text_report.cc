#include "experiments/report.h"
#include "experiments/text_table.h"

#include <fmt/format.h>

namespace amontons::experiments {

std::string to_text(const Reproduction& r, bool full, bool with_timing) {
  std::string out = fmt::format("{} - {}\n  {}\n  claim: {}\n", r.claim.name, r.claim.title,
                                r.claim.source, r.claim.claim);
  out += fmt::format("  sizes   theirs: {}; ours: {}\n", r.claim.paper_size, own_size(r, full));
  for (const Expectation& e : r.findings.expectations) {
    out += fmt::format("  {:<7} {}: {} ({}{})\n", verdict(e), e.text, e.result,
                       e.timing ? "timing: " : "", e.criterion);
  }
  for (const Comparison& c : r.findings.comparisons) {
    out += "  compare " + c.quantity + ": ours " + c.ours;
    if (!c.reference.empty()) out += "; " + c.reference;
    if (!c.published.empty()) out += "; published: " + c.published;
    out += "\n";
  }
  for (const Table& table : r.findings.tables) {
    out += "  table   " + table.title + "\n" + text_table(table, 10);
  }
  for (const std::string& note : r.findings.notes) out += "  note    " + note + "\n";
  if (r.tally.num_steps() > 0) out += "  steps   " + r.tally.text() + "\n";
  if (const Table apart = steps_apart_table(r); !apart.rows.empty()) {
    out += "  table   " + apart.title + "\n" + text_table(apart, 10);
  }
  if (!r.error.empty()) out += "  error   " + r.error + "\n";
  out += "  verdict " + verdict_in_words(r, full, with_timing) + "\n";
  out += fmt::format("  {} in {:.1f} s\n", r.passed(with_timing) ? "PASS" : "FAIL", r.wall_time_s);
  return out;
}

}  // namespace amontons::experiments

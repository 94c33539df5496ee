#include "experiments/report.h"

#include "amontons/io/common/build_info.h"
#include "amontons/io/common/processor_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <thread>

namespace amontons::experiments {

Origin find_origin(bool full) {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  const std::string date =
      fmt::format("{:04}-{:02}-{:02}", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday);
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  return {date, fmt::format("{}, {} core{}", io::processor_name(), cores, cores == 1 ? "" : "s"),
          fmt::format("Amontons {}, {}", io::version(), io::build_description()), full};
}

std::size_t num_passed(const std::vector<Reproduction>& reproductions, bool with_timing) {
  return static_cast<std::size_t>(
      std::count_if(reproductions.begin(), reproductions.end(),
                    [with_timing](const Reproduction& r) { return r.passed(with_timing); }));
}

const char* verdict(const Expectation& expectation) {
  if (expectation.timing) return expectation.passed ? "met" : "not met";
  return expectation.passed ? "pass" : "FAIL";
}

std::string verdict_in_words(const Reproduction& reproduction, bool full, bool with_timing) {
  if (!reproduction.passed(with_timing)) return "criteria not met";
  if (!reproduction.findings.verdict.empty()) return reproduction.findings.verdict;
  const Claim& claim = reproduction.claim;
  return full && !claim.full_verdict.empty() ? claim.full_verdict : claim.verdict;
}

const std::string& own_size(const Reproduction& reproduction, bool full) {
  if (!reproduction.findings.size.empty()) return reproduction.findings.size;
  const Claim& claim = reproduction.claim;
  return full && !claim.full_size.empty() ? claim.full_size : claim.size;
}

std::string criteria_met(const Reproduction& reproduction, bool with_timing) {
  int met = 0, all = 0;
  for (const Expectation& expectation : reproduction.findings.expectations) {
    if (expectation.timing && !with_timing) continue;
    ++all;
    if (expectation.passed) ++met;
  }
  return fmt::format("{} of {}", met, all);
}

std::string steps_with_law_asked(const Reproduction& reproduction) {
  const LawTally& tally = reproduction.tally;
  std::string text = "-";
  if (tally.num_steps() > 0) {
    text = tally.is_exact() ? fmt::format("all {}", tally.num_steps())
                            : fmt::format("{} of {}", tally.num_asked(), tally.num_steps());
  }
  for (const std::string& steps : reproduction.findings.steps_apart) text += "; " + steps;
  return text;
}

Table steps_apart_table(const Reproduction& reproduction) {
  const LawTally& tally = reproduction.tally;
  if (tally.listed().empty()) return {};
  const auto shown = static_cast<std::int64_t>(tally.listed().size());
  Table table{
      tally.num_listed() == shown
          ? fmt::format("Steps that did not reach the law asked to {:.0e}", tally.tolerance())
          : fmt::format("The first {} of {} steps that did not reach the law asked to {:.0e}",
                        shown, tally.num_listed(), tally.tolerance()),
      {"step", "time s", "answer", "residual", "bodies"},
      {}};
  for (const AnsweredStep& step : tally.listed()) {
    const bool is_missed = answers_law_asked(step.status) && !step.holds;
    const std::string missed =
        step.missed.empty() ? "certificate missed" : "certificate missed: " + step.missed;
    table.rows.push_back({fmt::format("{}", step.step), fmt::format("{:.6g}", step.time),
                          is_missed ? missed : word_of_answer(step.status),
                          fmt::format("{:.1e}", step.distance),
                          step.where.empty() ? "-" : step.where});
  }
  return table;
}

Table comparison_table(const std::vector<Reproduction>& reproductions) {
  Table table{"",
              {"experiment", "measure", "published", "closed form or law", "ours",
               "steps with the law asked"},
              {}};
  const auto text = [](const std::string& cell) { return cell.empty() ? "-" : cell; };
  for (const Reproduction& r : reproductions) {
    // The worst step without the law asked, or with it beyond the tolerance, has its residual.
    std::string law = steps_with_law_asked(r);
    if (!r.tally.is_exact() || r.tally.num_acceptable() > 0) law += ": " + r.tally.text();
    for (const Comparison& c : r.findings.comparisons) {
      table.rows.push_back(
          {r.claim.name, c.quantity, text(c.published), text(c.reference), c.ours, law});
    }
  }
  return table;
}

const char* severity_key() {
  return "A: an implementation that follows the print is wrong. B: a claim or a proof is wrong, "
         "the "
         "method survives. C: wording, numbering, or something that an implementer must decide.";
}

}  // namespace amontons::experiments

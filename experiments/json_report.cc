#include "experiments/report.h"

#include <nlohmann/json.hpp>

namespace amontons::experiments {
namespace {

/// Returns the number of steps that did not reach the law asked to the tolerance, and the first.
nlohmann::json steps_apart(const LawTally& tally) {
  nlohmann::json first = nlohmann::json::array();
  for (const AnsweredStep& step : tally.listed()) {
    first.push_back({{"step", step.step},
                     {"time_s", step.time},
                     {"status", to_string(step.status)},
                     {"certificate_met", step.holds},
                     {"residual", step.distance},
                     {"bodies", step.where}});
  }
  return {{"count", tally.num_listed()}, {"first", std::move(first)}};
}

}  // namespace

std::string to_json(const Report& report) {
  nlohmann::json array = nlohmann::json::array();
  for (const Reproduction& r : report.reproductions) {
    // Criteria with their results.
    nlohmann::json expectations = nlohmann::json::array();
    for (const Expectation& e : r.findings.expectations) {
      expectations.push_back({{"text", e.text},
                              {"result", e.result},
                              {"criterion", e.criterion},
                              {"passed", e.passed},
                              {"timing", e.timing}});
    }

    nlohmann::json comparisons = nlohmann::json::array();
    for (const Comparison& c : r.findings.comparisons) {
      comparisons.push_back({{"quantity", c.quantity},
                             {"published", c.published},
                             {"reference", c.reference},
                             {"ours", c.ours}});
    }

    // Tables keep their cells as text.
    nlohmann::json tables = nlohmann::json::array();
    for (const Table& table : r.findings.tables) {
      tables.push_back({{"title", table.title}, {"header", table.header}, {"rows", table.rows}});
    }
    array.push_back({{"name", r.claim.name},
                     {"title", r.claim.title},
                     {"rows", r.claim.rows},
                     {"source", r.claim.source},
                     {"claim", r.claim.claim},
                     {"paper_size", r.claim.paper_size},
                     {"size", own_size(r, report.origin.full)},
                     {"verdict", verdict_in_words(r, report.origin.full, report.with_timing)},
                     {"passed", r.passed(report.with_timing)},
                     {"steps", r.tally.num_steps()},
                     {"steps_with_law_asked", r.tally.num_asked()},
                     {"law", r.tally.text()},
                     {"steps_apart", steps_apart(r.tally)},
                     {"error", r.error},
                     {"wall_time_s", r.wall_time_s},
                     {"expectations", std::move(expectations)},
                     {"comparisons", std::move(comparisons)},
                     {"tables", std::move(tables)},
                     {"notes", r.findings.notes},
                     {"runs", r.findings.runs}});
  }

  // Bytes that are no UTF-8 are replaced, so that the document is always valid.
  return array.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace amontons::experiments

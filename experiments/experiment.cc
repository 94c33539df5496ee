#include "experiments/experiment.h"

#include <fmt/format.h>

#include <utility>

namespace amontons::experiments {

// A NaN meets no criterion: every comparison below is false for it.

void Findings::expect_at_most(std::string text, double value, double bound) {
  expectations.push_back({std::move(text), fmt::format("{:.6g}", value),
                          fmt::format("<= {:.3g}", bound), value <= bound, false});
}

void Findings::expect_at_least(std::string text, double value, double bound) {
  expectations.push_back({std::move(text), fmt::format("{:.6g}", value),
                          fmt::format(">= {:.3g}", bound), value >= bound, false});
}

void Findings::expect_within(std::string text, double value, double lower, double upper) {
  expectations.push_back({std::move(text), fmt::format("{:.6g}", value),
                          fmt::format("in [{:.6g}, {:.6g}]", lower, upper),
                          value >= lower && value <= upper, false});
}

void Findings::expect_true(std::string text, bool holds, std::string result) {
  if (result.empty()) result = holds ? "yes" : "no";
  expectations.push_back({std::move(text), std::move(result), "must hold", holds, false});
}

void Findings::compare(std::string quantity, std::string published, std::string reference,
                       std::string ours) {
  comparisons.push_back(
      {std::move(quantity), std::move(published), std::move(reference), std::move(ours)});
}

void Findings::timing_at_most(std::string text, double value, double bound,
                              const std::string& unit) {
  expectations.push_back({std::move(text), fmt::format("{:.3g}{}", value, unit),
                          fmt::format("<= {:.3g}{}", bound, unit), value <= bound, true});
}

bool Findings::passed(bool with_timing) const {
  for (const Expectation& expectation : expectations) {
    if (!expectation.passed && (with_timing || !expectation.timing)) return false;
  }
  return !expectations.empty();
}

}  // namespace amontons::experiments

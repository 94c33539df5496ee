#include "amontons/math/stopwatch.h"
#include "experiments/context.h"
#include "experiments/report.h"

#include <exception>

namespace amontons::experiments {
namespace {

/// Expects the law asked in every simulated step, or what the claim accepts in its place.
void expect_law_asked(Reproduction& result) {
  const LawTally& tally = result.tally;
  if (tally.num_steps() == 0 || !result.claim.accept) return;
  const AcceptedAnswers accept = *result.claim.accept;
  const std::string text = accept == AcceptedAnswers::Exact
                               ? "every simulated step has the law asked"
                               : std::string(
                                     "every simulated step has the law asked, or one that "
                                     "the claim accepts (") +
                                     to_string(accept) + ")";
  result.findings.expect_true(text, tally.is_accepted(accept), tally.text());
}

/// Expects a size and a verdict, from the check or from claim.yaml.
void expect_words(Reproduction& result) {
  const Findings& found = result.findings;
  if ((found.size.empty() && result.claim.size.empty()) ||
      (found.verdict.empty() && result.claim.verdict.empty())) {
    result.error = "neither claim.yaml nor the check has a size and a verdict";
  } else if (!found.verdict.empty() && !begins_with_verdict_word(found.verdict)) {
    result.error = "the verdict of the check begins with none of the words of verdicts";
  }
}

}  // namespace

Reproduction reproduce(const Experiment& experiment, const std::filesystem::path& experiments,
                       const std::filesystem::path& output,
                       const std::function<void(const std::string&)>& progress, bool full,
                       std::optional<Mutation> mutation) {
  Reproduction result;
  const std::filesystem::path folder = folder_of(experiments, experiment);
  result.claim = load_claim(folder);
  Context context(folder, output, experiment.name, progress, full, mutation);
  const Stopwatch watch;
  try {
    experiment.check(context, result.findings);
  } catch (const std::exception& error) {
    result.error = error.what();
  }
  if (mutation) {
    result.findings.notes.push_back(std::string("Deliberate error: ") + describe(*mutation) +
                                    "; criteria must fail.");
  }
  result.tally = context.tally();
  expect_law_asked(result);
  if (result.error.empty()) expect_words(result);
  result.wall_time_s = watch.seconds();
  return result;
}

std::filesystem::path find_experiments(const std::filesystem::path& requested,
                                       const std::filesystem::path& program) {
  if (!requested.empty()) return requested;
  const std::filesystem::path beside = program.parent_path();
  for (const std::filesystem::path& candidate :
       {beside / "experiments", beside / "../share/amontons/experiments",
        std::filesystem::path(AMONTONS_EXPERIMENTS_DIR)}) {
    if (std::filesystem::is_directory(candidate)) return candidate;
  }
  return {};
}

}  // namespace amontons::experiments

#pragma once

#include "amontons/simulation/system/law_tally.h"
#include "experiments/errata.h"
#include "experiments/experiment.h"
#include "experiments/mutation.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace amontons::experiments {

/// Holds one experiment that ran: its claim and its findings.
struct Reproduction {
  Claim claim;
  Findings findings;
  LawTally tally;  ///< answers of all simulated steps to the law asked
  double wall_time_s = 0.0;
  std::string error;  ///< an exception that ended the check, else empty

  bool passed(bool with_timing) const { return error.empty() && findings.passed(with_timing); }
};

/// Reads claim.yaml of an experiment's folder. @throws io::ParseError.
Claim load_claim(const std::filesystem::path& folder);

/// Runs one experiment of the catalog: scenes and claim from `experiments`/NAME, output below
/// `output`; `full` asks for the sizes of the paper where the default is smaller.
/// @param mutation  deliberate error of all simulations, to see that criteria fail.
Reproduction reproduce(const Experiment& experiment, const std::filesystem::path& experiments,
                       const std::filesystem::path& output,
                       const std::function<void(const std::string&)>& progress, bool full,
                       std::optional<Mutation> mutation = std::nullopt);

/// Returns the folder of the experiments: `requested` if not empty, else beside the program, in the
/// installed data, or in the source tree that was compiled. Empty if none of them exists.
std::filesystem::path find_experiments(const std::filesystem::path& requested,
                                       const std::filesystem::path& program);

/// Date, machine and build of a report.
struct Origin {
  std::string date;     ///< e.g. "2026-03-01"
  std::string machine;  ///< processor, cores and system
  std::string build;    ///< release, commit and compiler
  bool full = false;    ///< the sizes of the papers
};

/// Returns the origin of a report that this machine makes now.
Origin find_origin(bool full);

/// Holds the content of a report, for all its forms.
struct Report {
  std::vector<Reproduction> reproductions;
  std::vector<PaperErrata> errata;            ///< empty in a report of public scenes
  ExperimentSet set = ExperimentSet::Papers;  ///< its set, which decides its first table
  /// Folder that holds pictures of scenes, beside the page; a picture that is not there is not
  /// shown.
  std::filesystem::path pictures;
  Origin origin;
  bool with_timing = false;  ///< wall times count as well
};

/// Returns "pass" or "FAIL", for a wall time "met" or "not met".
const char* verdict(const Expectation& expectation);
/// Returns the verdict on the paper's claim: that of the check, or the words of the claim at this
/// size, or that criteria are not met.
std::string verdict_in_words(const Reproduction& reproduction, bool full, bool with_timing);
/// Returns our size: as the check found it, or that of the claim at this length of the run.
const std::string& own_size(const Reproduction& reproduction, bool full);
/// Returns the number of experiments that passed.
std::size_t num_passed(const std::vector<Reproduction>& reproductions, bool with_timing);
/// Returns "12 of 13": the criteria met, of those that count.
std::string criteria_met(const Reproduction& reproduction, bool with_timing);
/// Returns "all 1000" or "997 of 1000": the simulated steps with the law asked; "-" without steps.
std::string steps_with_law_asked(const Reproduction& reproduction);
/// Returns a table of the first steps without the law asked, or with it beyond the tolerance:
/// number, time [s], answer, residual of the law asked, bodies. Empty where there are none.
Table steps_apart_table(const Reproduction& reproduction);
/// Returns the table of published figures beside ours: a row for each comparison.
Table comparison_table(const std::vector<Reproduction>& reproductions);
/// Explains the letters of severities.
const char* severity_key();

/// Returns one experiment as text for a terminal.
std::string to_text(const Reproduction& reproduction, bool full, bool with_timing);
/// Returns all experiments as an array.
std::string to_json(const Report& report);
/// Returns one page that needs no other file.
std::string to_html(const Report& report);

/// A page of Markdown and the figures that it shows.
struct MarkdownReport {
  struct Image {
    std::string name;  ///< "ramp-1.svg"
    std::string svg;
  };
  std::string text;
  std::vector<Image> images;
};

/// Returns the report without wall times, which no two runs share, except in tables that compare
/// them.
/// @param image_folder  relative to the page, e.g. "reproduction-figures".
MarkdownReport to_markdown(const Report& report, const std::string& image_folder);

/// Returns the errata alone, as a page of Markdown.
std::string errata_page(const std::vector<PaperErrata>& papers);

}  // namespace amontons::experiments

#pragma once

#include "experiments/errata.h"
#include "experiments/experiment.h"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace amontons::experiments {

/// One experiment done: what was claimed and what was found.
struct Reproduction {
  Claim claim;
  Findings findings;
  double wall_time_s = 0.0;
  std::string error;  ///< an exception that ended the check, else empty

  bool passed(bool with_timing) const { return error.empty() && findings.passed(with_timing); }
};

/// Reads claim.yaml of an experiment's folder. @throws io::ParseError.
Claim load_claim(const std::filesystem::path& folder);

/// Runs one experiment of the catalog: scenes and claim from `experiments`/NAME, output below
/// `output`; `full` asks for the sizes of the paper where the default is smaller.
Reproduction reproduce(const Experiment& experiment, const std::filesystem::path& experiments,
                       const std::filesystem::path& output,
                       const std::function<void(const std::string&)>& progress, bool full);

/// Where the experiments' folders are: `requested` if not empty, else beside the program, in the
/// installed data, or in the source tree that was compiled. Empty if none of them exists.
std::filesystem::path find_experiments(const std::filesystem::path& requested,
                                       const std::filesystem::path& program);

/// Where, when and with what a report was made.
struct Origin {
  std::string date;     ///< e.g. "2026-03-01"
  std::string machine;  ///< processor, cores and system
  std::string build;    ///< release, commit and compiler
  bool full = false;    ///< the sizes of the papers
};

/// Of this machine, now.
Origin find_origin(bool full);

/// Everything that a report says, whatever its form.
struct Report {
  std::vector<Reproduction> reproductions;
  std::vector<PaperErrata> errata;
  Origin origin;
  bool with_timing = false;  ///< wall times count as well
};

/// "pass" or "FAIL", of a wall time "met" or "not met".
const char* verdict(const Expectation& expectation);
/// How many passed.
std::size_t num_passed(const std::vector<Reproduction>& reproductions, bool with_timing);
/// "12 of 13": criteria met, of those that count.
std::string criteria_met(const Reproduction& reproduction, bool with_timing);
/// What the letters of severities mean.
const char* severity_key();

/// One experiment, for a terminal.
std::string to_text(const Reproduction& reproduction, bool with_timing);
/// All experiments as an array.
std::string to_json(const Report& report);
/// One page that needs no other file.
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

/// Without wall times, which no two runs share, but for the tables that compare some.
/// @param image_folder  as the page reaches it, e.g. "reproduction-figures".
MarkdownReport to_markdown(const Report& report, const std::string& image_folder);

/// The errata alone, as a page of Markdown.
std::string errata_page(const std::vector<PaperErrata>& papers);

}  // namespace amontons::experiments

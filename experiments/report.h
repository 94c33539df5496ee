#pragma once

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

std::string to_text(const Reproduction& reproduction, bool with_timing);
std::string to_json(const std::vector<Reproduction>& reproductions, bool with_timing);
std::string to_html(const std::vector<Reproduction>& reproductions, bool with_timing);

/// A figure as an SVG element.
std::string to_svg(const Figure& figure);

}  // namespace amontons::experiments

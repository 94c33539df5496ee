#pragma once

#include "amontons/simulation/scene/scene.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace amontons::experiments {

/// Holds the claim of the paper, from claim.yaml of the experiment's folder.
struct Claim {
  std::string name;  ///< name of the folder, also on the command line
  std::string title;
  std::string rows;        ///< identifiers of the rows it covers, e.g. "E01, R01"
  std::string source;      ///< paper, figure or section
  std::string claim;       ///< description of the experiment and its result there
  std::string parameters;  ///< theirs, and our fill-ins
  std::string paper_size;  ///< size of the paper's experiment
  std::string size;        ///< ours by default; empty: the check finds it
  std::string full_size;   ///< ours with --full; empty: the same
  /// Our verdict on the claim where all criteria are met. Its first words are one of
  /// verdict_words(); a reason may follow after a colon. Empty: the check finds it.
  std::string verdict;
  std::string full_verdict;  ///< the verdict with --full; empty: the same
  std::string picture;       ///< file in docs/pictures that shows the scene; empty: none
  /// Answers of steps that the experiment accepts, key `accept` of claim.yaml; else the law asked
  /// in every step. None: `any`, for experiments whose subject is a law that is not reached.
  std::optional<AcceptedAnswers> accept = AcceptedAnswers::Exact;
};

/// One criterion beside its result.
struct Expectation {
  std::string text;       ///< criterion in words
  std::string result;     ///< value that was found, formatted
  std::string criterion;  ///< e.g. "<= 1e-09"
  bool passed = false;
  bool timing = false;  ///< a wall time: printed as met or not met, counts only on request
};

struct Curve {
  std::string name;
  std::vector<double> x, y;
};
struct Figure {
  std::string title, x_label, y_label;
  bool log_y = false;
  std::vector<Curve> curves;
  bool equal_scales =
      false;  ///< a drawing: a unit is as long along y as along x, every point shown
};
struct Table {
  std::string title;
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
};

/// Sets a figure that others published beside ours.
struct Comparison {
  std::string quantity;   ///< the authors' measure with its unit
  std::string published;  ///< their figures with names; empty: none is published
  std::string reference;  ///< closed form or law of conservation, with its value; empty: none
  std::string ours;       ///< value that was found, formatted
};

/// Holds the results of an experiment.
struct Findings {
  std::vector<Expectation> expectations;
  std::vector<Comparison> comparisons;
  std::vector<Figure> figures;
  std::vector<Table> tables;
  std::vector<std::string> notes;
  std::vector<std::string> runs;  ///< run files written, relative to the output folder
  /// Steps of baselines, which are counted apart from the others: "of Lemke 3 of 200".
  std::vector<std::string> steps_apart;
  std::string size;     ///< our size as it was found; empty: that of the claim
  std::string verdict;  ///< our verdict from what was found, as Claim::verdict; empty: the claim's

  /// |value| criteria; `text` says what the value is.
  void expect_at_most(std::string text, double value, double bound);
  void expect_at_least(std::string text, double value, double bound);
  void expect_within(std::string text, double value, double lower, double upper);
  void expect_true(std::string text, bool holds, std::string result = "");
  /// Sets a published figure beside ours; the parameters are those of Comparison.
  void compare(std::string quantity, std::string published, std::string reference,
               std::string ours);
  /// A wall time [s], or what was found from wall times, in another unit.
  void timing_at_most(std::string text, double value, double bound, const std::string& unit = " s");

  bool passed(bool with_timing) const;
};

/// Returns the words that a verdict begins with. "reference" is a case without a paper's
/// experiment.
const std::vector<std::string>& verdict_words();
/// Returns true if a verdict is one of the words, alone or with a reason after a colon.
bool begins_with_verdict_word(const std::string& verdict);

class Context;  // experiments/context.h

/// Names the two sets of experiments.
enum class ExperimentSet {
  Papers,  ///< experiments of the papers that the models come from
  Public,  ///< test scenes that others published for simulators
};

struct Experiment {
  std::string name;  ///< unique in both sets
  std::function<void(Context&, Findings&)> check;
  ExperimentSet set = ExperimentSet::Papers;
};

/// Returns the experiments of both sets: those of the papers, then the public scenes.
const std::vector<Experiment>& catalog();

/// Returns the public scenes (experiments/public/public_catalog.cc).
const std::vector<Experiment>& public_catalog();

/// Returns the words of the sets, in the order of ExperimentSet.
const std::vector<std::string>& set_words();

/// Returns the experiments of one set, in the order of the catalog.
std::vector<Experiment> experiments_of(ExperimentSet set);

/// Returns the folder of an experiment below `experiments`: its name, or public/NAME.
std::filesystem::path folder_of(const std::filesystem::path& experiments,
                                const Experiment& experiment);

}  // namespace amontons::experiments

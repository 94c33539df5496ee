#include "amontons/io/common/parse_error.h"
#include "amontons/math/nearest_name.h"
#include "experiments/report.h"
#include "tools/amontons/support/command_line.h"
#include "tools/amontons/support/exit_codes.h"
#include "tools/amontons/support/experiments_folder.h"
#include "tools/amontons/support/foreign_output.h"
#include "tools/amontons/support/json_output.h"
#include "tools/amontons/support/write_text_file.h"
#include "tools/amontons/verbs/verbs.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace amontons::cli {
namespace {

struct ReproduceOptions {
  std::vector<std::string> names;
  std::string output = "reproduced", markdown, experiments, mutation, set;
  bool all = false, list = false, json = false, timing = false, quiet = false, full = false,
       force = false;
};

// Returns the set of the word, or of all experiments where there is none; @throws io::ParseError if
// the word is unknown.
std::optional<experiments::ExperimentSet> chosen_set(const std::string& word) {
  if (word.empty()) return std::nullopt;
  const std::vector<std::string>& words = experiments::set_words();
  const auto found = std::find(words.begin(), words.end(), word);
  if (found == words.end()) {
    throw io::ParseError("--set", 0, 0, "there is no set '" + word + "' (papers or public)");
  }
  return static_cast<experiments::ExperimentSet>(found - words.begin());
}

int list_experiments(const ReproduceOptions& options, const std::filesystem::path& folder) {
  const bool json = options.json;
  const auto set = chosen_set(options.set);
  nlohmann::json array = nlohmann::json::array();
  for (const experiments::Experiment& experiment : experiments::catalog()) {
    if (set && experiment.set != *set) continue;
    const experiments::Claim claim =
        experiments::load_claim(experiments::folder_of(folder, experiment));
    if (json) {
      array.push_back({{"name", claim.name},
                       {"set", experiments::set_words()[static_cast<std::size_t>(experiment.set)]},
                       {"title", claim.title},
                       {"rows", claim.rows},
                       {"source", claim.source}});
    } else {
      std::cout << claim.name << std::string(18 - std::min<std::size_t>(17, claim.name.size()), ' ')
                << claim.title << " (" << claim.rows << ")\n";
    }
  }
  if (json) print_json(array);
  return kOk;
}

// Returns the chosen experiments; @throws io::ParseError if a name is unknown.
std::vector<experiments::Experiment> chosen_experiments(const ReproduceOptions& options) {
  if (options.all) return experiments::experiments_of(experiments::ExperimentSet::Papers);
  if (const auto set = chosen_set(options.set)) return experiments::experiments_of(*set);
  std::vector<experiments::Experiment> result;
  for (const std::string& name : options.names) {
    const auto& catalog = experiments::catalog();
    const auto it = std::find_if(catalog.begin(), catalog.end(),
                                 [&](const experiments::Experiment& e) { return e.name == name; });
    if (it == catalog.end()) {
      std::vector<std::string> known;
      for (const experiments::Experiment& e : catalog) known.push_back(e.name);
      const std::string nearest = nearest_name(name, known);
      throw io::ParseError("reproduce", 0, 0,
                           "no experiment '" + name + "'" +
                               (nearest.empty() ? "" : "; did you mean " + nearest + "?") +
                               " (--list names them all)");
    }
    result.push_back(*it);
  }
  return result;
}

// Returns the deliberate error that is asked for; @throws io::ParseError if the word is unknown.
std::optional<experiments::Mutation> chosen_mutation(const std::string& word) {
  if (word.empty()) return std::nullopt;
  if (const auto mutation = experiments::mutation_of(word)) return mutation;
  std::string list;
  for (const std::string& known : experiments::mutation_words()) {
    list += (list.empty() ? "" : ", ") + known;
  }
  throw io::ParseError("--mutate", 0, 0, "there is no error '" + word + "' (one of: " + list + ")");
}

// Returns true for the drawing of a report, such as ramp-1.svg.
bool is_drawing(const std::filesystem::path& file) {
  const std::string stem = file.stem().string();
  const std::size_t dash = stem.rfind('-');
  return file.extension() == ".svg" && dash != std::string::npos && dash + 1 < stem.size() &&
         stem.find_first_not_of("0123456789", dash + 1) == std::string::npos;
}

// Writes FILE.md and its figures in FILE-figures beside it. Drawings of experiments that are not in
// this report are removed.
void write_markdown(const std::filesystem::path& page, const experiments::Report& report) {
  const std::filesystem::path folder = page.parent_path() / (page.stem().string() + "-figures");
  const experiments::MarkdownReport text =
      experiments::to_markdown(report, folder.filename().string());
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (is_drawing(entry.path())) std::filesystem::remove(entry.path(), error);
  }
  for (const experiments::MarkdownReport::Image& image : text.images) {
    write_text_file((folder / image.name).string(), image.svg);
  }
  write_text_file(page.string(), text.text);
}

// @throws io::ParseError unless experiments are chosen in exactly one way.
void require_one_choice(const ReproduceOptions& options) {
  const int ways =
      (options.names.empty() ? 0 : 1) + (options.all ? 1 : 0) + (options.set.empty() ? 0 : 1);
  if (ways == 0) {
    throw io::ParseError("reproduce", 0, 0,
                         "name an experiment, or use --all, --set public or --list");
  }
  if (ways > 1) {
    throw io::ParseError("reproduce", 0, 0, "name experiments, or use --all or --set, not both");
  }
}

// Returns the set whose report this is: that of the public scenes where all chosen are of it.
experiments::ExperimentSet set_of(const std::vector<experiments::Experiment>& chosen) {
  for (const experiments::Experiment& experiment : chosen) {
    if (experiment.set == experiments::ExperimentSet::Papers) return experiment.set;
  }
  return experiments::ExperimentSet::Public;
}

int reproduce(const ReproduceOptions& options) {
  // Options that contradict each other are refused.
  const std::filesystem::path folder = find_experiments_folder(options.experiments);
  if (options.list) return list_experiments(options, folder);
  require_one_choice(options);
  if (!options.markdown.empty() && std::filesystem::path(options.markdown).extension() != ".md") {
    throw io::ParseError("--markdown", 0, 0, "'" + options.markdown + "' must end in .md");
  }
  const std::vector<experiments::Experiment> chosen = chosen_experiments(options);
  const std::optional<experiments::Mutation> mutation = chosen_mutation(options.mutation);

  // Outputs are tried before the experiments run, which may take hours.
  std::error_code error;
  std::filesystem::create_directories(options.output, error);
  const std::string page = (std::filesystem::path(options.output) / "report.html").string();
  refuse_foreign_output(page, io::kPageOutput, options.force);
  require_writable(page);
  if (!options.markdown.empty()) {
    refuse_foreign_output(options.markdown, io::kReportOutput, options.force);
    const std::filesystem::path folder_of_page =
        std::filesystem::path(options.markdown).parent_path();
    if (!folder_of_page.empty()) std::filesystem::create_directories(folder_of_page, error);
    require_writable(options.markdown);
  }

  // The test size of the environment has the effect of --full.
  const auto progress = [&options](const std::string& line) {
    if (!options.quiet) std::cerr << line << "\n";
  };
  const char* size = std::getenv("AMONTONS_TEST_SIZE");
  const bool full = options.full || (size != nullptr && std::string(size) == "long");
  experiments::Report report;
  report.set = set_of(chosen);
  if (report.set == experiments::ExperimentSet::Papers) {
    report.errata = experiments::load_errata(folder / "errata.yaml");
  }
  report.pictures = std::filesystem::path(options.markdown).parent_path() / "pictures";
  report.origin = experiments::find_origin(full);
  report.with_timing = options.timing;

  // Each experiment prints its result when it ends.
  for (const experiments::Experiment& experiment : chosen) {
    progress("reproduce " + experiment.name);
    report.reproductions.push_back(
        experiments::reproduce(experiment, folder, options.output, progress, full, mutation));
    if (!options.json) {
      std::cout << experiments::to_text(report.reproductions.back(), full, options.timing)
                << std::flush;
    }
  }

  // The reports contain all of them.
  write_text_file(page, experiments::to_html(report));
  if (!options.markdown.empty()) write_markdown(options.markdown, report);
  const std::size_t passed = experiments::num_passed(report.reproductions, options.timing);
  if (options.json) {
    std::cout << experiments::to_json(report) << "\n";
  } else {
    std::cout << passed << " of " << report.reproductions.size()
              << " experiments pass; report: " << page << "\n";
  }
  return passed == report.reproductions.size() ? kOk : kFailed;
}

}  // namespace

void add_reproduce(CommandLine& line) {
  const auto options = std::make_shared<ReproduceOptions>();
  Verb verb =
      line.add_verb("reproduce", "Run published experiments and print each claim beside our result",
                    [options] { return reproduce(*options); });
  verb.arguments("NAME", options->names, "Experiments", 0);
  verb.flag("--all", options->all, "All experiments of the papers");
  verb.option("--set", options->set,
              "All experiments of a set: papers, as --all, or public, scenes that others published "
              "for simulators",
              "SET");
  verb.flag("--list", options->list, "Names and titles only");
  verb.option("-o,--output", options->output, "Folder for runs and report.html [reproduced]",
              "DIR");
  verb.option("--markdown", options->markdown,
              "The report as Markdown, too, with its figures in FILE-figures", "FILE.md");
  verb.option("--experiments", options->experiments, "Folder of the experiments", "DIR");
  verb.flag("--full", options->full, "Full size, where the default is smaller (hours)");
  verb.option("--mutate", options->mutation,
              "Simulate with a deliberate error, to see that criteria fail: friction-halved, "
              "no-stabilization, wrong-restitution, early-stop, larger-shapes, heavier-bodies, "
              "damped-joints or rounded-answers",
              "ERROR");
  verb.flag("--timing", options->timing, "Wall times count as well");
  add_force(verb, options->force);
  verb.flag("--quiet", options->quiet, "No progress");
  verb.flag("--json", options->json, "Results as JSON");
}

}  // namespace amontons::cli

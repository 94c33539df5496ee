#include "amontons/io/run/run_comparison.h"
#include "tools/amontons/support/command_line.h"
#include "tools/amontons/support/exit_codes.h"
#include "tools/amontons/support/json_output.h"
#include "tools/amontons/support/progress.h"
#include "tools/amontons/verbs/verbs.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <iostream>
#include <memory>
#include <string>

namespace amontons::cli {
namespace {

struct CompareOptions {
  std::string first, second;
  double tolerance = 0.0;
  bool quiet = false, json = false;
};

std::string sentence(const io::RunDifference& difference) {
  return fmt::format("step {} (t = {:.6g} s), {}{}{}: {} against {}", difference.step,
                     difference.time, difference.dataset, difference.where.empty() ? "" : ", ",
                     difference.where, difference.first, difference.second);
}

void print_text(const CompareOptions& options, const io::RunComparison& result) {
  std::cout << options.first << " and " << options.second << ": ";
  if (!result.headers.empty()) {
    std::cout << "not comparable: " << result.headers << "\n";
    return;
  }
  const std::string within = options.tolerance > 0.0
                                 ? fmt::format("the same within {:g}", options.tolerance)
                                 : "identical";
  if (result.same()) {
    std::cout << within << " in all " << result.rows_first << " rows\n";
    return;
  }
  const std::size_t common = std::min(result.rows_first, result.rows_second);
  std::cout << fmt::format("{} of {} rows differ\n", result.rows_different, common);
  if (result.rows_first != result.rows_second) {
    std::cout << fmt::format("  {} rows against {}: the further rows are not compared\n",
                             result.rows_first, result.rows_second);
  }
  if (!result.first) return;
  std::cout << "  first at " << sentence(*result.first) << "\n  largest of each dataset:\n";
  for (const io::RunDifference& difference : result.largest) {
    std::cout << fmt::format("    {:.2e} at {}\n", difference.size(), sentence(difference));
  }
}

nlohmann::ordered_json as_json(const io::RunDifference& difference) {
  return {{"dataset", difference.dataset}, {"where", difference.where}, {"row", difference.row},
          {"step", difference.step},       {"time", difference.time},   {"first", difference.first},
          {"second", difference.second}};
}

void print_solution(const CompareOptions& options, const io::RunComparison& result) {
  nlohmann::ordered_json largest = nlohmann::ordered_json::array();
  for (const io::RunDifference& difference : result.largest) largest.push_back(as_json(difference));
  const nlohmann::ordered_json solution = {
      {"files", {options.first, options.second}},
      {"tolerance", options.tolerance},
      {"same", result.same()},
      {"systems", result.headers.empty() ? "same" : result.headers},
      {"rows", {result.rows_first, result.rows_second}},
      {"rows_different", result.rows_different},
      {"first", result.first ? as_json(*result.first) : nlohmann::ordered_json()},
      {"largest", std::move(largest)}};
  print_json(solution);
}

int compare(const CompareOptions& options) {
  io::RunReader first(options.first), second(options.second);
  io::RunComparison result;
  {
    Progress progress("compare", options.quiet);
    result = io::compare_runs(first, second, options.tolerance,
                              [&](double fraction) { progress.update(fraction); });
  }
  if (options.json) {
    print_solution(options, result);
  } else {
    print_text(options, result);
  }
  return result.same() ? kOk : kFailed;
}

}  // namespace

void add_compare(CommandLine& line) {
  const auto options = std::make_shared<CompareOptions>();
  Verb verb =
      line.add_verb("compare", "Find the first difference of two runs; exit 1 if they differ",
                    [options] { return compare(*options); });
  verb.argument("FIRST.h5", options->first, "Run");
  verb.argument("SECOND.h5", options->second, "Run to compare it with");
  verb.non_negative("--tolerance", options->tolerance,
                    "Numbers a and b may differ by this times max(1, |a|, |b|) [0: by no bit]");
  verb.flag("--quiet", options->quiet, "No progress");
  verb.flag("--json", options->json, "Result as JSON");
}

}  // namespace amontons::cli

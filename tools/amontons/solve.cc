#include "amontons/math/nearest_name.h"
#include "amontons/models/contact_model.h"
#include "tools/amontons/exit_codes.h"
#include "tools/amontons/solve_file.h"
#include "tools/amontons/verbs.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace amontons::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  SolveOptions solve;
  int directions = 0;
  bool compare = false, json = false;
};

Json to_json(const SolveReport& report, const SolveOptions& options, bool with_answer) {
  Json attempts = Json::array();
  for (const SolveAttempt& attempt : report.attempts) {
    attempts.push_back({{"solver", attempt.solver},
                        {"status", to_string(attempt.status)},
                        {"iterations", attempt.iterations},
                        {"time_s", attempt.time_s},
                        {"remark", attempt.remark}});
  }
  Json result = {{"file", options.file},           {"kind", report.kind},
                 {"model", report.model},          {"status", to_string(report.status)},
                 {"claimed", report.claimed},      {"residual", report.residual},
                 {"tolerance", options.tolerance}, {"iterations", report.iterations},
                 {"time_s", report.time_s}};
  if (!report.law.empty()) {
    result["law"] = report.law;
    result["coulomb"] = report.coulomb;
    result["rows_per_contact"] = report.rows_per_contact;
  }
  if (with_answer) {
    const auto list = [](const Eigen::VectorXd& x) {
      return std::vector<double>(x.data(), x.data() + x.size());
    };
    result[report.law.empty() ? "solution" : "impulses"] = list(report.impulses);
    result[report.law.empty() ? "slack" : "velocities"] = list(report.velocities);
  }
  result["attempts"] = std::move(attempts);
  return result;
}

void print_plain(const SolveReport& report, const SolveOptions& options) {
  std::cout << fmt::format("{}: {}, {}\n", options.file, report.kind, report.model);
  if (!report.law.empty()) std::cout << fmt::format("  law claimed  {}\n", report.law);
  std::cout << fmt::format("  status       {}, {} within {:.0e}\n", to_string(report.status),
                           report.claimed ? "certified" : "NOT certified", options.tolerance)
            << fmt::format("  residual     {:.2e}\n", report.residual);
  if (report.coulomb >= 0.0) {
    std::cout << fmt::format("  coulomb      {:.2e} from the exact law\n", report.coulomb);
  }
  std::cout << fmt::format("  iterations   {}\n  time         {:.3g} ms\n", report.iterations,
                           1e3 * report.time_s);
  for (const SolveAttempt& attempt : report.attempts) {
    if (report.attempts.size() > 20) break;
    std::cout << fmt::format("    {}: {} after {} iterations{}\n", attempt.solver,
                             to_string(attempt.status), attempt.iterations,
                             attempt.remark.empty() ? "" : ", " + attempt.remark);
  }
  if (report.attempts.size() > 20) {
    std::cout << fmt::format("    {} attempts on the islands; --json lists them\n",
                             report.attempts.size());
  }
}

int solve_one(const Options& options) {
  const SolveReport report = solve_file(options.solve);
  if (options.json) {
    std::cout << to_json(report, options.solve, true).dump(2) << "\n";
  } else {
    print_plain(report, options.solve);
  }
  return report.claimed ? kOk : kFailed;
}

/// Every contact model on the same problem.
int compare(const Options& options) {
  Json list = Json::array();
  if (!options.json) {
    std::cout << fmt::format("{:<20} {:<15} {:<15} {:>9} {:>9} {:>10} {:>10}\n", "model", "status",
                             "law", "residual", "coulomb", "iterations", "time ms");
  }
  for (const std::string& model : model_names()) {
    SolveOptions one = options.solve;
    one.model = model;
    const SolveReport report = solve_file(one);
    if (options.json) {
      list.push_back(to_json(report, one, false));
      continue;
    }
    std::cout << fmt::format("{:<20} {:<15} {:<15} {:>9.1e} {:>9.1e} {:>10} {:>10.3g}{}\n", model,
                             to_string(report.status), report.law, report.residual, report.coulomb,
                             report.iterations, 1e3 * report.time_s,
                             report.claimed ? "" : "  NOT certified");
  }
  if (options.json) std::cout << list.dump(2) << "\n";
  return kOk;
}

int solve(const Options& options) {
  const std::vector<std::string>& models = model_names();
  if (std::find(models.begin(), models.end(), options.solve.model) == models.end()) {
    std::cerr << "amontons: solve: unknown contact model '" << options.solve.model
              << "'; did you mean '" << nearest_name(options.solve.model, models) << "'?\n";
    return kUsage;
  }
  return options.compare && is_contact_problem(options.solve.file) ? compare(options)
                                                                   : solve_one(options);
}

}  // namespace

void add_solve(CLI::App& program, Action& action) {
  CLI::App* verb = program.add_subcommand(
      "solve", "Solve a saved contact problem (ours, FCLIB), an LCP or a box QP");
  const auto options = std::make_shared<Options>();
  verb->add_option("PROBLEM", options->solve.file, "HDF5 file")->required();
  verb->add_option("--model", options->solve.model, "Contact model")->capture_default_str();
  verb->add_option("--tolerance", options->solve.tolerance, "Of the certificate, dimensionless")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  CLI::Option* directions =
      verb->add_option("--directions", options->directions, "Of the friction polygon, even")
          ->check(CLI::Range(4, 64));
  verb->add_flag("--compare", options->compare, "All contact models in one table");
  verb->add_flag("--json", options->json, "Machine-readable report with the whole answer");
  verb->callback([&action, options, directions] {
    if (directions->count() > 0) {
      if (options->directions % 2 != 0) {
        throw CLI::ValidationError("--directions", "must be even");
      }
      options->solve.directions = options->directions;
    }
    action = [options] { return solve(*options); };
  });
}

}  // namespace amontons::cli

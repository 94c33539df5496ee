#include "amontons/io/problem/optimization_problem_file.h"
#include "amontons/math/nearest_name.h"
#include "amontons/math/stop.h"
#include "amontons/models/common/contact_model.h"
#include "amontons/models/formulation/step_lcp.h"
#include "amontons/models/impulse_solution.h"
#include "amontons/simulation/scene/scene.h"
#include "tools/amontons/support/command_line.h"
#include "tools/amontons/support/exit_codes.h"
#include "tools/amontons/support/failure.h"
#include "tools/amontons/support/foreign_output.h"
#include "tools/amontons/support/interrupt.h"
#include "tools/amontons/support/json_output.h"
#include "tools/amontons/support/law_answers.h"
#include "tools/amontons/support/progress.h"
#include "tools/amontons/support/solve_file.h"
#include "tools/amontons/support/time_limit.h"
#include "tools/amontons/verbs/solve_intervals.h"
#include "tools/amontons/verbs/verbs.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace amontons::cli {
namespace {

using Json = nlohmann::ordered_json;

// Asymmetry of W up to which it is rounding to single precision [-].
constexpr double kRoundingOfFiles = 1e-6;

struct SolveOptions {
  std::string file;
  std::optional<std::string> model;   // contact model; coulomb where it is not given
  std::optional<std::string> method;  // method of an LCP or a box QP; the usual one likewise
  std::string accept;
  std::string answer;  // impulses of another program to certify; empty: none
  std::string lcp;     // file of the problem's LCP to write; empty: none
  std::string impulse_cap = "island";
  ModelSettings settings;
  std::optional<double> acceptable_tolerance;
  double max_effort = SimulationSettings().max_effort;
  std::optional<double> time_limit;  // of each model or method [s]
  bool compare = false, intervals = false, quiet = false, json = false, force = false;

  std::string contact_model() const { return model.value_or("coulomb"); }
};

Json to_json(const SolveReport& report, const SolveOptions& options, bool with_solution) {
  Json attempts = Json::array();
  for (const SolveAttempt& attempt : report.attempts) {
    attempts.push_back({{"solver", attempt.solver},
                        {"status", to_string(attempt.status)},
                        {"iterations", attempt.iterations},
                        {"time_s", attempt.time_s},
                        {"remark", attempt.remark}});
  }

  // Optimization problems have no law and no contacts.
  Json result = {{"file", options.file},
                 {"kind", report.kind},
                 {"model", report.model},
                 {"status", to_string(report.status)},
                 {"claimed", report.holds},
                 {"residual", report.residual},
                 {"tolerance", options.settings.tolerance},
                 {"iterations", report.iterations},
                 {"time_s", report.time_s}};
  if (!report.law.empty()) {
    result["law"] = report.law;
    result["law_asked"] = report.law_asked;
    result["law_distance"] = report.law_distance;
    result["accepted"] =
        is_accepted(report, accepted_answers(options.accept, AcceptedAnswers::Exact));
    result["coulomb"] = report.coulomb;
    if (report.asymmetry >= 0.0) result["asymmetry"] = report.asymmetry;
    result["rows_per_contact"] = report.rows_per_contact;
    result["remark"] = report.remark;
  }

  // The keys name the unknowns of the problem's kind.
  if (with_solution) {
    const auto list = [](const Eigen::VectorXd& x) {
      return std::vector<double>(x.data(), x.data() + x.size());
    };
    result[report.law.empty() ? "solution" : "impulses"] = list(report.impulses);
    result[report.law.empty() ? "slack" : "velocities"] = list(report.velocities);
  }
  result["attempts"] = std::move(attempts);
  return result;
}

/// Returns the answer to the law asked, as in "met within 1e-08" or "convexified, 1.2e-03 off".
std::string answer(const SolveReport& report, double tolerance) {
  if (!report.holds) return fmt::format("NOT certified, {:.1e} off", report.law_distance);
  if (report.status == SolveStatus::Converged) return fmt::format("met within {:.0e}", tolerance);
  return fmt::format("{}, {:.1e} off", word_of_answer(report.status), report.law_distance);
}

void print_plain(const SolveReport& report, const SolveOptions& options) {
  if (!report.law.empty()) {
    std::cout << fmt::format("law asked, {}: {}\n", report.law_asked,
                             answer(report, options.settings.tolerance));
  }
  std::cout << fmt::format("{}: {}, {}\n", options.file, report.kind, report.model);
  if (!report.law.empty()) std::cout << fmt::format("  law claimed  {}\n", report.law);
  // An answer of another program has no status of a solver.
  const std::string status =
      options.answer.empty() ? std::string(to_string(report.status)) + ", " : "";
  std::cout << fmt::format("  status       {}{} within {:.0e}\n", status,
                           report.holds ? "certified" : "NOT certified", options.settings.tolerance)
            << fmt::format("  residual     {:.2e}\n", report.residual);
  if (!report.remark.empty()) std::cout << "  remark       " << report.remark << "\n";
  if (report.coulomb >= 0.0) {
    std::cout << fmt::format("  coulomb      {:.2e} from the exact law\n", report.coulomb);
  }
  if (report.asymmetry > kRoundingOfFiles) {
    std::cout << fmt::format(
        "  asymmetry    W and its transpose differ by {:.1e}: the problem is that of their mean\n",
        report.asymmetry);
  }
  if (!options.answer.empty()) return;
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

Indeterminacy analyse_with_progress(const SolveOptions& options, const SolvableProblem& problem,
                                    const SolveReport& report, const InterruptGuard& interrupt) {
  Progress progress("intervals", options.quiet);
  return analyse_indeterminacy(problem, report, options.settings.tolerance, [&](double fraction) {
    progress.update(fraction);
    return !interrupt.requested();
  });
}

/// Returns a model's answer; nothing if it takes longer than the time limit.
std::optional<SolveReport> solve_in_time(const SolveOptions& options,
                                         const SolvableProblem& problem, const std::string& model) {
  std::optional<TimeLimit> limit;
  if (options.time_limit) limit.emplace(*options.time_limit);
  try {
    SolveReport report = solve(problem, model, options.settings, options.max_effort);
    // What ended between two looks at the clock may be late, too.
    if (options.time_limit && report.time_s > *options.time_limit) return std::nullopt;
    return report;
  } catch (const Stopped&) {
    return std::nullopt;
  }
}

/// Says that there is no answer within the time limit.
int no_answer(const SolveOptions& options, const SolvableProblem& problem) {
  if (!options.json) {
    std::cout << fmt::format("{}: no answer within {:g} s\n", options.file, *options.time_limit);
    return kFailed;
  }
  Json json = {{"file", options.file}};
  if (is_contact_problem(problem)) json["model"] = options.contact_model();
  json["claimed"] = false;
  json["time_limit_s"] = *options.time_limit;
  print_json(json);
  return kFailed;
}

/// Writes the complementarity problem of a step's contacts.
void save_lcp(const SolveOptions& options, const GlobalProblem& global) {
  const ModelTraits traits = make_model(options.contact_model(), options.settings)->traits();
  const StepLcp lcp = step_lcp(global.problem, law_on(traits, global.problem));
  refuse_foreign_output(options.lcp, io::kLcpOutput, options.force);
  io::save_lcp(options.lcp, lcp.friction.lcp, row_names(lcp));
}

int solution(const SolveOptions& options, const SolvableProblem& problem) {
  if (!options.lcp.empty()) save_lcp(options, std::get<GlobalProblem>(problem));
  const std::string name =
      is_contact_problem(problem) ? options.contact_model() : options.method.value_or("");
  const std::optional<SolveReport> given =
      options.answer.empty() ? solve_in_time(options, problem, name)
                             : certify_answer(problem, options.answer, name, options.settings);
  if (!given) return no_answer(options, problem);
  const SolveReport& report = *given;
  Json json = options.json ? to_json(report, options, true) : Json();
  if (!options.json) print_plain(report, options);
  bool interrupted = false;
  if (options.intervals) {
    const InterruptGuard interrupt;
    const Indeterminacy result = analyse_with_progress(options, problem, report, interrupt);
    interrupted = !result.is_whole && interrupt.requested();
    if (options.json) {
      add_indeterminacy(problem, report, result, json);
    } else {
      print_indeterminacy(problem, report, result);
    }
  }
  if (options.json) print_json(json);
  if (interrupted) return kInterrupted;
  if (report.law.empty()) return report.holds ? kOk : kFailed;
  return is_accepted(report, accepted_answers(options.accept, AcceptedAnswers::Exact))
             ? kOk
             : kCertificateMissed;
}

/// Returns a row of the table: of a model, or of a method of programs, which have no law.
std::string compared_row(const std::string& name, const SolveReport& report) {
  const bool has_law = !report.law.empty();
  return fmt::format(
      "{:<20} {:<15} {}{:>9.1e} {}{:>10} {:>10.3g}{}\n", name, to_string(report.status),
      has_law ? fmt::format("{:<20} ", report.law) : "", report.residual,
      has_law ? fmt::format("{:>9.1e} {:>9.1e} ", report.law_distance, report.coulomb) : "",
      report.iterations, 1e3 * report.time_s, report.holds ? "" : "  NOT certified");
}

/// Adds one answer to the comparison, as it ends.
void compare_one(const SolveOptions& options, const SolvableProblem& problem,
                 const std::string& name, Json& list) {
  std::optional<SolveReport> report;
  std::string reason;
  try {
    report = solve_in_time(options, problem, name);
    if (!report) reason = fmt::format("no answer within {:g} s", *options.time_limit);
  } catch (const std::invalid_argument& error) {
    reason = error.what();  // a method that does not take the problem
  }
  if (!options.json) {
    std::cout << (report ? compared_row(name, *report) : fmt::format("{:<20} {}\n", name, reason))
              << std::flush;
    return;
  }
  list.push_back(report ? to_json(*report, options, false)
                        : Json{{"file", options.file}, {"model", name}, {"claimed", false}});
  if (!report) list.back()["remark"] = reason;
  if (options.time_limit) list.back()["time_limit_s"] = *options.time_limit;
}

/// Solves the same problem by every contact model, or method of its kind.
int compare(const SolveOptions& options, const SolvableProblem& problem) {
  const bool has_law = is_contact_problem(problem);
  if (!options.json) {
    std::cout << fmt::format("{:<20} {:<15} {}{:>9} {}{:>10} {:>10}\n",
                             has_law ? "model" : "method", "status",
                             has_law ? fmt::format("{:<20} ", "law") : "", "residual",
                             has_law ? "  off law   coulomb " : "", "iterations", "time ms");
  }
  Json list = Json::array();
  for (const std::string& name : has_law ? model_names() : method_names(problem)) {
    compare_one(options, problem, name, list);
  }
  if (options.json) print_json(list);
  return kOk;
}

/// Returns the cap of maximum dissipation that the options name.
ImpulseCap chosen_cap(const SolveOptions& options) {
  try {
    return impulse_cap_named(options.impulse_cap);
  } catch (const std::invalid_argument& error) {
    throw Failure(kUsage, std::string("amontons: solve: --impulse-cap: ") + error.what());
  }
}

/// Returns the fault of the options, or nothing.
std::string objection(const SolveOptions& options) {
  if (options.intervals && options.compare) {
    return "--intervals applies to one model: leave out --compare";
  }
  if (!options.answer.empty() && (options.intervals || options.compare || options.time_limit)) {
    return "--certify solves nothing: leave out --compare, --intervals and --time-limit";
  }
  try {
    accepted_answers(options.accept, AcceptedAnswers::Exact);
    make_model(options.contact_model(), options.settings);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

/// Returns the reason why the options do not apply to this problem, or nothing.
std::string objection(const SolveOptions& options, const SolvableProblem& problem) {
  if (options.intervals && !is_contact_problem(problem)) {
    return options.file + " is no contact problem: --intervals needs one";
  }
  if (!options.answer.empty() && !is_contact_problem(problem)) {
    return options.file + " is no contact problem: --certify needs one";
  }
  if (options.model && !is_contact_problem(problem)) {
    return options.file + " is no contact problem: --model needs one; --method takes one of " +
           joined_names(method_names(problem));
  }
  if (options.method && options.compare) return "--compare takes all methods: leave out --method";
  if (options.method && is_contact_problem(problem)) {
    return options.file +
           " is a contact problem: its methods are models, --model NAME in place "
           "of --method";
  }
  const GlobalProblem* global = std::get_if<GlobalProblem>(&problem);
  if (!options.lcp.empty() && (global == nullptr || options.compare)) {
    return "--save-lcp needs a contact problem with M and J, and one model: " + options.file;
  }
  const bool is_impact = global != nullptr && global->problem.step == 0.0;
  if (!options.compare && is_contact_problem(problem) && !is_impact &&
      make_model(options.contact_model(), options.settings)->traits().resolves_impacts_only) {
    return options.file + " is the problem of a step; " + options.contact_model() +
           " is a model of impacts, whose step is 0";
  }
  return "";
}

int run_solve(const SolveOptions& options) {
  if (const std::string wrong = objection(options); !wrong.empty()) {
    throw Failure(kUsage, "amontons: solve: " + wrong);
  }
  const SolvableProblem problem = load_solvable(options.file);
  if (const std::string wrong = objection(options, problem); !wrong.empty()) {
    throw Failure(kUsage, "amontons: solve: " + wrong);
  }
  // Methods refuse problems that they do not take.
  try {
    return options.compare ? compare(options, problem) : solution(options, problem);
  } catch (const std::invalid_argument& error) {
    throw Failure(kUsage, "amontons: solve: " + options.file + ": " + error.what());
  }
}

}  // namespace

void add_solve(CommandLine& line) {
  const auto options = std::make_shared<SolveOptions>();
  Verb verb = line.add_verb(
      "solve", "Solve a saved contact problem (ours, FCLIB), an LCP or a box QP", [options] {
        options->settings.acceptable_tolerance = options->acceptable_tolerance.value_or(
            usual_acceptable_tolerance(options->settings.tolerance));
        options->settings.impulse_cap = chosen_cap(*options);
        return run_solve(*options);
      });
  verb.argument("PROBLEM", options->file, "HDF5 file");
  verb.option("--model", options->model, "Contact model [coulomb]");
  verb.option("--method", options->method,
              "Method of an LCP (lemke, lemke-plain, ppm, block-pivoting, gradient-projection) or "
              "of a box QP (the last two)");
  verb.positive("--tolerance", options->settings.tolerance,
                "Tolerance of the certificate, dimensionless");
  verb.non_negative("--acceptable-tolerance", options->acceptable_tolerance,
                    "Bound up to which an iterate of the law is Acceptable; 0: never [10 times the "
                    "tolerance, at least 1e-4]");
  add_accept_option(verb, options->accept);
  verb.option("--directions", options->settings.friction_directions,
              "Directions of the friction polygon, even", 4);
  verb.option(
      "--max-iterations", options->settings.max_iterations,
      "Limit for each law that is tried on an island; after it the solver tries a weaker law", 1);
  verb.positive("--max-effort", options->max_effort,
                "Limit of the effort on an island, in equivalent factorizations");
  verb.flag("--minimum-norm", options->settings.minimum_norm,
            "Return, of all reactions with the same velocity, those of least norm");
  verb.flag(
      "--literal-viscous-bound", options->settings.literal_viscous_bound,
      "For maximum-dissipation: the viscous bound as printed, where the solution satisfies it");
  verb.option(
      "--impulse-cap", options->impulse_cap,
      "For maximum-dissipation: one kappa bounds the normal impulses of each island or of the "
      "whole system: island or system [island]",
      "WORD");
  verb.option(
      "--save-lcp", options->lcp,
      "Write the linear complementarity problem of the contacts under --model to this file, "
      "which solve reads",
      "FILE.h5");
  verb.flag("--compare", options->compare,
            "All contact models in one table, or all methods of an LCP or a box QP");
  verb.positive("--time-limit", options->time_limit,
                "Limit of the time of the solution, or of each model of --compare [s]");
  verb.option(
      "--certify", options->answer,
      "Certify the impulses of this HDF5 file, in rows (n, t1, t2) of each contact, by the law of "
      "--model, in place of solving",
      "ANSWER");
  verb.flag("--intervals", options->intervals,
            "Rank, and the interval of each normal impulse at the same velocity");
  add_force(verb, options->force);
  verb.flag("--quiet", options->quiet, "No progress");
  verb.flag("--json", options->json, "Machine-readable report with the whole solution");
}

}  // namespace amontons::cli

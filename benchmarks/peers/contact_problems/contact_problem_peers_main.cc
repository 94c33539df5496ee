// Times Siconos' frictional-contact solvers and `amontons solve` on contact problem files in
// FCLIB's layouts, each solve in a process of its own.

#include "benchmarks/peers/child_output.h"
#include "benchmarks/peers/contact_problems/contact_problem_table.h"
#include "benchmarks/peers/contact_problems/fclib_problem.h"
#include "benchmarks/peers/report.h"

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <iostream>
#include <limits>
#include <sstream>

namespace amontons::peers {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

struct Options {
  std::string data, siconos_solver, amontons = AMONTONS_SOURCE_DIR "/build/amontons", model;
  std::string output = AMONTONS_SOURCE_DIR "/benchmarks/results", name = "contact-problems";
  std::vector<std::string> only, solvers;
  double tolerance = 1e-8, limit_s = 20.0;
};

std::vector<fs::path> problem_files(const Options& options) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(options.data)) {
    const std::string name = entry.path().filename().string();
    const std::string extension = entry.path().extension().string();
    if (extension != ".hdf5" && extension != ".h5") continue;
    const bool chosen =
        options.only.empty() ||
        std::any_of(options.only.begin(), options.only.end(),
                    [&name](const std::string& start) { return name.rfind(start, 0) == 0; });
    if (chosen) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::string> siconos_solvers(const Options& options, int dimension) {
  constexpr double kListLimit = 30.0;
  if (!fs::exists(options.siconos_solver)) return {};
  const json listed = last_object(
      run_child({options.siconos_solver, "--list", std::to_string(dimension)}, kListLimit).output);
  std::vector<std::string> names = listed.value("solvers", std::vector<std::string>{});
  if (!options.solvers.empty()) {
    names.erase(std::remove_if(names.begin(), names.end(),
                               [&options](const std::string& name) {
                                 return std::find(options.solvers.begin(), options.solvers.end(),
                                                  name) == options.solvers.end();
                               }),
                names.end());
  }
  return names;
}

std::string number(double value) { return fmt::format("{:.17g}", value); }

// Time to read the file and to repeat short solves, beyond the limit for one solve [s].
constexpr double kOverhead = 5.0;

json siconos_solution(const Options& options, const fs::path& file, const std::string& solver) {
  const ChildResult child =
      run_child({options.siconos_solver, file.string(), solver, number(options.tolerance)},
                options.limit_s + kOverhead);
  json solution = last_object(child.output);
  const std::string failure = failure_of(child);
  solution["solved"] = failure.empty() && solution.value("info", 1) == 0;
  if (!failure.empty()) {
    solution["failure"] = failure;
  } else if (!solution["solved"].get<bool>()) {
    solution["failure"] = fmt::format("info {}", solution.value("info", 1));
  }
  return solution;
}

// The whole output is one object, over many lines.
json whole_object(const std::string& output) {
  const json value = json::parse(output, nullptr, false);
  return value.is_object() ? value : json::object();
}

json amontons_solution(const Options& options, const fs::path& file, const FclibProblem& problem) {
  std::vector<std::string> arguments{options.amontons, "solve",       file.string(),
                                     "--json",         "--tolerance", number(options.tolerance)};
  if (!options.model.empty()) arguments.insert(arguments.end(), {"--model", options.model});
  // Like Siconos, the best of several short solves.
  constexpr int kRepeats = 3;
  json solution = json::object();
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kRepeats; ++i) {
    const ChildResult child = run_child(arguments, options.limit_s + kOverhead);
    solution = whole_object(child.output);
    if (!solution.contains("time_s")) {
      const std::string failure = failure_of(child);
      return {{"solved", false}, {"failure", failure.empty() ? "no answer" : failure}};
    }
    best = std::min(best, solution["time_s"].get<double>());
  }
  solution["time_s"] = best;
  solution["own_residual"] = solution.value("residual", json());
  solution["solved"] = solution.value("claimed", false);
  if (!solution["solved"].get<bool>()) {
    solution["failure"] = solution.value("status", std::string("not claimed"));
  }
  const auto impulses = solution.value("impulses", std::vector<double>{});
  solution["residual"] = json();
  if (static_cast<Eigen::Index>(impulses.size()) == problem.q.size()) {
    solution["residual"] = natural_map_residual(
        problem, Eigen::Map<const Eigen::VectorXd>(impulses.data(), problem.q.size()));
  }
  solution.erase("file");  // its place on this machine
  solution.erase("impulses");
  solution.erase("velocities");
  return solution;
}

json solve_by_all(const Options& options, const fs::path& file) {
  const FclibProblem problem = load_fclib_problem(file.string());
  json solutions = json::object();
  solutions["Amontons"] = amontons_solution(options, file, problem);
  for (const std::string& solver : siconos_solvers(options, problem.dimension)) {
    solutions[solver] = siconos_solution(options, file, solver);
  }
  std::cerr << file.filename().string() << " done\n";
  return {{"file", file.filename().string()},
          {"contacts", problem.num_contacts()},
          {"dimension", problem.dimension},
          {"answers", solutions}};
}

int run(const Options& options) {
  if (!fs::is_directory(options.data)) {
    std::cerr << "NO PROBLEM FILES: " << options.data << " is not a folder; nothing is compared\n";
    return 1;
  }
  json report{{"machine", describe_machine()},
              {"tolerance", options.tolerance},
              {"limit_s", options.limit_s},
              {"notes", json::array()},
              {"problems", json::array()}};
  if (!fs::exists(options.siconos_solver)) {
    report["notes"].push_back("PEER MISSING: Siconos is not built here; its columns are absent");
  }
  if (!fs::exists(options.amontons)) {
    report["notes"].push_back("AMONTONS MISSING: there is no program " + options.amontons);
  }
  for (const json& note : report["notes"]) std::cerr << note.get<std::string>() << "\n";
  for (const fs::path& file : problem_files(options)) {
    report["problems"].push_back(solve_by_all(options, file));
    write_report(report, contact_problem_table(report), options.output, options.name);
  }
  std::cout << contact_problem_table(report);
  return 0;
}

}  // namespace
}  // namespace amontons::peers

int main(int argc, char** argv) {
  using namespace amontons::peers;
  Options options;
  options.siconos_solver =
      (fs::canonical("/proc/self/exe").parent_path() / "siconos_solver").string();
  CLI::App app("Contact problem files: Siconos' solvers and Amontons");
  app.add_option("data", options.data, "folder of the problem files (FCLIB, .hdf5)")->required();
  app.add_option("--only", options.only, "files by the start of their name")->delimiter(',');
  app.add_option("--solvers", options.solvers, "of Siconos; all by default")->delimiter(',');
  app.add_option("--amontons", options.amontons, "our program");
  app.add_option("--model", options.model, "contact model of Amontons; its default otherwise");
  app.add_option("--tolerance", options.tolerance, "that each solver is asked for");
  app.add_option("--limit", options.limit_s, "seconds per solve");
  app.add_option("-o,--output", options.output, "folder of the results");
  app.add_option("--name", options.name, "of the results' files");
  CLI11_PARSE(app, argc, argv);
  try {
    return run(options);
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}

#include "amontons/io/verify.h"

#include "tools/amontons/command_line.h"
#include "tools/amontons/exit_codes.h"
#include "tools/amontons/json_output.h"
#include "tools/amontons/progress.h"
#include "tools/amontons/verbs.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <iostream>
#include <memory>
#include <string>

namespace amontons::cli {
namespace {

struct VerifyOptions {
  std::string file;
  bool quiet = false, json = false;
};

std::string place(const io::VerifyFigure& figure) {
  const std::string step = figure.step == 0
                               ? "initial state"
                               : fmt::format("step {} (t = {:.6g} s)", figure.step, figure.time);
  return figure.where.empty() ? step : step + ", " + figure.where;
}

void print_table(const io::VerifyReport& report) {
  std::cout << fmt::format("{}: {} rows to t = {:.6g} s, {} contacts{}\n", report.path,
                           report.num_rows, report.time, report.num_contacts,
                           report.unfinished ? " (never closed by its writer)" : "");
  if (report.num_commanded > 0) {
    std::cout << fmt::format("  {} of these steps were commanded by a program, as recorded\n",
                             report.num_commanded);
  }
  if (report.num_set_starts > 0) {
    std::cout << fmt::format("  {} of these steps began in a state that a program set\n",
                             report.num_set_starts);
  }
  for (const io::VerifyFigure& figure : report.figures) {
    std::cout << fmt::format("  {} {:<17} worst {:.2e} (at most {:.0e})",
                             figure.passed() ? "ok  " : "FAIL", figure.name, figure.worst,
                             figure.tolerance);
    if (figure.worst > 0.0) std::cout << "  " << place(figure);
    std::cout << "\n";
  }
  for (const io::VerifyFigure& figure : report.figures) {
    if (figure.passed()) continue;
    std::cout << fmt::format("{}: {} ({}): {:.3e} exceeds {:.0e} in {} rows; worst at {}\n",
                             report.path, figure.name, figure.meaning, figure.worst,
                             figure.tolerance, figure.num_failed, place(figure));
  }
  std::cout << (report.passed() ? "verified\n" : "NOT verified\n");
}

void print_answer(const io::VerifyReport& report) {
  nlohmann::ordered_json figures = nlohmann::ordered_json::array();
  for (const io::VerifyFigure& figure : report.figures) {
    figures.push_back({{"name", figure.name},
                       {"meaning", figure.meaning},
                       {"worst", figure.worst},
                       {"tolerance", figure.tolerance},
                       {"passed", figure.passed()},
                       {"rows_failed", figure.num_failed},
                       {"step", figure.step},
                       {"time", figure.time},
                       {"where", figure.where}});
  }
  const nlohmann::ordered_json result = {{"file", report.path},
                                         {"passed", report.passed()},
                                         {"rows", report.num_rows},
                                         {"contacts", report.num_contacts},
                                         {"time", report.time},
                                         {"unfinished", report.unfinished},
                                         {"commanded", report.num_commanded},
                                         {"set_starts", report.num_set_starts},
                                         {"figures", std::move(figures)}};
  print_json(result);
}

int verify(const VerifyOptions& options) {
  io::VerifyReport report;
  {
    Progress progress("verify", options.quiet);
    report = io::verify_run(options.file, [&](double fraction) { progress.update(fraction); });
  }
  if (options.json) {
    print_answer(report);
  } else {
    print_table(report);
  }
  return report.passed() ? kOk : kFailed;
}

}  // namespace

void add_verify(CommandLine& line) {
  const auto options = std::make_shared<VerifyOptions>();
  Verb verb = line.add_verb(
      "verify", "Rebuild every step of a run from its inputs and evaluate its certificate again",
      [options] { return verify(*options); });
  verb.argument("RUN.h5", options->file, "Run to verify");
  verb.flag("--quiet", options->quiet, "No progress");
  verb.flag("--json", options->json, "Report as JSON");
}

}  // namespace amontons::cli

#include "amontons/io/verify/verify.h"

#include "tools/amontons/support/command_line.h"
#include "tools/amontons/support/exit_codes.h"
#include "tools/amontons/support/json_output.h"
#include "tools/amontons/support/law_answers.h"
#include "tools/amontons/support/progress.h"
#include "tools/amontons/verbs/verbs.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <iostream>
#include <memory>
#include <string>

namespace amontons::cli {
namespace {

struct VerifyOptions {
  std::string file;
  std::string accept;
  bool quiet = false, json = false;
};

std::string place(const io::VerificationCheck& check) {
  const std::string step = check.step == 0
                               ? "initial state"
                               : fmt::format("step {} (t = {:.6g} s)", check.step, check.time);
  return check.where.empty() ? step : step + ", " + check.where;
}

void print_table(const io::VerifyReport& report) {
  std::cout << report.tally.text() << "\n";
  std::cout << fmt::format("{}: {} rows to t = {:.6g} s, {} contacts{}\n", report.path,
                           report.num_rows, report.time, report.num_contacts,
                           report.unfinished ? " (never closed by its writer)" : "");
  if (report.num_without_contacts > 0) {
    std::cout << fmt::format(
        "  {} of these rows were recorded without their contacts: their motion is judged, their "
        "laws are as recorded (output.contacts: all records every step)\n",
        report.num_without_contacts);
  }
  if (report.num_commanded > 0) {
    std::cout << fmt::format("  {} of these steps were commanded by a program, as recorded\n",
                             report.num_commanded);
  }
  if (report.num_set_starts > 0) {
    std::cout << fmt::format("  {} of these steps began in a state that a program set\n",
                             report.num_set_starts);
  }
  if (const std::string text = report.integration.text(); !text.empty()) {
    std::cout << "  accuracy: " << text << "\n";
  }
  for (const io::VerificationCheck& check : report.checks) {
    std::cout << fmt::format("  {} {:<17} worst {:.2e} (at most {:.0e})",
                             check.passed() ? "ok  " : "FAIL", check.name, check.worst,
                             check.tolerance);
    if (check.worst > 0.0) std::cout << "  " << place(check);
    std::cout << "\n";
  }
  for (const io::VerificationCheck& check : report.checks) {
    if (check.passed()) continue;
    std::cout << fmt::format("{}: {} ({}): {:.3e} exceeds {:.0e} in {} rows; worst at {}\n",
                             report.path, check.name, check.meaning, check.worst, check.tolerance,
                             check.num_failed, place(check));
  }
  std::cout << (report.passed() ? "verified" : "NOT verified");
  if (!report.tally.is_accepted(report.accept)) std::cout << "; not every step has the law asked";
  std::cout << "\n";
}

void print_solution(const io::VerifyReport& report) {
  nlohmann::ordered_json checks = nlohmann::ordered_json::array();
  for (const io::VerificationCheck& check : report.checks) {
    checks.push_back({{"name", check.name},
                      {"meaning", check.meaning},
                      {"worst", check.worst},
                      {"tolerance", check.tolerance},
                      {"passed", check.passed()},
                      {"rows_failed", check.num_failed},
                      {"step", check.step},
                      {"time", check.time},
                      {"where", check.where}});
  }
  const nlohmann::ordered_json result = {{"file", report.path},
                                         {"passed", report.passed()},
                                         {"law", law_json(report.tally, report.accept)},
                                         {"rows", report.num_rows},
                                         {"contacts", report.num_contacts},
                                         {"without_contacts", report.num_without_contacts},
                                         {"time", report.time},
                                         {"unfinished", report.unfinished},
                                         {"commanded", report.num_commanded},
                                         {"set_starts", report.num_set_starts},
                                         {"integration_share", report.integration.share()},
                                         {"figures", std::move(checks)}};
  print_json(result);
}

int verify(const VerifyOptions& options) {
  io::VerifyReport report;
  {
    Progress progress("verify", options.quiet);
    report = io::verify_run(options.file, [&](double fraction) { progress.update(fraction); });
  }
  report.accept = accepted_answers(options.accept, report.accept);
  if (options.json) {
    print_solution(report);
  } else {
    print_table(report);
  }
  if (!report.passed()) return kFailed;
  return report.tally.is_accepted(report.accept) ? kOk : kCertificateMissed;
}

}  // namespace

void add_verify(CommandLine& line) {
  const auto options = std::make_shared<VerifyOptions>();
  Verb verb = line.add_verb(
      "verify", "Rebuild every step of a run from its inputs and evaluate its certificate again",
      [options] { return verify(*options); });
  verb.argument("RUN.h5", options->file, "Run to verify");
  add_accept_option(verb, options->accept);
  verb.flag("--quiet", options->quiet, "No progress");
  verb.flag("--json", options->json, "Report as JSON");
}

}  // namespace amontons::cli

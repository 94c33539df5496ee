#include "amontons/io/common/build_info.h"
#include "amontons/io/common/parse_error.h"
#include "experiments/report.h"
#include "tools/amontons/support/command_line.h"
#include "tools/amontons/support/exit_codes.h"
#include "tools/amontons/support/experiments_folder.h"
#include "tools/amontons/support/json_output.h"
#include "tools/amontons/verbs/format_page.h"
#include "tools/amontons/verbs/verbs.h"

#include <nlohmann/json.hpp>

#include <iostream>
#include <memory>
#include <string>
#include <utility>

namespace amontons::cli {
namespace {

// Escapes text for roff: a dash is a minus, and neither a backslash nor a dot at a line's start
// acts.
std::string roff(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '-') {
      escaped += "\\-";
    } else if (c == '\\') {
      escaped += "\\e";
    } else {
      escaped += c;
    }
  }
  return escaped.starts_with('.') || escaped.starts_with('\'') ? "\\&" + escaped : escaped;
}

std::string heading(const OptionText& option) {
  std::string names;
  for (const std::string& name : option.names) {
    names += (names.empty() ? "\\fB" : ", \\fB") + roff(name) + "\\fR";
  }
  return option.value.empty() ? names : names + " \\fI" + roff(option.value) + "\\fR";
}

struct ExitMeaning {
  int code;
  const char* meaning;
};
constexpr ExitMeaning kExitCodes[] = {
    {kOk, "Success."},
    {kFailed, "A comparison, certificate or expectation failed."},
    {kUsage, "Wrong usage, or an input that cannot be read or understood."},
    {kCertificateMissed, "A step missed its certificate; the run is complete and marked."},
    {kImportRefused, "A strict import was refused."},
    {kOutputFailed, "An output could not be written."},
    {kInternalError, "An error in the program itself."},
    {kInterrupted, "Interrupted; log and checkpoint are intact."},
};

void print_page(const CommandLine& line) {
  std::cout << ".TH AMONTONS 1 \"\" \"amontons " << roff(io::version()) << "\"\n"
            << ".SH NAME\namontons \\- rigid bodies with contact and friction, each step with its "
               "certificate\n"
            << ".SH SYNOPSIS\n.B amontons\n.I VERB\n[\\fIoptions\\fR]\n.SH VERBS\n";
  for (const VerbText& verb : line.verbs()) {
    std::cout << ".SS " << roff(verb.name) << "\n" << roff(verb.help) << ".\n";
    for (const OptionText& option : verb.options) {
      std::cout << ".TP\n" << heading(option) << "\n" << roff(option.help) << "\n";
    }
  }
  std::cout << ".SH EXIT STATUS\n";
  for (const ExitMeaning& exit : kExitCodes) {
    std::cout << ".TP\n.B " << exit.code << "\n" << roff(exit.meaning) << "\n";
  }
}

void print_solution(const CommandLine& line) {
  nlohmann::ordered_json solution = {{"version", io::version()}};
  for (const VerbText& verb : line.verbs()) {
    auto options = nlohmann::ordered_json::array();
    for (const OptionText& option : verb.options) {
      options.push_back({{"names", option.names}, {"value", option.value}, {"help", option.help}});
    }
    solution["verbs"].push_back(
        {{"name", verb.name}, {"help", verb.help}, {"options", std::move(options)}});
  }
  for (const ExitMeaning& exit : kExitCodes) {
    solution["exit_codes"].push_back({{"code", exit.code}, {"meaning", exit.meaning}});
  }
  print_json(solution);
}

/// Returns a page of the reference as Markdown. @throws io::ParseError.
std::string reference_page(const std::string& page) {
  if (page == "scene") return scene_format_page();
  if (page == "run") return run_format_page();
  if (page == "problem") return problem_format_page();
  if (page == "errata") {
    return experiments::errata_page(
        experiments::load_errata(find_experiments_folder("") / "errata.yaml"));
  }
  throw io::ParseError("manual", 0, 0,
                       "no page '" + page + "'; one of program, scene, run, problem, errata");
}

int manual(const CommandLine& line, const std::string& page, bool json) {
  if (page == "program") {
    json ? print_solution(line) : print_page(line);
  } else if (json) {
    print_json({{"page", page}, {"markdown", reference_page(page)}});
  } else {
    std::cout << reference_page(page);
  }
  return kOk;
}

}  // namespace

void add_manual(CommandLine& line) {
  const auto page = std::make_shared<std::string>("program");
  const auto json = std::make_shared<bool>(false);
  Verb verb = line.add_verb("manual", "Print the manual page (roff), or a page of the reference",
                            [&line, page, json] { return manual(line, *page, *json); });
  verb.optional_argument(
      "PAGE", *page,
      "program (amontons manual | man -l -), or scene, run, problem, errata (Markdown) "
      "[program]");
  verb.flag("--json", *json, "Verbs, options and exit codes, or the page, as JSON");
}

}  // namespace amontons::cli

#include "amontons/io/common/parse_error.h"
#include "amontons/io/scene/start_check.h"
#include "amontons/simulation/scene/ledger_line.h"
#include "amontons/simulation/scene/ledger_summary.h"
#include "amontons/simulation/system/system.h"
#include "tools/amontons/support/command_line.h"
#include "tools/amontons/support/exit_codes.h"
#include "tools/amontons/support/json_output.h"
#include "tools/amontons/support/scene_options.h"
#include "tools/amontons/verbs/verbs.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>

namespace amontons::cli {
namespace {

constexpr std::array kFates = {ImportFate::Applied, ImportFate::Approximated, ImportFate::Ignored,
                               ImportFate::Refused, ImportFate::Warning};

struct LintOptions {
  SceneOptions scene;
  std::string file;
  bool strict_import = false, json = false, all = false;
};

std::size_t count(const ImportLedger& ledger, ImportFate fate) {
  std::size_t n = 0;
  for (const LedgerEntry& entry : ledger.entries) n += entry.fate == fate ? 1 : 0;
  return n;
}

void print_table(const LintOptions& options, const ImportLedger& ledger) {
  const LedgerSummary summary = summarize(ledger);
  std::cout << fmt::format(
      "{}: {} elements let it move otherwise, {} look otherwise, {} do not matter; findings: {}\n",
      options.file, summary.motion, summary.looks, summary.none, summary.findings);
  for (const LedgerEntry& entry : ledger.entries) {
    // What is applied as written, or inside something that is ignored, is listed with --all only.
    const bool hidden = entry.fate == ImportFate::Applied || is_inside_ignored(entry);
    if (hidden && !options.all) continue;
    std::cout << ledger_line(entry) << "\n";
  }
  std::cout << options.file << ":";
  for (const ImportFate fate : kFates) {
    std::cout << fmt::format(" {} {}{}", count(ledger, fate), to_string(fate),
                             fate == kFates.back() ? "\n" : ",");
  }
}

void print_solution(const LintOptions& options, const ImportLedger& ledger) {
  nlohmann::ordered_json entries = nlohmann::ordered_json::array(), counts;
  for (const LedgerEntry& entry : ledger.entries) {
    entries.push_back({{"fate", to_string(entry.fate)},
                       {"element", entry.element},
                       {"reason", entry.reason},
                       {"file", entry.where.file},
                       {"line", entry.where.line},
                       {"column", entry.where.column}});
  }
  for (const ImportFate fate : kFates) counts[to_string(fate)] = count(ledger, fate);
  const LedgerSummary summary = summarize(ledger);
  const nlohmann::ordered_json result = {
      {"file", options.file},
      {"entries", std::move(entries)},
      {"counts", std::move(counts)},
      {"findings", summary.findings},
      {"consequences",
       {{"motion", summary.motion}, {"looks", summary.looks}, {"none", summary.none}}}};
  print_json(result);
}

int lint(LintOptions options) {
  expand_shorthands(options.scene);
  Scene scene = load_scene_or_model(options.file, options.scene);
  try {
    io::check_initial_state(System(scene), scene);
  } catch (const std::invalid_argument& error) {
    io::refuse_scene(options.file, error);
  }
  if (options.json) {
    print_solution(options, scene.ledger);
  } else {
    print_table(options, scene.ledger);
  }
  return options.strict_import && !scene.ledger.findings().empty() ? kImportRefused : kOk;
}

}  // namespace

void add_lint(CommandLine& line) {
  const auto options = std::make_shared<LintOptions>();
  Verb verb = line.add_verb(
      "lint", "List the treatment of each element of a scene or robot model, and physics checks",
      [options] { return lint(*options); });
  verb.argument("SCENE_OR_MODEL", options->file, "Scene (YAML), URDF, SDF, world or MJCF file");
  add_reading_options(verb, options->scene);
  verb.flag("--strict-import", options->strict_import, "Exit 4 if there are findings");
  verb.flag("--all", options->all,
            "List what is applied as written, and what is inside ignored elements, too");
  verb.flag("--json", options->json, "Ledger as JSON");
}

}  // namespace amontons::cli

#include "amontons/io/run/run_repair.h"
#include "tools/amontons/support/command_line.h"
#include "tools/amontons/support/exit_codes.h"
#include "tools/amontons/support/json_output.h"
#include "tools/amontons/verbs/verbs.h"

#include <nlohmann/json.hpp>

#include <iostream>
#include <memory>
#include <string>

namespace amontons::cli {
namespace {

struct RepairOptions {
  std::string file;
  bool json = false;
};

int repair(const RepairOptions& options) {
  const io::RunRepair result = io::repair_run(options.file);
  if (options.json) {
    print_json({{"file", options.file},
                {"rows", result.num_rows},
                {"rows_lost", result.num_lost},
                {"damaged", !result.damage.empty()},
                {"damage", result.damage},
                {"changed", !result.original.empty()},
                {"original", result.original}});
    return kOk;
  }
  std::cout << options.file << ": " << result.num_rows << " complete rows\n";
  if (!result.damage.empty()) {
    std::cout << "lost: rows " << result.num_rows << " to " << result.num_rows + result.num_lost - 1
              << "; the first is damaged: " << result.damage << "\n";
  } else if (result.num_lost > 0) {
    std::cout << "lost: " << result.num_lost << " rows that its writer had begun\n";
  }
  if (!result.original.empty()) {
    std::cout << "the run as it was: " << result.original << "\n";
  }
  return kOk;
}

}  // namespace

void add_repair(CommandLine& line) {
  const auto options = std::make_shared<RepairOptions>();
  Verb verb = line.add_verb("repair", "Make a killed or damaged run readable by any HDF5 tool",
                            [options] { return repair(*options); });
  verb.argument("RUN.h5", options->file, "Run to repair");
  verb.flag("--json", options->json, "Result as JSON");
}

}  // namespace amontons::cli

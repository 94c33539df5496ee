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
                {"damaged", result.was_damaged},
                {"changed", result.was_changed}});
    return kOk;
  }
  std::cout << options.file << ": " << result.num_rows << " complete rows\n";
  if (result.num_lost > 0) {
    std::cout << "lost: " << result.num_lost << " rows "
              << (result.was_damaged ? "from the first with damaged records on"
                                     : "that its writer had begun")
              << "\n";
  }
  return kOk;
}

}  // namespace

void add_repair(CommandLine& line) {
  const auto options = std::make_shared<RepairOptions>();
  Verb verb = line.add_verb("repair", "Make a killed run readable by any HDF5 tool",
                            [options] { return repair(*options); });
  verb.argument("RUN.h5", options->file, "Run to repair");
  verb.flag("--json", options->json, "Result as JSON");
}

}  // namespace amontons::cli

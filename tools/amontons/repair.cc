#include "amontons/io/run_repair.h"
#include "tools/amontons/command_line.h"
#include "tools/amontons/exit_codes.h"
#include "tools/amontons/verbs.h"

#include <iostream>
#include <memory>
#include <string>

namespace amontons::cli {

void add_repair(CommandLine& line) {
  const auto file = std::make_shared<std::string>();
  Verb verb = line.add_verb("repair", "Make a killed run readable by any HDF5 tool", [file] {
    std::cout << *file << ": " << io::repair_run(*file) << " complete rows\n";
    return kOk;
  });
  verb.argument("RUN.h5", *file, "Run to repair");
}

}  // namespace amontons::cli

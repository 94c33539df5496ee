#include "amontons/io/run_repair.h"
#include "tools/amontons/exit_codes.h"
#include "tools/amontons/verbs.h"

#include <CLI/CLI.hpp>

#include <iostream>
#include <memory>
#include <string>

namespace amontons::cli {

void add_repair(CLI::App& program, Action& action) {
  CLI::App* verb = program.add_subcommand("repair", "Make a killed run readable by any HDF5 tool");
  const auto file = std::make_shared<std::string>();
  verb->add_option("RUN.h5", *file, "Run to repair")->required();
  verb->callback([&action, file] {
    action = [file] {
      std::cout << *file << ": " << io::repair_run(*file) << " complete rows\n";
      return kOk;
    };
  });
}

}  // namespace amontons::cli

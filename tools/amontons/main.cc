#include "amontons/io/build_info.h"
#include "amontons/io/output_error.h"
#include "amontons/io/parse_error.h"
#include "tools/amontons/command_line.h"
#include "tools/amontons/exit_codes.h"
#include "tools/amontons/verbs.h"

#include <cstdlib>
#include <exception>
#include <iostream>

namespace amontons::cli {
namespace {

int run_program(int argc, char** argv) {
  CommandLine line("amontons " + io::version() + " (" + io::build_description() + ")");
  add_init(line);
  add_run(line);
  add_resume(line);
  add_verify(line);
  add_replay(line);
  add_info(line);
  add_compare(line);
  add_export(line);
  add_repair(line);
  add_solve(line);
  add_contest(line);
  add_lint(line);
  add_reproduce(line);
  add_completion(line);
  add_manual(line);
  return line.run(argc, argv);
}

}  // namespace
}  // namespace amontons::cli

int main(int argc, char** argv) {
  using namespace amontons;
  try {
    return cli::run_program(argc, argv);
  } catch (const io::OutputError& error) {
    std::cerr << error.what() << std::endl;
    std::cout.flush();
    // HDF5's own cleanup at exit may crash on a file that it could not write.
    std::_Exit(cli::kOutputFailed);
  } catch (const io::ParseError& error) {
    std::cerr << error.what() << "\n";
    return cli::kUsage;
  } catch (const std::exception& error) {
    std::cerr << "amontons: internal error: " << error.what() << "\n";
    return cli::kInternalError;
  }
}

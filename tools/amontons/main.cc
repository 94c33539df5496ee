#include "amontons/io/common/build_info.h"
#include "amontons/io/common/fault_list.h"
#include "amontons/io/common/output_error.h"
#include "amontons/io/common/parse_error.h"
#include "amontons/io/common/printable.h"
#include "amontons/math/stop.h"
#include "tools/amontons/support/command_line.h"
#include "tools/amontons/support/exit_codes.h"
#include "tools/amontons/support/failure.h"
#include "tools/amontons/support/json_output.h"
#include "tools/amontons/support/standard_streams.h"
#include "tools/amontons/verbs/verbs.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>

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
  add_campaign(line);
  add_lint(line);
  add_reproduce(line);
  add_completion(line);
  add_manual(line);
  const int exit_code = line.run(argc, argv);
  finish_standard_output();
  return exit_code;
}

/// Prints the reason why there is no result; under --json stdout has its one document, too.
int report_error(int argc, char** argv, int code, const std::string& said,
                 const nlohmann::ordered_json& place = nlohmann::ordered_json::object()) {
  const std::string message = io::with_short_words(said);
  std::cerr << io::printable(message) << std::endl;
  const bool json = std::any_of(
      argv, argv + argc, [](const char* word) { return std::string_view(word) == "--json"; });
  if (json) {
    nlohmann::ordered_json document = {{"error", message}, {"exit_code", code}};
    document.update(place);
    print_json(document);
  }
  return code;
}

/// Says that an input asks for more memory than there is. The input is the first word behind the
/// verb that is no option.
std::string without_memory(int argc, char** argv) {
  std::string input = "amontons";
  for (int i = argc - 1; i > 1; --i) {
    if (argv[i][0] != '-') input = argv[i];
  }
  return input + ": needs more memory than this process may have; take a smaller one";
}

nlohmann::ordered_json place_of(const io::ParseError& error) {
  nlohmann::ordered_json place = {{"file", error.file()}};
  if (error.line() > 0) place["line"] = error.line();
  if (error.line() > 0 && error.column() > 0) place["column"] = error.column();
  return place;
}

/// Returns the place of the first fault, and all of them with their places.
nlohmann::ordered_json places_of(const io::ParseErrors& errors) {
  nlohmann::ordered_json result = place_of(errors);
  for (const io::ParseError& fault : errors.faults()) {
    nlohmann::ordered_json one = {{"message", fault.message()}};
    one.update(place_of(fault));
    result["faults"].push_back(one);
  }
  return result;
}

}  // namespace
}  // namespace amontons::cli

int main(int argc, char** argv) {
  using namespace amontons;
  cli::hold_standard_streams();
  cli::report_size_limits();
  try {
    return cli::run_program(argc, argv);
  } catch (const io::OutputError& error) {
    cli::report_error(argc, argv, cli::kOutputFailed, error.what(), {{"file", error.file()}});
    std::cout.flush();
    // HDF5's own cleanup at exit may crash on a file that it could not write.
    std::_Exit(cli::kOutputFailed);
  } catch (const io::ParseErrors& errors) {
    return cli::report_error(argc, argv, cli::kUsage, errors.what(), cli::places_of(errors));
  } catch (const io::ParseError& error) {
    return cli::report_error(argc, argv, cli::kUsage, error.what(), cli::place_of(error));
  } catch (const cli::Failure& error) {
    return cli::report_error(argc, argv, error.code(), error.what());
  } catch (const Stopped&) {
    return cli::report_error(argc, argv, cli::kInterrupted, "amontons: interrupted");
  } catch (const std::bad_alloc&) {
    return cli::report_error(argc, argv, cli::kUsage, cli::without_memory(argc, argv));
  } catch (const std::length_error&) {
    return cli::report_error(argc, argv, cli::kUsage, cli::without_memory(argc, argv));
  } catch (const std::exception& error) {
    return cli::report_error(argc, argv, cli::kInternalError,
                             std::string("amontons: internal error: ") + error.what());
  }
}

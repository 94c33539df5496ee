#include "amontons/io/build_info.h"
#include "amontons/io/output_error.h"
#include "amontons/io/parse_error.h"
#include "amontons/math/nearest_name.h"
#include "tools/amontons/exit_codes.h"
#include "tools/amontons/verbs.h"

#include <CLI/CLI.hpp>

#include <cstdlib>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

namespace amontons::cli {
namespace {

std::vector<std::string> verb_names(const CLI::App& program) {
  std::vector<std::string> names;
  for (const CLI::App* verb : program.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(verb->get_name());
  }
  return names;
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::string suggestion(const std::string& word, const std::vector<std::string>& known) {
  const std::string nearest = nearest_name(word, known);
  return nearest.empty() ? "" : "; did you mean " + nearest + "?";
}

// What is wrong with the words that no verb or option took.
std::string explain_extras(const CLI::App& program) {
  for (const CLI::App* verb : program.get_subcommands()) {
    for (const std::string& word : verb->remaining()) {
      if (word.rfind("-", 0) == 0) {
        const std::string name = word.substr(0, word.find('='));
        return verb->get_name() + ": unknown option " + name +
               suggestion(name, option_names(*verb));
      }
      return verb->get_name() + ": unexpected argument " + word;
    }
  }
  for (const std::string& word : program.remaining()) {
    if (word.rfind("-", 0) == 0) {
      return "unknown option " + word + suggestion(word, option_names(program));
    }
    return "unknown verb " + word + suggestion(word, verb_names(program));
  }
  return "";
}

int report_usage(const CLI::App& program, const CLI::ParseError& error) {
  // --help and --version arrive here too.
  if (error.get_exit_code() == 0) return program.exit(error);
  std::string message = explain_extras(program);
  if (message.empty() && program.get_subcommands().empty()) {
    message = "a verb is required:";
    for (const std::string& name : verb_names(program)) message += " " + name;
  } else if (message.empty()) {
    message = program.get_subcommands().front()->get_name() + ": " + error.what();
  }
  std::cerr << "amontons: " << message << "\n";
  return kUsage;
}

int run_program(int argc, char** argv) {
  CLI::App program("Rigid bodies with contact and friction, each step with its certificate.",
                   "amontons");
  program.set_version_flag("--version",
                           "amontons " + io::version() + " (" + io::build_description() + ")");
  program.require_subcommand(1);
  Action action;
  add_run(program, action);
  add_verify(program, action);
  add_replay(program, action);
  add_info(program, action);
  add_repair(program, action);
  add_solve(program, action);
  add_lint(program, action);
  add_reproduce(program, action);
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return report_usage(program, error);
  }
  return action();
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

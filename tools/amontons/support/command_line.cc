#include "tools/amontons/support/command_line.h"

#include "amontons/math/nearest_name.h"
#include "tools/amontons/support/exit_codes.h"
#include "tools/amontons/support/failure.h"

#include <CLI/CLI.hpp>

#include <cmath>
#include <limits>
#include <utility>

namespace amontons::cli {
namespace {

std::vector<std::string> verb_names(const CLI::App& program) {
  std::vector<std::string> names;
  for (const CLI::App* verb : program.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(verb->get_name());
  }
  return names;
}

std::string verb_list(const CLI::App& program) {
  std::string list;
  for (const std::string& name : verb_names(program)) list += " " + name;
  return list;
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

std::string unknown_verb(const CLI::App& program, const std::string& word) {
  const std::string near = suggestion(word, verb_names(program));
  return "unknown verb '" + word + "'" + (near.empty() ? "; verbs:" + verb_list(program) : near);
}

/// Returns the fault of a word that is no finite number >= 0, or nothing.
std::string not_below_zero(const std::string& word) {
  double number = 0.0;
  const bool is_fine =
      CLI::detail::lexical_cast(word, number) && number >= 0.0 && std::isfinite(number);
  return is_fine ? std::string() : "must be a number of at least 0, not " + word;
}

// Returns the fault of a word that is to be a positive number, or nothing.
std::string positive_number(const std::string& word) {
  double number = 0.0;
  const bool is_fine =
      CLI::detail::lexical_cast(word, number) && number > 0.0 && std::isfinite(number);
  return is_fine ? std::string() : "must be a positive number, not " + word;
}

// Returns the fault of the words that belong to no verb and no option.
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
    return unknown_verb(program, word);
  }
  return "";
}

OptionText describe(const CLI::Option& option) {
  OptionText text{{}, "", option.get_description()};
  for (const std::string& name : option.get_snames()) text.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) text.names.push_back("--" + name);
  if (text.names.empty()) {
    text.names.push_back(option.get_name(true));
  } else if (option.get_items_expected_max() > 0) {
    text.value = option.get_type_name();
  }
  return text;
}

int report_usage(const CLI::App& program, const CLI::ParseError& error) {
  // --help and --version arrive here too; words that mean nothing are wrong beside them as well.
  std::string message = explain_extras(program);
  if (message.empty() && error.get_exit_code() == 0) return program.exit(error);
  if (message.empty() && program.get_subcommands().empty()) {
    message = "a verb is required:" + verb_list(program);
  } else if (message.empty()) {
    message = program.get_subcommands().front()->get_name() + ": " + error.what();
  }
  throw Failure(kUsage, "amontons: " + message);
}

}  // namespace

void Verb::argument(const char* name, std::string& value, const char* help) {
  app_->add_option(name, value, help)->required();
}

void Verb::optional_argument(const char* name, std::string& value, const char* help) {
  app_->add_option(name, value, help);
}

void Verb::arguments(const char* name, std::vector<std::string>& values, const char* help,
                     int least) {
  app_->add_option(name, values, help)->required(least > 0);
}

void Verb::flag(const char* name, bool& value, const char* help) {
  app_->add_flag(name, value, help)->disable_flag_override();  // no --quiet=maybe
}

void Verb::option(const char* names, std::string& value, const char* help, const char* type) {
  app_->add_option(names, value, help)->type_name(type)->capture_default_str();
}

void Verb::option(const char* names, std::optional<std::string>& value, const char* help,
                  const char* type) {
  app_->add_option(names, value, help)->type_name(type);
}

void Verb::option(const char* names, std::vector<std::string>& values, const char* help,
                  const char* type) {
  app_->add_option(names, values, help)->type_name(type)->allow_extra_args(false);
}

void Verb::option(const char* names, std::optional<int>& value, const char* help, int least,
                  int most) {
  const std::string range = most == std::numeric_limits<int>::max()
                                ? " of at least " + std::to_string(least)
                                : " from " + std::to_string(least) + " to " + std::to_string(most);
  app_->add_option(names, value, help)->check([=](const std::string& word) {
    int number = 0;
    const bool is_fine =
        CLI::detail::lexical_cast(word, number) && number >= least && number <= most;
    return is_fine ? "" : "must be a whole number" + range + ", not " + word;
  });
}

void Verb::positive(const char* names, double& value, const char* help) {
  app_->add_option(names, value, help)->check(positive_number)->capture_default_str();
}

void Verb::positive(const char* names, std::optional<double>& value, const char* help) {
  app_->add_option(names, value, help)->check(positive_number);
}

void Verb::non_negative(const char* names, double& value, const char* help) {
  app_->add_option(names, value, help)->check(not_below_zero);
}

void Verb::non_negative(const char* names, std::optional<double>& value, const char* help) {
  app_->add_option(names, value, help)->check(not_below_zero);
}

struct CommandLine::Program {
  CLI::App app{"Rigid bodies with contact and friction, each step with its certificate.",
               "amontons"};
  std::function<int()> action;
};

CommandLine::CommandLine(const std::string& version) : program_(std::make_unique<Program>()) {
  program_->app.set_version_flag("--version", version);
  program_->app.require_subcommand(1);
}

CommandLine::~CommandLine() = default;

Verb CommandLine::add_verb(const char* name, const char* help, std::function<int()> action) {
  CLI::App* verb = program_->app.add_subcommand(name, help);
  verb->callback(
      [program = program_.get(), action = std::move(action)] { program->action = action; });
  return Verb(*verb);
}

std::vector<VerbText> CommandLine::verbs() const {
  std::vector<VerbText> verbs;
  for (const CLI::App* app : program_->app.get_subcommands([](const CLI::App*) { return true; })) {
    VerbText& verb = verbs.emplace_back(VerbText{app->get_name(), app->get_description(), {}});
    for (const CLI::Option* option : app->get_options()) verb.options.push_back(describe(*option));
  }
  return verbs;
}

int CommandLine::run(int argc, char** argv) {
  try {
    program_->app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return report_usage(program_->app, error);
  }
  return program_->action();
}

}  // namespace amontons::cli

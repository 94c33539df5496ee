#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace amontons::cli {

/// Describes one verb of the command line: the words that it takes, and what it does with them.
///
/// It is a thin front of CLI11, so that one source alone compiles it. Every value must outlive the
/// verb; help texts name defaults.
class Verb {
 public:
  explicit Verb(CLI::App& app) : app_(&app) {}

  /// Adds one required word.
  void argument(const char* name, std::string& value, const char* help);
  /// Adds one word that may be left out.
  void optional_argument(const char* name, std::string& value, const char* help);
  /// Adds words without a dash, at least `least`.
  void arguments(const char* name, std::vector<std::string>& values, const char* help, int least);

  void flag(const char* name, bool& value, const char* help);
  void option(const char* names, std::string& value, const char* help, const char* type = "TEXT");
  void option(const char* names, std::optional<std::string>& value, const char* help,
              const char* type = "TEXT");
  /// Adds an option that may be given more than once.
  void option(const char* names, std::vector<std::string>& values, const char* help,
              const char* type);
  /// Adds an option whose value is a whole number >= least and <= most.
  void option(const char* names, std::optional<int>& value, const char* help, int least,
              int most = std::numeric_limits<int>::max());
  /// Adds an option whose value is a number > 0.
  void positive(const char* names, double& value, const char* help);
  void positive(const char* names, std::optional<double>& value, const char* help);
  /// Adds an option whose value is a finite number >= 0.
  void non_negative(const char* names, double& value, const char* help);
  void non_negative(const char* names, std::optional<double>& value, const char* help);

 private:
  CLI::App* app_;
};

/// Describes an option or argument as help texts show it.
struct OptionText {
  std::vector<std::string> names;  ///< "-o", "--output"; one without a dash for an argument
  std::string value;               ///< value that follows, e.g. "RUN.h5"; empty for a flag
  std::string help;

  bool is_argument() const { return names.front().front() != '-'; }
};

/// Describes a verb as help texts show it.
struct VerbText {
  std::string name, help;
  std::vector<OptionText> options;
};

/// Holds the program: its verbs and the one that was chosen.
class CommandLine {
 public:
  explicit CommandLine(const std::string& version);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  /// Adds a verb. What `action` returns is the exit code.
  Verb add_verb(const char* name, const char* help, std::function<int()> action);

  /// Returns all verbs, in the order of their addition.
  std::vector<VerbText> verbs() const;

  /// Reads the words and acts; returns the exit code.
  /// @throws Failure  if words mean nothing: one line that says what was perhaps meant.
  int run(int argc, char** argv);

 private:
  struct Program;
  std::unique_ptr<Program> program_;
};

}  // namespace amontons::cli

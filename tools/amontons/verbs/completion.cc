#include "amontons/io/common/parse_error.h"
#include "tools/amontons/support/command_line.h"
#include "tools/amontons/support/exit_codes.h"
#include "tools/amontons/support/json_output.h"
#include "tools/amontons/verbs/verbs.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace amontons::cli {
namespace {

std::string verb_names(const std::vector<VerbText>& verbs) {
  std::string names;
  for (const VerbText& verb : verbs) names += (names.empty() ? "" : " ") + verb.name;
  return names;
}

std::string option_names(const VerbText& verb) {
  std::string names;
  for (const OptionText& option : verb.options) {
    if (option.is_argument()) continue;
    for (const std::string& name : option.names) names += (names.empty() ? "" : " ") + name;
  }
  return names;
}

// Verbs first, then a verb's options where the word begins with a dash, files elsewhere.
std::string bash_script(const std::vector<VerbText>& verbs) {
  std::string script =
      "_amontons() {\n"
      "  local word=\"${COMP_WORDS[COMP_CWORD]}\" options=\"\"\n"
      "  if [[ $COMP_CWORD -eq 1 ]]; then\n"
      "    COMPREPLY=($(compgen -W \"" +
      verb_names(verbs) +
      " --help --version\" -- \"$word\"))\n"
      "    return\n"
      "  fi\n"
      "  case \"${COMP_WORDS[1]}\" in\n";
  for (const VerbText& verb : verbs) {
    script += fmt::format("    {}) options=\"{}\" ;;\n", verb.name, option_names(verb));
  }
  return script +
         "  esac\n"
         "  if [[ \"$word\" == -* ]]; then\n"
         "    COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
         "  else\n"
         "    COMPREPLY=($(compgen -f -- \"$word\"))\n"
         "  fi\n"
         "}\n"
         "complete -o filenames -F _amontons amontons\n";
}

std::string in_single_quotes(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

// Square brackets and colons mean something inside an argument of _arguments.
std::string zsh_text(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string zsh_script(const std::vector<VerbText>& verbs) {
  // The first word is a verb.
  std::string script =
      "#compdef amontons\n"
      "_amontons() {\n"
      "  if (( CURRENT == 2 )); then\n"
      "    local -a verbs=(\n";
  for (const VerbText& verb : verbs) {
    script += "      " + in_single_quotes(verb.name + ":" + verb.help) + "\n";
  }
  script +=
      "    )\n"
      "    _describe verb verbs\n"
      "    return\n"
      "  fi\n"
      "  case ${words[2]} in\n";

  // Then each verb has its options, and files as arguments.
  for (const VerbText& verb : verbs) {
    script += fmt::format("    {}) _arguments", verb.name);
    for (const OptionText& option : verb.options) {
      if (option.is_argument()) continue;
      for (const std::string& name : option.names) {
        const std::string value = option.value.empty() ? "" : ":" + zsh_text(option.value);
        script +=
            " \\\n      " + in_single_quotes(fmt::format("*{}[{}]{}{}", name, zsh_text(option.help),
                                                         value, value.empty() ? "" : ":_files"));
      }
    }
    script += " \\\n      '*:file:_files' ;;\n";
  }
  return script + "  esac\n}\n_amontons \"$@\"\n";
}

std::string fish_script(const std::vector<VerbText>& verbs) {
  std::string script;
  for (const VerbText& verb : verbs) {
    script += fmt::format("complete -c amontons -n __fish_use_subcommand -f -a {} -d {}\n",
                          verb.name, in_single_quotes(verb.help));
    for (const OptionText& option : verb.options) {
      if (option.is_argument()) continue;
      script += fmt::format("complete -c amontons -n '__fish_seen_subcommand_from {}'", verb.name);
      for (const std::string& name : option.names) {
        script += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      }
      script += (option.value.empty() ? " -d " : " -r -d ") + in_single_quotes(option.help) + "\n";
    }
  }
  return script;
}

struct CompletionOptions {
  std::string shell;
  bool json = false;
};

std::string script_for(const std::string& shell, const std::vector<VerbText>& verbs) {
  if (shell == "bash") return bash_script(verbs);
  if (shell == "zsh") return zsh_script(verbs);
  if (shell == "fish") return fish_script(verbs);
  throw io::ParseError("completion", 0, 0, "no script for " + shell + "; bash, zsh or fish");
}

int complete(const CommandLine& line, const CompletionOptions& options) {
  const std::string script = script_for(options.shell, line.verbs());
  if (options.json) {
    print_json({{"shell", options.shell}, {"script", script}});
  } else {
    std::cout << script;
  }
  return kOk;
}

}  // namespace

void add_completion(CommandLine& line) {
  const auto options = std::make_shared<CompletionOptions>();
  Verb verb = line.add_verb("completion", "Print a script that completes words in a shell",
                            [&line, options] { return complete(line, *options); });
  verb.argument("SHELL", options->shell, "bash, zsh or fish");
  verb.flag("--json", options->json, "Script as JSON");
}

}  // namespace amontons::cli

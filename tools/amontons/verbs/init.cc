#include "amontons/io/common/parse_error.h"
#include "tools/amontons/support/command_line.h"
#include "tools/amontons/support/exit_codes.h"
#include "tools/amontons/support/json_output.h"
#include "tools/amontons/support/write_text_file.h"
#include "tools/amontons/verbs/starter_scene.h"
#include "tools/amontons/verbs/verbs.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <iostream>
#include <memory>
#include <string>

namespace amontons::cli {
namespace {

struct InitOptions {
  std::string file = "scene.yaml";
  bool json = false;
};

int init(const InitOptions& options) {
  const std::string& file = options.file;
  if (std::filesystem::exists(file)) {
    throw io::ParseError(file, 0, 0, "exists already; name another file, or move it away");
  }
  write_text_file(file, starter_scene(file));
  if (options.json) {
    print_json({{"file", file}});
  } else {
    std::cout << "wrote " << file << ": a first scene with a crate, a ball and a ramp\n"
              << "next: amontons run " << file << "\n";
  }
  return kOk;
}

}  // namespace

void add_init(CommandLine& line) {
  const auto options = std::make_shared<InitOptions>();
  Verb verb = line.add_verb("init", "Write a first scene with comments",
                            [options] { return init(*options); });
  verb.optional_argument("SCENE.yaml", options->file, "Scene to write [scene.yaml]");
  verb.flag("--json", options->json, "Result as JSON");
}

}  // namespace amontons::cli

#include "amontons/io/parse_error.h"
#include "tools/amontons/command_line.h"
#include "tools/amontons/exit_codes.h"
#include "tools/amontons/starter_scene.h"
#include "tools/amontons/verbs.h"
#include "tools/amontons/write_text_file.h"

#include <filesystem>
#include <iostream>
#include <memory>
#include <string>

namespace amontons::cli {
namespace {

int init(const std::string& file) {
  if (std::filesystem::exists(file)) {
    throw io::ParseError(file, 0, 0, "exists already; name another file, or move it away");
  }
  write_text_file(file, starter_scene(file));
  std::cout << "wrote " << file << ": a box and a ball to begin with\n"
            << "next: amontons run " << file << "\n";
  return kOk;
}

}  // namespace

void add_init(CommandLine& line) {
  const auto file = std::make_shared<std::string>("scene.yaml");
  Verb verb = line.add_verb("init", "Write a commented scene to begin with",
                            [file] { return init(*file); });
  verb.optional_argument("SCENE.yaml", *file, "Scene to write [scene.yaml]");
}

}  // namespace amontons::cli

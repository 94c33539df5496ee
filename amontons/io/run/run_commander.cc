#include "amontons/io/run/run_commander.h"

#include "amontons/io/hdf5/hdf5_input.h"

namespace amontons::io {

const char* to_string(RunCommander commander) {
  return commander == RunCommander::Page ? "page" : "program";
}

RunCommander read_run_commander(const std::string& path) {
  const Hdf5Input input = open_hdf5_input(path);
  const bool is_page = has_attribute(input.file, "commander") &&
                       read_string_attribute(input.file, "commander") == "page";
  return is_page ? RunCommander::Page : RunCommander::Program;
}

}  // namespace amontons::io

#include "tools/amontons/support/experiments_folder.h"

#include "amontons/io/common/parse_error.h"
#include "experiments/report.h"

#include <system_error>

namespace amontons::cli {

std::filesystem::path find_experiments_folder(const std::string& requested) {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  std::filesystem::path folder = experiments::find_experiments(requested, program);
  if (folder.empty()) {
    throw io::ParseError("experiments", 0, 0,
                         "not found beside the program; name their folder with --experiments DIR");
  }
  return folder;
}

}  // namespace amontons::cli

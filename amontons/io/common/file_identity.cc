#include "amontons/io/common/file_identity.h"

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>

namespace amontons::io {

FileIdentity identity_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return {};
  return {static_cast<std::uint64_t>(status.st_dev), static_cast<std::uint64_t>(status.st_ino)};
}

bool is_newer_than_this_process(const std::string& path) {
  struct stat status {};
  std::ifstream file("/proc/self/stat");
  std::string text;
  std::getline(file, text);
  // The name of the program, in brackets, may hold spaces. The 20th word after it is the start, in
  // ticks since the machine was started.
  const std::size_t bracket = text.rfind(')');
  if (bracket == std::string::npos || ::stat(path.c_str(), &status) != 0) return false;
  std::istringstream words(text.substr(bracket + 1));
  std::string word;
  for (int i = 0; i < 20; ++i) words >> word;
  timespec up{}, now{};
  ::clock_gettime(CLOCK_BOOTTIME, &up);
  ::clock_gettime(CLOCK_REALTIME, &now);
  const auto seconds = [](const timespec& t) {
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
  };
  const double start = std::atof(word.c_str()) / static_cast<double>(::sysconf(_SC_CLK_TCK));
  const double age = seconds(up) - start;
  const double since_written = seconds(now) - seconds(status.st_mtim);
  return since_written >= 0.0 && since_written + 0.02 < age;
}

}  // namespace amontons::io

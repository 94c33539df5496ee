#include "amontons/io/common/lock_holder.h"

#include <algorithm>
#include <cctype>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace amontons::io {
namespace {

namespace fs = std::filesystem;

/// Returns true if a descriptor of a process is this file and holds a lock for writing. Linux says
/// so in a line "lock: 1: OFDLCK ADVISORY WRITE ..." of fdinfo.
bool holds_lock(const fs::path& process, const fs::path& descriptor, const struct stat& file) {
  struct stat own {};
  if (::stat(descriptor.c_str(), &own) != 0) return false;
  if (own.st_dev != file.st_dev || own.st_ino != file.st_ino) return false;
  std::ifstream info(process / "fdinfo" / descriptor.filename());
  for (std::string line; std::getline(info, line);) {
    if (line.starts_with("lock:") && line.find("WRITE") != std::string::npos) return true;
  }
  return false;
}

}  // namespace

std::string said_of_lock_holder(const std::string& path, const std::string& what_it_does) {
  const std::string other = "another process " + what_it_does;
  const std::string unseen = other + " (it has ended meanwhile, or is not to be seen from here)";
  struct stat file {};
  if (::stat(path.c_str(), &file) != 0) return unseen;
  std::error_code error;
  for (const fs::directory_entry& process : fs::directory_iterator("/proc", error)) {
    const std::string pid = process.path().filename().string();
    const bool is_process =
        std::all_of(pid.begin(), pid.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
    if (!is_process) continue;
    // Processes of others cannot be read, and one may end meanwhile: both have no entries.
    std::error_code unreadable;
    for (const fs::directory_entry& descriptor :
         fs::directory_iterator(process.path() / "fd", unreadable)) {
      if (!holds_lock(process.path(), descriptor.path(), file)) continue;
      if (pid == std::to_string(::getpid())) return "this program " + what_it_does;
      std::string name;
      std::getline(std::ifstream(process.path() / "comm") >> std::ws, name);
      return other + " (process " + pid + (name.empty() ? "" : ", " + name) + ")";
    }
  }
  return unseen;
}

bool may_be_locked(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return true;
  struct flock lock {};
  lock.l_type = F_RDLCK;
  lock.l_whence = SEEK_SET;
  const bool is_free = ::fcntl(file, F_OFD_GETLK, &lock) == 0 && lock.l_type == F_UNLCK;
  ::close(file);
  return !is_free;
}

}  // namespace amontons::io

#include "tools/amontons/replay/child_process.h"

#include "amontons/math/stop.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <spawn.h>
#include <sstream>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>

extern char** environ;

namespace amontons::cli {
namespace {

constexpr int kPatience = 20;  // between two looks at what has changed [ms]
constexpr int kFirstOwn = 10;  // descriptors of ours stay clear of the numbers a child is given

void check(int error, const char* what) {
  if (error != 0) throw std::system_error(error, std::generic_category(), what);
}

Descriptor moved_up(int number) {
  const Descriptor low(number);
  const int high = ::fcntl(number, F_DUPFD_CLOEXEC, kFirstOwn);
  if (high < 0) check(errno, "no descriptor is left");
  return Descriptor(high);
}

int code_of(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

// The settings of posix_spawn, freed.
struct SpawnSettings {
  SpawnSettings() {
    check(::posix_spawn_file_actions_init(&actions), "posix_spawn");
    check(::posix_spawnattr_init(&attributes), "posix_spawn");
  }
  ~SpawnSettings() {
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_t actions{};
  posix_spawnattr_t attributes{};
};

}  // namespace

void Descriptor::close() {
  if (number_ >= 0) ::close(number_);
  number_ = -1;
}

Pipe::Pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) check(errno, "no pipe");
  read_end = moved_up(ends[0]);
  write_end = moved_up(ends[1]);
}

std::string find_program(const std::vector<std::string>& names) {
  const char* path = std::getenv("PATH");
  for (const std::string& name : names) {
    std::istringstream folders(path == nullptr ? "" : path);
    for (std::string folder; std::getline(folders, folder, ':');) {
      const std::string program = (std::filesystem::path(folder) / name).string();
      if (::access(program.c_str(), X_OK) == 0) return program;
    }
  }
  return "";
}

ChildProcess::ChildProcess(const std::string& program, const std::vector<std::string>& arguments,
                           const std::vector<Connection>& connections) {
  SpawnSettings settings;
  for (int standard = 0; standard < 3; ++standard) {
    check(::posix_spawn_file_actions_addopen(&settings.actions, standard, "/dev/null", O_RDWR, 0),
          "posix_spawn");
  }
  for (const Connection& connection : connections) {
    check(::posix_spawn_file_actions_adddup2(&settings.actions, connection.own, connection.child),
          "posix_spawn");
  }
  ::posix_spawnattr_setflags(&settings.attributes, POSIX_SPAWN_SETPGROUP);
  ::posix_spawnattr_setpgroup(&settings.attributes, 0);
  std::vector<char*> words{const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments)
    words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  check(::posix_spawn(&id_, program.c_str(), &settings.actions, &settings.attributes, words.data(),
                      environ),
        program.c_str());
}

ChildProcess::~ChildProcess() {
  if (id_ < 0) return;
  ::kill(-id_, SIGKILL);  // with its own children
  while (::waitpid(id_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

int ChildProcess::wait() {
  int status = 0;
  // Bound: ends with the process, or where this program is asked to stop.
  for (pid_t ended = 0; ended != id_;) {
    ended = ::waitpid(id_, &status, WNOHANG);
    if (ended < 0 && errno != EINTR) break;
    if (ended == id_) break;
    check_stop();
    std::this_thread::sleep_for(std::chrono::milliseconds(kPatience));
  }
  id_ = -1;
  return code_of(status);
}

bool write_all(const Descriptor& descriptor, const std::string& bytes) {
  // A full pipe must not keep the program from hearing that it is to stop.
  ::fcntl(descriptor.number(), F_SETFL, O_NONBLOCK);
  std::size_t done = 0;
  while (done < bytes.size()) {
    check_stop();
    const ssize_t count = ::write(descriptor.number(), bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno != EINTR && errno != EAGAIN) return false;
    if (count > 0) {
      done += static_cast<std::size_t>(count);
      continue;
    }
    pollfd room{descriptor.number(), POLLOUT, 0};
    ::poll(&room, 1, kPatience);
  }
  return true;
}

}  // namespace amontons::cli

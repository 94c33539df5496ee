#include "amontons/io/child/child_process.h"

#include "amontons/math/stop.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <fcntl.h>
#include <fstream>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace amontons::io {
namespace {

/// After so long a wait the parent looks if it is to stop [s].
constexpr double kPatience = 0.02;

/// Returns the address space that this process takes [bytes].
std::uint64_t address_space() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t pages = 0;
  file >> pages;
  return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

void silence_this_child() {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGTERM, SIGINT}) {
    std::signal(signal, SIG_DFL);
  }
  if (const int null = ::open("/dev/null", O_WRONLY); null >= 0) {
    ::dup2(null, STDERR_FILENO);
    ::dup2(null, STDOUT_FILENO);
  }
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
}

void bound_memory_of_this_child(std::uint64_t memory) {
  if (kSanitized) return;
  const std::uint64_t most = address_space() + memory;
  const rlimit space{most, most};
  ::setrlimit(RLIMIT_AS, &space);
}

bool wait_for_child(pid_t child, int pipe, double seconds) {
  pollfd event{pipe, POLLIN, 0};
  const auto ms = [](double time) { return static_cast<int>(std::ceil(1e3 * time)); };
  int ready = 0;
  // Bound: the time, in parts of kPatience.
  for (double left = seconds; ready == 0 && left > 0.0 && !is_stop_requested(); left -= kPatience) {
    ready = ::poll(&event, 1, ms(std::min(left, kPatience)));
    if (ready < 0 && errno == EINTR) ready = 0;
  }
  if (ready == 0) ::kill(child, SIGKILL);
  // A program that ignores SIGCHLD gets ECHILD here, and needs no more.
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  return ready > 0;
}

}  // namespace amontons::io

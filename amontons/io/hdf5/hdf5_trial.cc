#include "amontons/io/hdf5/hdf5_trial.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace amontons::io {

bool survives_in_child(const std::function<void()>& action) {
  constexpr int kMostMilliseconds = 60000;
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) return false;
  const pid_t child = ::fork();
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGTERM, SIGINT}) {
      std::signal(signal, SIG_DFL);
    }
    const rlimit no_core{0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    if (const int null = ::open("/dev/null", O_WRONLY); null >= 0) ::dup2(null, STDERR_FILENO);
    action();
    const char done = 1;
    ::_exit(::write(pipe[1], &done, 1) == 1 ? 0 : 1);
  }
  ::close(pipe[1]);
  // The end of the child closes the pipe; only one that came to its end has written.
  char done = 0;
  if (child > 0) {
    pollfd event{pipe[0], POLLIN, 0};
    int ready = 0;
    do {
      ready = ::poll(&event, 1, kMostMilliseconds);
    } while (ready < 0 && errno == EINTR);
    if (ready == 0) ::kill(child, SIGKILL);
    if (ready > 0 && ::read(pipe[0], &done, 1) != 1) done = 0;
    while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  ::close(pipe[0]);
  return done == 1;
}

}  // namespace amontons::io

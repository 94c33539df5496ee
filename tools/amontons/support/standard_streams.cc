#include "tools/amontons/support/standard_streams.h"

#include "amontons/io/common/output_error.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <iostream>
#include <string>
#include <unistd.h>

namespace amontons::cli {

void hold_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) != -1 || errno != EBADF) continue;
    // The least number that is free is this one. What is printed there fails, as it did before.
    (void)::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

void report_size_limits() { std::signal(SIGXFSZ, SIG_IGN); }

void finish_standard_output() {
  errno = 0;
  std::cout.flush();
  if (std::cout) return;
  const std::string reason = errno == 0 ? "" : std::string(": ") + std::strerror(errno);
  throw io::OutputError("standard output", "cannot write what was printed" + reason);
}

}  // namespace amontons::cli

#include "amontons/io/hdf5/hdf5_trial.h"

#include "amontons/io/hdf5/hdf5_child.h"

#include <array>
#include <fcntl.h>
#include <unistd.h>

namespace amontons::io {

bool survives_in_child(const std::function<void()>& action) {
  constexpr double kMostSeconds = 60.0;
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) return false;
  const pid_t child = ::fork();
  if (child == 0) {
    silence_this_child();
    action();
    const char done = 1;
    ::_exit(::write(pipe[1], &done, 1) == 1 ? 0 : 1);
  }
  ::close(pipe[1]);
  // Only a child that came to its end has written.
  char done = 0;
  const bool survives =
      child > 0 && wait_for_child(child, pipe[0], kMostSeconds) && ::read(pipe[0], &done, 1) == 1;
  ::close(pipe[0]);
  return survives;
}

}  // namespace amontons::io

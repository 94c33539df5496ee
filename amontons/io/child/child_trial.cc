#include "amontons/io/child/child_trial.h"

#include "amontons/io/child/child_process.h"
#include "amontons/math/stop.h"

#include <array>
#include <fcntl.h>
#include <unistd.h>

namespace amontons::io {

bool succeeds_in_child(const std::function<bool()>& action, const ChildBounds& bounds) {
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) return false;
  const pid_t child = ::fork();
  if (child == 0) {
    silence_this_child();
    bound_memory_of_this_child(bounds.memory);
    // An exception must not leave this function in the child, too.
    bool succeeds = false;
    try {
      succeeds = action();
    } catch (...) {
    }
    const char done = 1;
    ::_exit(succeeds && ::write(pipe[1], &done, 1) == 1 ? 0 : 1);
  }
  ::close(pipe[1]);
  // Only a child whose action has succeeded has written.
  char done = 0;
  const bool succeeds =
      child > 0 && wait_for_child(child, pipe[0], bounds.seconds) && ::read(pipe[0], &done, 1) == 1;
  ::close(pipe[0]);
  if (!succeeds) check_stop();
  return succeeds;
}

}  // namespace amontons::io

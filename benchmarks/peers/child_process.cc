#include "benchmarks/peers/child_process.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdexcept>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace amontons::peers {
namespace {

using Clock = std::chrono::steady_clock;

struct Pipe {
  int read_end = -1, write_end = -1;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw std::runtime_error(std::string("no pipe: ") + std::strerror(errno));
  }
  return {ends[0], ends[1]};
}

[[noreturn]] void become(const std::vector<std::string>& arguments, int output, int errors) {
  constexpr rlim_t kMemory = 6UL << 30;
  constexpr int kCannotExecute = 127;
  const rlimit memory{kMemory, kMemory}, core{0, 0};
  setrlimit(RLIMIT_AS, &memory);
  setrlimit(RLIMIT_CORE, &core);
  setenv("OMP_NUM_THREADS", "1", 1);
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  dup2(output, STDOUT_FILENO);
  dup2(errors, STDERR_FILENO);
  std::vector<char*> pointers;
  for (const std::string& argument : arguments) {
    pointers.push_back(const_cast<char*>(argument.c_str()));
  }
  pointers.push_back(nullptr);
  execv(pointers.front(), pointers.data());
  _exit(kCannotExecute);
}

// Appends the available bytes; returns false once the other end is closed.
bool drain(int descriptor, std::string& text) {
  std::array<char, 4096> buffer;
  const ssize_t count = read(descriptor, buffer.data(), buffer.size());
  if (count > 0) text.append(buffer.data(), static_cast<std::size_t>(count));
  return count > 0 || (count < 0 && (errno == EINTR || errno == EAGAIN));
}

void keep_end(std::string& text) {
  constexpr std::size_t kKept = 2000;
  if (text.size() > 2 * kKept) text.erase(0, text.size() - kKept);
}

// Reads both pipes until they close or time is up.
void listen(int output, int errors, Clock::time_point deadline, ChildResult& result) {
  std::array<pollfd, 2> sources{{{output, POLLIN, 0}, {errors, POLLIN, 0}}};
  while (sources[0].fd >= 0 || sources[1].fd >= 0) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) {
      result.timed_out = true;
      return;
    }
    if (poll(sources.data(), sources.size(), static_cast<int>(left)) <= 0) continue;
    if (sources[0].revents != 0 && !drain(sources[0].fd, result.output)) sources[0].fd = -1;
    if (sources[1].revents != 0 && !drain(sources[1].fd, result.errors)) sources[1].fd = -1;
    keep_end(result.errors);
  }
}

}  // namespace

ChildResult run_child(const std::vector<std::string>& arguments, double wall_limit_s) {
  const Clock::time_point start = Clock::now();
  const Pipe output = make_pipe(), errors = make_pipe();
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error(std::string("no process: ") + std::strerror(errno));
  if (child == 0) become(arguments, output.write_end, errors.write_end);
  close(output.write_end);
  close(errors.write_end);

  ChildResult result;
  const auto limit =
      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(wall_limit_s));
  listen(output.read_end, errors.read_end, start + limit, result);
  if (result.timed_out) kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  close(output.read_end);
  close(errors.read_end);
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  result.wall_s = std::chrono::duration<double>(Clock::now() - start).count();
  return result;
}

}  // namespace amontons::peers

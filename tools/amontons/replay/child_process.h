#pragma once

#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace amontons::cli {

/// Closes a file descriptor at its end.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }

  int number() const { return number_; }
  void close();

 private:
  int number_ = -1;
};

/// Opens a pipe whose ends no child inherits by chance. @throws std::system_error.
struct Pipe {
  Pipe();
  Descriptor read_end, write_end;
};

/// Returns the path of the first of the programs that PATH leads to; empty if there is none.
std::string find_program(const std::vector<std::string>& names);

/// Runs another program in a process group of its own: a Ctrl-C in the terminal reaches this
/// program alone.
class ChildProcess {
 public:
  /// Pairs a descriptor of this process with its number in the child.
  struct Connection {
    int own = -1, child = -1;
  };

  /// Starts the program. Descriptors 0, 1 and 2 without a connection are /dev/null.
  /// @throws std::system_error if it cannot be started.
  ChildProcess(const std::string& program, const std::vector<std::string>& arguments,
               const std::vector<Connection>& connections);
  /// Kills it with its own children, where wait() has not seen its end.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// Waits until it ends. @returns its exit code; 128 and more where a signal ended it.
  /// @throws Stopped (math/stop.h).
  int wait();

 private:
  pid_t id_ = -1;
};

/// Writes all of it. @returns false if the reader is gone (SIGPIPE must be ignored) or on an error.
/// @throws Stopped (math/stop.h).
bool write_all(const Descriptor& descriptor, const std::string& bytes);

}  // namespace amontons::cli

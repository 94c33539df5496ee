#include "amontons/io/urdf/xacro.h"

#include "amontons/io/common/fail_at.h"
#include "amontons/io/common/read_file.h"
#include "amontons/io/common/temporary_folder.h"
#include "amontons/io/common/trimmed.h"
#include "amontons/io/urdf/urdf_rules.h"
#include "amontons/io/xml/xml_walk.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <iterator>
#include <spawn.h>
#include <sstream>
#include <string_view>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

extern char** environ;  // NOLINT: POSIX gives it no header

namespace amontons::io {
namespace {

constexpr std::chrono::milliseconds kInterval{20};
constexpr int kMostIntervals = 3000;  // a minute
// Elements that define what a call expands to, or decide what is there.
constexpr std::string_view kExpandable[] = {"xacro:macro",    "xacro:include", "xacro:arg",
                                            "xacro:if",       "xacro:unless",  "xacro:element",
                                            "xacro:attribute"};

/// Returns the path of a program that PATH leads to; empty if there is none.
std::string find_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string program = folder + "/" + name;
    if (!folder.empty() && access(program.c_str(), X_OK) == 0) return program;
  }
  return "";
}

/// Waits until a process ends, and ends it after a minute. Returns its exit code, or -1 where a
/// signal or the time ended it.
int wait_for(pid_t process) {
  int status = 0;
  for (int i = 0; i < kMostIntervals; ++i) {
    const pid_t ended = waitpid(process, &status, WNOHANG);
    if (ended == process) return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (ended < 0 && errno != EINTR) return -1;
    std::this_thread::sleep_for(kInterval);
  }
  kill(process, SIGKILL);
  waitpid(process, &status, 0);
  return -1;
}

/// Runs a program with one argument and its output in files. Returns its exit code, as above.
int run_program(const std::string& program, const std::string& argument, const std::string& output,
                const std::string& errors) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  constexpr int kWrite = O_WRONLY | O_CREAT | O_TRUNC;
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(), kWrite, 0600);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors.c_str(), kWrite, 0600);
  std::string name = program, word = argument;
  char* arguments[] = {name.data(), word.data(), nullptr};
  pid_t process = 0;
  const int fault = posix_spawn(&process, name.c_str(), &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  return fault == 0 ? wait_for(process) : -1;
}

}  // namespace

std::optional<std::string> expand_xacro(const std::filesystem::path& file,
                                        const SourceLocation& where) {
  const std::string program = find_program("xacro");
  if (program.empty()) return std::nullopt;
  const TemporaryFolder folder;
  const std::string output = folder.write("robot.urdf", ""), errors = folder.write("errors", "");
  const int code = run_program(program, std::filesystem::absolute(file).string(), output, errors);
  if (code != 0) {
    const std::string said = read_file(errors);
    fail_at(where, "'xacro " + file.string() + "' " +
                       (code < 0 ? std::string("was stopped")
                                 : "ended with code " + std::to_string(code)) +
                       (said.empty() ? "" : ": " + std::string(trimmed(said))));
  }
  return read_file(output);
}

const tinyxml2::XMLElement* find_expandable(const tinyxml2::XMLElement& element,
                                            bool has_expressions) {
  const std::string_view name = element.Name();
  const auto is_it = [&](std::string_view word) { return name == word; };
  if (std::any_of(std::begin(kExpandable), std::end(kExpandable), is_it)) return &element;
  if (has_expressions && name == "xacro:property") return &element;
  for (const tinyxml2::XMLElement* child = element.FirstChildElement(); child != nullptr;
       child = child->NextSiblingElement()) {
    if (const auto* found = find_expandable(*child, has_expressions)) return found;
  }
  return nullptr;
}

void remove_leftover_xacro(tinyxml2::XMLElement& element, const std::string& path,
                           const std::string& file, ImportLedger& ledger) {
  // What is ignored with all that is inside it needs no finding, nor do extensions of Gazebo.
  const ElementRule* rule = urdf_format().find(path);
  if (rule == nullptr || rule->fate == ImportFate::Ignored || path == "robot/gazebo") return;
  tinyxml2::XMLElement* child = element.FirstChildElement();
  while (child != nullptr) {
    tinyxml2::XMLElement* next = child->NextSiblingElement();
    if (std::string_view(child->Name()).starts_with("xacro:")) {
      note_ignored(*child,
                   "a rest of xacro: nothing in the file defines it, so that it is left out, as in "
                   "other readers of URDF",
                   file, ledger, ImportFate::Warning);
      element.DeleteChild(child);
    } else {
      remove_leftover_xacro(*child, path + "/" + child->Name(), file, ledger);
    }
    child = next;
  }
}

}  // namespace amontons::io

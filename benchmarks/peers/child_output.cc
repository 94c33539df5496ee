#include "benchmarks/peers/child_output.h"

#include <fmt/core.h>

#include <cstring>
#include <sstream>

namespace amontons::peers {
namespace {

std::string last_line(const std::string& text) {
  std::istringstream lines(text);
  std::string last;
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty()) last = line;
  }
  return last;
}

}  // namespace

nlohmann::json last_object(const std::string& output) {
  nlohmann::json last = nlohmann::json::object();
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.front() != '{') continue;
    nlohmann::json value = nlohmann::json::parse(line, nullptr, false);
    if (value.is_object()) last = std::move(value);
  }
  return last;
}

std::string failure_of(const ChildResult& child) {
  if (child.timed_out) return fmt::format("killed after {:.0f} s", child.wall_s);
  if (child.signal != 0) return fmt::format("crashed ({})", strsignal(child.signal));
  if (child.exit_code != 0) {
    const std::string reason = last_line(child.errors);
    return "failed: " + (reason.empty() ? "exit code " + std::to_string(child.exit_code) : reason);
  }
  return "";
}

}  // namespace amontons::peers

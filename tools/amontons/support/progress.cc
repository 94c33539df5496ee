#include "tools/amontons/support/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <unistd.h>
#include <utility>

namespace amontons::cli {
namespace {

constexpr double kTerminalInterval = 0.1, kPlainInterval = 10.0;  // [s] between two messages
constexpr int kBarWidth = 30;

std::string duration_text(double seconds) {
  const auto whole = static_cast<long>(seconds + 0.5);
  if (whole >= 3600)
    return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

}  // namespace

Progress::Progress(std::string label, bool quiet)
    : label_(std::move(label)),
      quiet_(quiet),
      terminal_(::isatty(STDERR_FILENO) == 1),
      start_(Clock::now()),
      last_(start_) {}

Progress::~Progress() {
  if (width_shown_ == 0) return;
  fmt::print(stderr, "\r{:{}}\r", "", width_shown_);
  std::fflush(stderr);
}

bool Progress::is_due() const {
  if (quiet_) return false;
  const double since_last = std::chrono::duration<double>(Clock::now() - last_).count();
  return since_last >= (terminal_ ? kTerminalInterval : kPlainInterval);
}

void Progress::update(double fraction, const std::string& detail) {
  if (!is_due()) return;
  const Clock::time_point now = Clock::now();
  last_ = now;
  show(std::clamp(fraction, 0.0, 1.0), detail, now);
}

void Progress::show(double fraction, const std::string& detail, Clock::time_point now) {
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  const std::string left =
      fraction > 0.0 ? duration_text(elapsed * (1.0 - fraction) / fraction) : "?";
  if (!terminal_) {
    fmt::print(stderr, "{}: {:.0f} %, {} left{}{}\n", label_, 100.0 * fraction, left,
               detail.empty() ? "" : ", ", detail);
    return;
  }
  const int filled = static_cast<int>(fraction * kBarWidth);
  const std::string line =
      fmt::format("{} [{:=<{}}{:{}}] {:3.0f} %  {} left  {}", label_, "", filled, "",
                  kBarWidth - filled, 100.0 * fraction, left, detail);
  width_shown_ = std::max(width_shown_, line.size());
  fmt::print(stderr, "\r{:{}}", line, width_shown_);
  std::fflush(stderr);
}

}  // namespace amontons::cli

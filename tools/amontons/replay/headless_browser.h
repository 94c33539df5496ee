#pragma once

#include "tools/amontons/replay/child_process.h"

#include <nlohmann/json.hpp>

#include <memory>
#include <stdexcept>
#include <string>

namespace amontons::cli {

/// Reports that the browser is missing, does not answer, or refuses.
class BrowserError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Shows a page in a Chromium without a window, driven through its debugging pipe (Chrome DevTools
/// Protocol). It draws in software, so that the same page gives the same picture on any machine.
class HeadlessBrowser {
 public:
  /// Starts the browser.
  /// @param profile  folder that it may fill; the caller removes it.
  /// @throws BrowserError if no Chromium is found or it does not start.
  HeadlessBrowser(const std::string& profile, int width, int height);

  /// Loads a page and waits until it says `data-amontons-ready`.
  /// @throws BrowserError with what the page says, if it fails.
  void open(const std::string& url);

  /// Returns the value of an expression, or of its promise.
  nlohmann::json evaluate(const std::string& expression);

  /// Returns a PNG of the page.
  std::string screenshot();

 private:
  nlohmann::json call(const std::string& method,
                      nlohmann::json parameters = nlohmann::json::object());
  nlohmann::json read_message();

  Descriptor to_browser_, from_browser_;
  std::unique_ptr<ChildProcess> process_;
  std::string buffer_, session_;
  long next_id_ = 1;
};

}  // namespace amontons::cli

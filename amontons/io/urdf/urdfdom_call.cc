#include "amontons/io/urdf/urdfdom_call.h"

#include "amontons/io/common/fail_at.h"

#include <urdf_parser/urdf_parser.h>

#include <console_bridge/console.h>
#include <exception>
#include <mutex>

namespace amontons::io {
namespace {

/// Receives urdfdom's messages while it exists. The handler is one for the whole process, so that
/// only one text can be parsed at a time.
class CapturedConsole : public console_bridge::OutputHandler {
 public:
  CapturedConsole() : lock_(mutex()) { console_bridge::useOutputHandler(this); }
  ~CapturedConsole() override { console_bridge::restorePreviousOutputHandler(); }
  CapturedConsole(const CapturedConsole&) = delete;
  CapturedConsole& operator=(const CapturedConsole&) = delete;

  void log(const std::string& text, console_bridge::LogLevel level, const char*, int) override {
    if (level < console_bridge::CONSOLE_BRIDGE_LOG_ERROR) return;
    errors_ += (errors_.empty() ? "" : "; ") + text;
  }

  const std::string& errors() const { return errors_; }

 private:
  static std::mutex& mutex() {
    static std::mutex only_one;
    return only_one;
  }

  std::lock_guard<std::mutex> lock_;
  std::string errors_;
};

}  // namespace

urdf::ModelInterfaceSharedPtr parse_with_urdfdom(const std::string& text,
                                                 const SourceLocation& where) {
  urdf::ModelInterfaceSharedPtr model;
  std::string errors;
  {
    // urdfdom reports errors by messages, in part by exceptions.
    const CapturedConsole console;
    try {
      model = urdf::parseURDF(text);
    } catch (const std::exception& error) {
      errors = error.what();
    }
    if (errors.empty()) errors = console.errors();
  }
  // urdfdom returns a model with parts left out after most of its errors.
  if (!model || !errors.empty()) fail_at(where, "not a valid URDF robot: " + errors);
  return model;
}

}  // namespace amontons::io

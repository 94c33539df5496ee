#include "amontons/io/urdf/urdfdom_call.h"

#include "amontons/io/common/fail_at.h"

#include <urdf_parser/urdf_parser.h>

#include <console_bridge/console.h>
#include <exception>
#include <mutex>
#include <string>

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

/// Gives shapes and joints that urdfdom does not know names that it does, whose own elements are
/// read, and a mass without an inertia one of zero, which it demands.
void fit_for_urdfdom(tinyxml2::XMLElement& element) {
  const std::string name = element.Name();  // a copy: names change
  if (name == "inertial" && element.FirstChildElement("inertia") == nullptr) {
    tinyxml2::XMLElement* inertia = element.InsertNewChildElement("inertia");
    for (const char* entry : {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"}) {
      inertia->SetAttribute(entry, 0);
    }
  }
  if (name == "capsule") element.SetName("cylinder");
  if (name == "ellipsoid" || name == "plane") {
    element.SetName("sphere");
    element.SetAttribute("radius", "1");
  }
  if (name == "joint" && element.Attribute("type", "spherical") != nullptr) {
    element.SetAttribute("type", "floating");
  }
  for (tinyxml2::XMLElement* child = element.FirstChildElement(); child != nullptr;
       child = child->NextSiblingElement()) {
    fit_for_urdfdom(*child);
  }
}

/// Returns a document as text.
std::string to_text(const tinyxml2::XMLDocument& document) {
  tinyxml2::XMLPrinter printer;
  document.Print(&printer);
  return printer.CStr();
}

}  // namespace

urdf::ModelInterfaceSharedPtr parse_with_urdfdom(tinyxml2::XMLDocument& robot,
                                                 const SourceLocation& where) {
  fit_for_urdfdom(*robot.RootElement());
  robot.RootElement()->DeleteAttribute("version");  // urdfdom 3 knows 1.0 alone
  const std::string text = to_text(robot);
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

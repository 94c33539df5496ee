#include "amontons/io/sdf/sdformat_context.h"

#include "amontons/io/common/fail_at.h"
#include "amontons/io/sdf/sdformat_value.h"
#include "amontons/io/xml/xml_walk.h"

#include <tinyxml2.h>

#include <regex>
#include <sdf/Error.hh>

namespace amontons::io {
namespace {

using tinyxml2::XMLElement;

/// Returns the line of the first element of a kind and name, or 0.
int line_of(const XMLElement& element, const std::string& kind, const std::string& name) {
  if (element.Name() == kind && element.Attribute("name", name.c_str())) {
    return element.GetLineNum();
  }
  for (const XMLElement* e = element.FirstChildElement(); e != nullptr;
       e = e->NextSiblingElement()) {
    if (const int line = line_of(*e, kind, name)) return line;
  }
  return 0;
}

/// Returns the place of an error of libsdformat. Most of its errors have no line, but name an
/// element: "link with name[x]".
/// @param path  path of the file that libsdformat read, or empty.
/// @param line  line of the error, 0 where it has none.
SourceLocation locate_sdf_error(const SdfDocument& document, const std::string& path, int line,
                                const std::string& message) {
  if (line > 0) return {document.file_of(path).shown, line, 0};
  // "link with name[x]", "joint named [x]": the first element in the message that the files hold.
  static const std::regex kNamed(
      R"((joint|link|frame|collision|model|world) (?:with |named )?(?:name)?\[?([^\]\s]+)\]?)");
  for (std::sregex_iterator it(message.begin(), message.end(), kNamed), end; it != end; ++it) {
    for (const SdfFile& candidate : document.files()) {
      const int found = line_of(*candidate.original->RootElement(), (*it)[1], (*it)[2]);
      if (found > 0) return {candidate.shown, found, 0};
    }
  }
  // "vertex [model::frame]": the last name, for any kind of element.
  static const std::regex kVertex(R"(\[(?:[^\]]*::)?([^\]:]+)\])");
  std::smatch vertex;
  if (std::regex_search(message, vertex, kVertex)) {
    for (const SdfFile& candidate : document.files()) {
      for (const char* kind : {"frame", "link", "joint", "model"}) {
        const int found = line_of(*candidate.original->RootElement(), kind, vertex[1]);
        if (found > 0) return {candidate.shown, found, 0};
      }
    }
  }
  // Without a name the error is reported at the root of the main file.
  return place_of(document.main().shown, *document.main().original->RootElement());
}

}  // namespace

void SdformatContext::check(const sdf::Errors& errors) const {
  for (const sdf::Error& error : errors) {
    // Inertia is checked for all formats alike (model_check.h).
    if (error.Code() == sdf::ErrorCode::LINK_INERTIA_INVALID) continue;
    std::string message = error.Message();
    while (!message.empty() && (message.back() == '\n' || message.back() == ' ')) {
      message.pop_back();
    }
    fail_at(locate_sdf_error(document_, error.FilePath().value_or(""),
                             error.LineNumber().value_or(0), message),
            "not a valid SDF file: " + message);
  }
}

Pose SdformatContext::resolve(const sdf::SemanticPose& pose, const std::string& in) const {
  ignition::math::Pose3d result;
  check(pose.Resolve(result, in));
  return to_pose(result);
}

SourceLocation SdformatContext::place_of(const sdf::ElementPtr& element) const {
  if (element == nullptr) return {document_.main().shown, 0, 0};
  return {document_.file_of(element->FilePath()).shown, line_of(element), 0};
}

}  // namespace amontons::io

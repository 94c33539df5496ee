#include "amontons/io/sdf/sdformat_context.h"

#include "amontons/io/common/fail_at.h"
#include "amontons/io/sdf/sdf_errors.h"
#include "amontons/io/sdf/sdformat_value.h"

#include <sdf/Error.hh>

namespace amontons::io {

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

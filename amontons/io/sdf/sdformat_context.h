#pragma once

#include "amontons/io/sdf/sdf_document.h"
#include "amontons/math/pose.h"
#include "amontons/simulation/scene/source_location.h"

#include <sdf/Element.hh>
#include <sdf/SemanticPose.hh>
#include <sdf/Types.hh>
#include <string>

namespace amontons::io {

/// Describes a model that lies in another one, and its pose.
struct SdformatScope {
  std::string prefix;  ///< "inner::"
  Pose X_MN;           ///< inner model in the outermost one
};

/// Connects the objects of libsdformat with the document that they come from. Errors and elements
/// get their places in the files, and poses are resolved.
class SdformatContext {
 public:
  /// The document must outlive the context.
  explicit SdformatContext(const SdfDocument& document) : document_(document) {}

  const SdfDocument& document() const { return document_; }

  /// Checks the errors of a call of libsdformat. Errors about inertia are skipped, because our own
  /// checks cover them.
  /// @throws ParseError for the first of the others.
  void check(const sdf::Errors& errors) const;

  /// Returns a pose in the frame `in`.
  /// @throws ParseError if there is no such frame.
  Pose resolve(const sdf::SemanticPose& pose, const std::string& in) const;

  /// Returns the file and line of an element.
  SourceLocation place_of(const sdf::ElementPtr& element) const;

 private:
  const SdfDocument& document_;
};

}  // namespace amontons::io

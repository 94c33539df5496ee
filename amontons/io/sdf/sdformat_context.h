#pragma once

#include "amontons/io/sdf/sdf_document.h"
#include "amontons/math/pose.h"
#include "amontons/simulation/scene/source_location.h"

#include <sdf/Element.hh>
#include <sdf/SemanticPose.hh>
#include <sdf/Types.hh>
#include <string>

namespace amontons::io {

/// A model that lies in another one, and where.
struct SdformatScope {
  std::string prefix;  ///< "inner::"
  Pose X_MN;           ///< of the inner model in the outermost one
};

/// What libsdformat has read, beside the document that it is from: its errors and elements get
/// their places in the files, its poses are resolved.
class SdformatContext {
 public:
  /// The document must outlive the context.
  explicit SdformatContext(const SdfDocument& document) : document_(document) {}

  const SdfDocument& document() const { return document_; }

  /// @throws ParseError for the first that matters. Inertias are judged by checks of our own.
  void check(const sdf::Errors& errors) const;

  /// @param in  frame in which the pose is asked for.
  /// @throws ParseError if there is no such frame.
  Pose resolve(const sdf::SemanticPose& pose, const std::string& in) const;

  SourceLocation place_of(const sdf::ElementPtr& element) const;

 private:
  const SdfDocument& document_;
};

}  // namespace amontons::io

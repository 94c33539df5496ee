#pragma once

#include "amontons/io/import/import_context.h"
#include "amontons/io/sdf/sdf_data.h"
#include "amontons/io/sdf/sdf_document.h"

#include <tinyxml2.h>

#include <map>
#include <set>
#include <string>
#include <utility>

namespace amontons::io {

/// Reads what the links of an SDF file draw.
class SdfVisuals {
 public:
  SdfVisuals(const SdfDocument& document, ImportContext& context);

  /// Adds the shapes and mesh files of a link, with their colors. A <visual> that is malformed, or
  /// whose pose is relative to another frame, is left out: looks are no reason to refuse a model.
  /// The ledger names each mesh file that is not there, whether looks are asked for or not.
  /// @param owner  "model/link".
  void add(const SdfLink& link, const std::string& owner);

 private:
  void add_visual(const tinyxml2::XMLElement& visual, const SdfFile& file,
                  const std::string& owner);

  const SdfDocument& document_;
  ImportContext& context_;
  std::set<const tinyxml2::XMLElement*> noted_;  ///< meshes that have been looked for
  /// Holds the links of all files by file and line, of which several may share one.
  std::multimap<std::pair<std::string, int>, std::pair<const SdfFile*, const tinyxml2::XMLElement*>>
      links_;
};

}  // namespace amontons::io

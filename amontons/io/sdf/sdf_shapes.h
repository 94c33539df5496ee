#pragma once

#include "amontons/io/sdf/sdf_data.h"
#include "amontons/io/sdf/sdf_document.h"

#include <optional>
#include <set>
#include <string>
#include <utility>

namespace amontons::io {

/// Turns the collisions of an SDF file into shapes. A collision with a surface gets a material of
/// its own in the scene, "model/link/collision".
class SdfShapes {
 public:
  SdfShapes(SdfDocument& document, ImportContext& context)
      : document_(document), context_(context) {}

  /// Returns the shape of a collision, nothing for one that is empty, without area or only sensed.
  /// @param owner  "model/link", for the material's name.
  /// @throws ParseError at the line of a mesh that cannot be used.
  std::optional<SceneShape> make(const SdfCollision& collision, const std::string& link,
                                 const std::string& owner);

 private:
  std::optional<Shape> shape_of(const SdfCollision& collision, const std::string& link);
  std::optional<Shape> mesh_of(const SdfCollision& collision, const std::string& link);
  std::string material_of(const SdfCollision& collision, const std::string& owner);

  SdfDocument& document_;
  ImportContext& context_;
  std::set<std::pair<std::string, int>> noted_meshes_;  // keys: file and line
};

}  // namespace amontons::io

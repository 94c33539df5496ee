#pragma once

#include "amontons/io/sdf/sdf_data.h"
#include "amontons/io/sdf/sdf_document.h"
#include "amontons/io/sdf/sdf_visuals.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace amontons::io {

/// Turns the collisions of an SDF file into shapes. A collision with a surface gets a material of
/// its own in the scene, "model/link/collision".
class SdfShapes {
 public:
  SdfShapes(SdfDocument& document, ImportContext& context)
      : document_(document), context_(context), visuals_(document, context) {}

  /// Adds what a link draws to the visuals of the scene, where somebody asks for them.
  void add_visuals(const SdfLink& link, const std::string& owner) { visuals_.add(link, owner); }

  /// Returns the shape of a collision or its parts, nothing for one that is empty, without area or
  /// only sensed.
  /// @param owner  "model/link", for the material's name.
  /// @throws ParseError at the line of a mesh that cannot be used.
  std::vector<SceneShape> make(const SdfCollision& collision, const std::string& link,
                               const std::string& owner);

 private:
  std::vector<Shape> shapes_of(const SdfCollision& collision, const std::string& link,
                               const MeshChoice& choice);
  std::vector<Shape> shapes_of_mesh(const SdfCollision& collision, const std::string& link,
                                    const MeshChoice& choice);
  std::vector<Shape> shapes_of_polylines(const SdfCollision& collision, const std::string& link,
                                         const MeshChoice& choice);
  Shape height_map_of(const SdfCollision& collision, const std::string& link);
  std::string material_of(const SdfCollision& collision, const std::string& owner);

  SdfDocument& document_;
  ImportContext& context_;
  SdfVisuals visuals_;
  std::set<std::pair<std::string, int>> noted_meshes_;  // keys: file and line
};

}  // namespace amontons::io

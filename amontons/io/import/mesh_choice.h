#pragma once

#include "amontons/io/import/mesh_shape.h"
#include "amontons/simulation/scene/collision_rules.h"
#include "amontons/simulation/scene/source_location.h"

#include <string>
#include <vector>

namespace amontons::io {

/// Holds what the scene says of how bodies and links collide: `collide: hull`, or a map from names
/// to such words. A later entry precedes those before it.
class MeshChoices {
 public:
  /// Adds an entry for the names that match a pattern (io/common/name_pattern.h).
  void add(const std::string& pattern, MeshCollision collision, const SourceLocation& where);
  /// Returns how the meshes of a body or link collide. MeshCollision::None is of all its shapes.
  /// @param otherwise  the answer where no entry matches.
  MeshCollision of(const std::string& name, MeshCollision otherwise) const;

  /// Refuses an entry that matches none of the names, with the nearest one.
  /// @throws ParseError at the entry.
  void check(const std::vector<std::string>& names, const std::string& what) const;

 private:
  struct Entry {
    std::string pattern;
    MeshCollision collision = MeshCollision::Mesh;
    SourceLocation where;
  };
  std::vector<Entry> entries_;
};

/// Returns the filter of a shape: its own, or none where it does not collide.
inline CollisionFilter filter_of(MeshCollision choice, const CollisionFilter& own) {
  return choice == MeshCollision::None ? CollisionFilter::none() : own;
}

/// Holds the words that concern the links of one model: those of the scene by full names, and those
/// of the model by names without its own.
struct ModelMeshChoices {
  const MeshChoices& scene;
  MeshChoices model;
  std::string name;  ///< of the model in the scene

  /// Returns how the meshes of a link collide, by its full name "model/link".
  MeshCollision of(const std::string& link, MeshCollision otherwise) const {
    return model.of(link.substr(name.size() + 1), scene.of(link, otherwise));
  }
};

}  // namespace amontons::io

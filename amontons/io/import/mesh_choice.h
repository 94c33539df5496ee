#pragma once

#include "amontons/io/import/mesh_shape.h"
#include "amontons/simulation/scene/collision_rules.h"
#include "amontons/simulation/scene/source_location.h"

#include <string>
#include <vector>

namespace amontons::io {

/// Holds what a key of the scene says of bodies and links: one value, or a map from names to
/// values. A later entry precedes those before it.
template <typename Value>
class ValuesByName {
 public:
  /// Adds an entry for the names that match a pattern (io/common/name_pattern.h).
  void add(const std::string& pattern, Value value, const SourceLocation& where);
  /// Returns the value of a body or link.
  /// @param otherwise  the answer where no entry matches.
  Value of(const std::string& name, Value otherwise) const;

  /// Refuses an entry that matches none of the names, with the nearest one.
  /// @throws ParseError at the entry.
  void check(const std::vector<std::string>& names, const std::string& what) const;

 private:
  struct Entry {
    std::string pattern;
    Value value{};
    SourceLocation where;
  };
  std::vector<Entry> entries_;
};

/// Holds what the scene, or an item of `models`, says of how meshes collide.
struct MeshChoices {
  ValuesByName<MeshCollision> collide;  ///< MeshCollision::None is of all shapes, not only meshes
  ValuesByName<int> max_hull_vertices;

  /// Returns how the meshes of a body or link collide.
  /// @param otherwise  the answer where the scene says nothing.
  MeshChoice of(const std::string& name, const MeshChoice& otherwise) const {
    return {collide.of(name, otherwise.collision),
            max_hull_vertices.of(name, otherwise.max_hull_vertices)};
  }
  /// Refuses entries that match none of the names.
  /// @param owner  whose keys these are, as errors show it.
  /// @throws ParseError at the entry.
  void check(const std::vector<std::string>& names, const std::string& owner) const {
    collide.check(names, "collide of " + owner);
    max_hull_vertices.check(names, "max_hull_vertices of " + owner);
  }
};

/// Returns the filter of a shape: its own, or none where it does not collide.
inline CollisionFilter filter_of(MeshCollision choice, const CollisionFilter& own) {
  return choice == MeshCollision::None ? CollisionFilter::none() : own;
}

/// Holds the choices that concern the links of one model: those of the scene by full names, and
/// those of the model by names without its own.
struct ModelMeshChoices {
  const MeshChoices& scene;
  MeshChoices model;
  std::string name;  ///< of the model in the scene

  /// Returns how the meshes of a link collide, by its full name "model/link".
  MeshChoice of(const std::string& link, const MeshChoice& otherwise) const {
    return model.of(link.substr(name.size() + 1), scene.of(link, otherwise));
  }
};

}  // namespace amontons::io

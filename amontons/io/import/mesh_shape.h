#pragma once

#include "amontons/geometry/shapes/mass_properties.h"
#include "amontons/io/common/input_files.h"
#include "amontons/io/import/mesh_file.h"
#include "amontons/simulation/scene/import_ledger.h"

#include <Eigen/Core>

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace amontons::io {

/// Chooses the part of a mesh that collides.
enum class MeshCollision {
  Mesh,   ///< itself: a convex solid as a polyhedron, anything else triangle by triangle
  Hull,   ///< its convex hull
  Parts,  ///< each of its connected components, which must be closed
  None,   ///< nothing: its hull is drawn
};

/// Holds a mesh as collision shapes, all in its own frame.
struct MeshShape {
  std::vector<Shape> shapes;  ///< one, or the parts; none where its triangles have no area
  /// Mass distribution of the mesh where it encloses a volume (geometry/shapes/close_holes.h), else
  /// of its hull; none for a flat mesh.
  std::optional<SolidProperties> solid;
  MeshReport report;  ///< of the mesh whose faces are turned
  MeshCollision collision = MeshCollision::Mesh;
  int num_faces = 0, num_turned = 0;  ///< triangles, and those that faced inwards
  bool one_sided = false;             ///< no orientation of its faces is consistent
};

/// Keeps the mesh shapes of one scene; a file used twice in one way is read once.
class MeshShapes {
 public:
  /// Returns the shapes of a mesh file.
  /// @param name   the mesh's name, as errors show it; it is also the key of the cache.
  /// @param where  the line that names the mesh: all errors are reported there.
  /// @throws ParseError if the mesh cannot be read or has no triangles. Also if it is to collide as
  /// parts that are not closed.
  const MeshShape& make(const std::string& name, const std::string& bytes,
                        const Eigen::Vector3d& scale, MeshCollision collision,
                        const SourceLocation& where);

  /// Returns the shapes of a mesh that the model file itself contains, scaled already. A mesh
  /// without triangles is the hull of its vertices.
  const MeshShape& make(const std::string& name, const TriangleMesh& mesh, MeshCollision collision,
                        const SourceLocation& where);

 private:
  using Key = std::tuple<std::string, std::string, MeshCollision>;  // name, scale

  template <typename Read>
  const MeshShape& make_once(const Key& key, Read read, const SourceLocation& where);

  std::map<Key, MeshShape> shapes_;
};

/// Adds a line to the ledger that says how a mesh collides. The fate is Applied if it collides in
/// its own shape; a sheet and a hull approximate a solid, and so does a mesh with turned faces. It
/// is Ignored where nothing is there to collide.
void note_mesh(ImportLedger& ledger, const MeshShape& shape, const std::string& element,
               const SourceLocation& where);

}  // namespace amontons::io

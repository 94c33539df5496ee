#pragma once

#include "amontons/geometry/shapes/mass_properties.h"
#include "amontons/io/common/input_files.h"
#include "amontons/io/import/mesh_file.h"
#include "amontons/simulation/scene/import_ledger.h"

#include <Eigen/Core>

#include <compare>
#include <cstddef>
#include <map>
#include <mutex>
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

/// Stands for hulls of any number of vertices, as in MuJoCo's attribute maxhullvert.
inline constexpr int kNoVertexLimit = -1;
/// The least number of vertices of a hull.
inline constexpr int kFewestVertices = 4;

/// Says how a mesh collides.
struct MeshChoice {
  MeshCollision collision = MeshCollision::Mesh;
  /// The largest number of vertices of each convex polyhedron as which it collides, be that its
  /// hull, a convex part or the mesh itself; kNoVertexLimit, or at least kFewestVertices.
  int max_hull_vertices = kNoVertexLimit;

  auto operator<=>(const MeshChoice&) const = default;
};

/// Holds the vertices that are left where the polyhedra of a mesh are simplified.
struct HullSimplification {
  std::size_t num_before = 0, num_left = 0;  ///< vertices of all polyhedra of the mesh
  double distance = 0.0;                     ///< the farthest one left out lies so far outside [m]
};

/// Holds a mesh as collision shapes, all in its own frame.
struct MeshShape {
  std::vector<Shape> shapes;  ///< one, or the parts; none where its triangles have no area
  /// Mass distribution of the mesh where it encloses a volume (geometry/shapes/close_holes.h), else
  /// of its hull; none for a flat mesh.
  std::optional<SolidProperties> solid;
  MeshReport report;  ///< of the mesh whose faces are turned
  MeshCollision collision = MeshCollision::Mesh;
  std::optional<HullSimplification> simplified;  ///< none where no vertex is left out
  int num_faces = 0, num_turned = 0;             ///< triangles, and those that faced inwards
  bool one_sided = false;                        ///< no orientation of its faces is consistent
};

/// Keeps the mesh shapes of one scene, and of readings of it with other overrides. A file used
/// twice in one way is read once. Threads may share it.
class MeshShapes {
 public:
  /// Returns the shapes of a mesh file.
  /// @param name   the mesh's name, as errors show it; it is also the key of the cache.
  /// @param where  the line that names the mesh: all errors are reported there.
  /// @param part   what is used of the file.
  /// @throws ParseError if the mesh cannot be read or has no triangles. Also if it is to collide as
  /// parts that are not closed.
  const MeshShape& make(const std::string& name, const std::string& bytes,
                        const Eigen::Vector3d& scale, const MeshChoice& choice,
                        const SourceLocation& where, const MeshPart& part = {});

  /// Returns the shapes of a mesh that the model file itself contains, scaled already. A mesh
  /// without triangles is the hull of its vertices.
  const MeshShape& make(const std::string& name, const TriangleMesh& mesh, const MeshChoice& choice,
                        const SourceLocation& where);

 private:
  using Key = std::tuple<std::string, std::string, MeshChoice>;  // name, scale and part

  template <typename Read>
  const MeshShape& make_once(const Key& key, Read read, const SourceLocation& where);

  std::mutex mutex_;  // of shapes_, also while a file is read: others may wait for it
  std::map<Key, MeshShape> shapes_;
};

/// Adds a line to the ledger that says how a mesh collides. The fate is Applied if it collides in
/// its own shape; a sheet, a hull and fewer vertices approximate a solid, and so does a mesh with
/// turned faces. It is Ignored where nothing is there to collide.
/// @param usual_hull  program of the file in which all meshes collide as their hulls, so that a
///     hull is no approximation; null: none.
void note_mesh(ImportLedger& ledger, const MeshShape& shape, const std::string& element,
               const SourceLocation& where, const char* usual_hull = nullptr);

}  // namespace amontons::io

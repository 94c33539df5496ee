#pragma once

#include "amontons/geometry/mass_properties.h"
#include "amontons/io/input_files.h"
#include "amontons/io/mesh_file.h"
#include "amontons/simulation/import_ledger.h"

#include <Eigen/Core>

#include <map>
#include <memory>
#include <string>
#include <utility>

namespace amontons::io {

/// A mesh as a collision shape: its convex hull.
struct MeshShape {
  std::shared_ptr<const ConvexPolyhedron> hull;
  SolidProperties solid;  ///< of the mesh where it is closed, else of the hull
  MeshReport report;
};

/// The mesh shapes of one scene; a file used twice at one scale is read once.
class MeshShapes {
 public:
  /// @param name   of the mesh, as errors show it, and key of the cache.
  /// @param where  the line that names the mesh: all errors are reported there.
  /// @throws ParseError if the mesh cannot be read, is flat or empty, or has faces that point
  /// inwards.
  const MeshShape& make(const std::string& name, const std::string& bytes,
                        const Eigen::Vector3d& scale, const SourceLocation& where);

  /// The same of a mesh that stands in the file itself, scaled already; one without triangles is
  /// the hull of its vertices.
  const MeshShape& make(const std::string& name, const TriangleMesh& mesh,
                        const SourceLocation& where);

 private:
  template <typename Read>
  const MeshShape& make_once(const std::pair<std::string, std::string>& key, Read read,
                             const SourceLocation& where);

  std::map<std::pair<std::string, std::string>, MeshShape> shapes_;  // by name and scale
};

/// Writes down what became of a mesh: applied if it is its own hull (volumes agree to 1e-6).
void note_mesh(ImportLedger& ledger, const MeshShape& shape, const std::string& element,
               const SourceLocation& where);

}  // namespace amontons::io

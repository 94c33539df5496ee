#include "amontons/io/import/mesh_shape.h"

#include "amontons/geometry/shapes/collision_mesh.h"
#include "amontons/geometry/shapes/connected_components.h"
#include "amontons/io/common/fail_at.h"
#include "amontons/io/common/parse_error.h"
#include "amontons/io/common/parse_number.h"

#include <array>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <utility>

namespace amontons::io {
namespace {

/// Returns true if the surface has no holes, but neighbors disagree which side is outside: some
/// faces are flipped.
bool has_flipped_faces(const TriangleMesh& mesh) {
  // For each undirected edge, the number of triangles that run along it in either direction.
  std::map<std::pair<int, int>, std::array<int, 2>> edges;
  for (const std::array<int, 3>& triangle : mesh.triangles) {
    for (std::size_t k = 0; k < 3; ++k) {
      const int tail = triangle[k], head = triangle[(k + 1) % 3];
      ++edges[std::minmax(tail, head)][tail < head ? 0 : 1];
    }
  }
  // A closed, oriented surface uses each edge once in each direction.
  bool flipped = false;
  for (const auto& [edge, runs] : edges) {
    if (runs[0] + runs[1] != 2) return false;
    flipped = flipped || runs[0] != 1;
  }
  return flipped;
}

/// Refuses a mesh whose orientation is wrong, with the remedy.
void check_faces(const TriangleMesh& mesh, const MeshReport& report) {
  if (report.inverted) {
    throw std::invalid_argument(
        "its faces point inwards (negative volume); flip its normals, or mirror it with a negative "
        "scale");
  }
  if (!report.closed && has_flipped_faces(mesh)) {
    throw std::invalid_argument(
        "some of its faces point inwards; make all normals point outwards in a mesh editor");
  }
}

/// Returns the mesh in its own shape: as a polyhedron if it is convex, else triangle by triangle.
Shape exact_shape(const TriangleMesh& mesh, const MeshReport& report) {
  if (report.convex()) return hull_of_mesh(mesh);
  return std::make_shared<const CollisionMesh>(mesh, flatness_of_mesh(mesh));
}

/// Returns one shape per connected component.
std::vector<Shape> shapes_of_parts(const TriangleMesh& mesh) {
  std::vector<Shape> shapes;
  for (const TriangleMesh& part : connected_components(mesh)) {
    const MeshReport report = inspect_mesh(part);
    if (!report.closed || report.inverted) {
      throw std::invalid_argument(
          "its part " + std::to_string(shapes.size() + 1) +
          (report.closed ? " has faces that point inwards" : " is not closed") +
          "; close it in a mesh editor, or use collide: mesh");
    }
    shapes.push_back(exact_shape(part, report));
  }
  return shapes;
}

/// Returns a mesh as collision shapes with its mass distribution.
MeshShape to_mesh_shape(TriangleMesh mesh, MeshCollision collision) {
  if (mesh.triangles.empty()) mesh = triangulate(*hull_of_mesh(mesh));
  MeshShape shape;
  shape.collision = collision;
  shape.report = inspect_mesh(mesh);
  check_faces(mesh, shape.report);
  switch (collision) {
    case MeshCollision::Mesh:
      shape.shapes.push_back(exact_shape(mesh, shape.report));
      break;
    case MeshCollision::Hull:
    case MeshCollision::None:
      shape.shapes.emplace_back(hull_of_mesh(mesh));
      break;
    case MeshCollision::Parts:
      shape.shapes = shapes_of_parts(mesh);
      break;
  }
  // An open surface encloses no volume, so that its hull takes its place.
  shape.solid = shape.report.closed ? mesh_properties(mesh) : shape_properties(hull_of_mesh(mesh));
  return shape;
}

/// Returns the ratio of the volumes of hull and mesh as a text: how much the hull adds.
std::string volume_ratio(const MeshReport& report) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "hull/mesh volume %.7g",
                report.hull_volume / report.mesh_volume);
  return text.data();
}

}  // namespace

template <typename Read>
const MeshShape& MeshShapes::make_once(const Key& key, Read read, const SourceLocation& where) {
  const auto known = shapes_.find(key);
  if (known != shapes_.end()) return known->second;
  // Errors of any origin are reported at the line that names the mesh.
  const std::string what = "mesh '" + std::get<0>(key) + "': ";
  try {
    return shapes_.emplace(key, to_mesh_shape(read(), std::get<2>(key))).first->second;
  } catch (const ParseError& error) {
    fail_at(where, what + error.message());
  } catch (const std::invalid_argument& error) {
    fail_at(where, what + error.what());
  }
}

const MeshShape& MeshShapes::make(const std::string& name, const std::string& bytes,
                                  const Eigen::Vector3d& scale, MeshCollision collision,
                                  const SourceLocation& where) {
  // The scale is part of the key, as a text that keeps all digits.
  const std::string scale_text =
      shortest_text(scale.x()) + " " + shortest_text(scale.y()) + " " + shortest_text(scale.z());
  return make_once(
      {name, scale_text, collision}, [&] { return parse_mesh(bytes, name, scale); }, where);
}

const MeshShape& MeshShapes::make(const std::string& name, const TriangleMesh& mesh,
                                  MeshCollision collision, const SourceLocation& where) {
  return make_once(
      {name, "as given", collision}, [&] { return mesh; }, where);
}

void note_mesh(ImportLedger& ledger, const MeshShape& shape, const std::string& element,
               const SourceLocation& where) {
  const MeshReport& report = shape.report;
  if (shape.collision == MeshCollision::None) {
    ledger.add(ImportFate::Ignored, element, "does not collide, as asked", where);
    return;
  }
  // Approximations come first: a hull in place of a concave or open mesh, and a sheet.
  if (shape.collision == MeshCollision::Hull && !(report.closed && report.convex())) {
    ledger.add(ImportFate::Approximated, element,
               "collides as its convex hull, as asked (" +
                   (report.closed ? volume_ratio(report) : "it is not closed") + ")",
               where);
  } else if (!report.closed) {
    ledger.add(
        ImportFate::Approximated, element,
        "the mesh is not closed: it collides as a sheet, from its front sides, and where its "
        "mass is not given weighs as its convex hull",
        where);
  } else if (shape.collision == MeshCollision::Parts) {
    ledger.add(ImportFate::Applied, element,
               "collides as " + std::to_string(shape.shapes.size()) + " parts", where);
  } else if (report.convex()) {
    ledger.add(ImportFate::Applied, element, "", where);
  } else {
    ledger.add(ImportFate::Applied, element, "collides as a mesh (" + volume_ratio(report) + ")",
               where);
  }
}

}  // namespace amontons::io
